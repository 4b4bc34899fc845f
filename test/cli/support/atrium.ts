import type { Connection } from '../../../platform/database/database.ts'
import { type Ended, runAtrium } from '../../support/command-line.ts'
import { SECRETS_KEY, startMain } from '../../support/program.ts'

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
export function atrium(surroundings: Surroundings, ...words: string[]): Promise<Ended> {
  return runAtrium(words, environmentOf(surroundings))
}

/** A whole Atrium in a process of its own. */
export type Running = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts everything, and waits until it is ready. */
export async function startAtrium(surroundings: Surroundings): Promise<Running> {
  // Addresses in answers are then the same wherever it runs.
  const { base, kill } = await startMain({ ...environmentOf(surroundings), PUBLIC_URL: 'https://atrium.example' })
  return { url: base, stop: () => kill() }
}
