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
  `import type { PolicyTables } from '../tables.ts'
${versions.map((version) => `import ${version} from './${version}.json' with { type: 'json' }`).join('\n')}

/**
 * Tables of this and earlier versions, by version. Written by \`freeze-policy.ts\`; nothing here is ever changed. A file whose decisions have all
 * expired may be removed.
 */
export const FROZEN: Readonly<Record<string, PolicyTables>> = {
  // JSON has no literal types; the digest of each file is tested.
${versions.map((version) => `  ${version}: ${version} as unknown as PolicyTables,`).join('\n')}
}
`,
)
console.log(`Froze ${CURRENT_POLICY}.`)
