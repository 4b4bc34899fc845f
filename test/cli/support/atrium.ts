import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Connection } from '../../../platform/database/database.ts'
import { SECRETS_KEY, startMain } from '../../support/program.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** What a program of ours finds in its environment. */
export type Surroundings = { readonly connection: Connection; readonly filesDir: string }

const environmentOf = ({ connection, filesDir }: Surroundings) => ({
  ...process.env,
  DATABASE_URL: (connection as { connectionString: string }).connectionString,
  FILES_DIR: filesDir,
  LOG_LEVEL: 'silent',
  // What others reach does not start without.
  SECRETS_KEY,
})

/** Runs `npx atrium …` to its end. */
export async function atrium(surroundings: Surroundings, ...words: string[]) {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn(process.execPath, ['cli/atrium.ts', ...words], {
    cwd: ROOT,
    env: environmentOf(surroundings),
    stdio: [...stdio],
  })
  const [out, err, code] = await Promise.all([
    text(child.stdout as NonNullable<ChildProcess['stdout']>),
    text(child.stderr as NonNullable<ChildProcess['stderr']>),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { out, err, code }
}

/** A whole Atrium in a process of its own. */
export type Running = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts everything, and waits until it is ready. */
export async function startAtrium(surroundings: Surroundings): Promise<Running> {
  // Addresses in answers are then the same wherever it runs.
  const { base, kill } = await startMain({ ...environmentOf(surroundings), PUBLIC_URL: 'https://atrium.example' })
  return { url: base, stop: () => kill() }
}
