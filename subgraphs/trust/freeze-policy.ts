/**
 * Keeps the tables of this release for good, so that its decisions can be replayed by later ones.
 *
 *   node subgraphs/trust/freeze-policy.ts
 *
 * Writes `pipeline/policies/<version>.json` and lists it in `pipeline/policies/frozen.ts`. Run it
 * when a change of tables is final; a test says when it was forgotten.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CURRENT_POLICY } from './pipeline/policy.ts'
import { TABLES } from './pipeline/tables.ts'

const folder = join(import.meta.dirname, 'pipeline/policies')
writeFileSync(join(folder, `${CURRENT_POLICY}.json`), `${JSON.stringify(TABLES, null, 2)}\n`)
const versions = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''))
  .sort()
writeFileSync(
  join(folder, 'frozen.ts'),
  `import { createRequire } from 'node:module'
import type { PolicyTables } from '../tables.ts'

/**
 * Versions whose tables are kept, this one among them. Written by \`freeze-policy.ts\`; nothing here is ever changed. A file whose decisions have
 * all expired may be removed.
 */
export const FROZEN_VERSIONS: readonly string[] = [
${versions.map((version) => `  '${version}',`).join('\n')}
]

// Loaded when a decision of a version is made again: together they are larger than all other tables.
const require = createRequire(import.meta.url)

/** Tables of a version; null: they are not kept. */
export const frozenTables = (version: string): PolicyTables | null =>
  // JSON has no literal types; the digest of each file is tested.
  FROZEN_VERSIONS.includes(version) ? (require(\`./\${version}.json\`) as PolicyTables) : null
`,
)
console.log(`Froze ${CURRENT_POLICY}.`)
