import { execFileSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'

/** Data models with the tables of the outbox, of which each has a copy. */
const OUTBOX_COPIES = ['social', 'store', 'trust'] as const

/** Folder of each generated `tables.ts`, by its data model. */
const OUTPUTS = {
  outbox: 'platform/events',
  directory: 'subgraphs/directory',
  gateway: 'composition/usage',
  social: 'subgraphs/social',
  store: 'subgraphs/store',
  trust: 'subgraphs/trust',
} as const

/**
 * Writes the table types of all data models below `root`, with Prisma's CLI and prisma-kysely.
 * Returns the files. Throws with Prisma's message for a bad data model.
 */
export function generateTableTypes(root: string): readonly string[] {
  for (const name of OUTBOX_COPIES)
    copyFileSync(join(root, 'prisma/outbox/outbox.prisma'), join(root, 'prisma', name, 'outbox.prisma'))
  const files = Object.values(OUTPUTS).map((folder) => `${folder}/tables.ts`)
  for (const name of Object.keys(OUTPUTS)) run(root, 'prisma', ['generate', '--config', `prisma/${name}/prisma.config.ts`])
  run(root, 'biome', ['check', '--write', ...files])
  return files
}

function run(root: string, command: string, args: readonly string[]): void {
  const env = {
    ...process.env,
    // Generating needs no schema engine; without this the CLI would download one.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  }
  execFileSync(join(root, 'node_modules/.bin', command), args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] })
}
