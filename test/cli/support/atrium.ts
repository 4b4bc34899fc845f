import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../gateway/listen.ts'
import type { Connection } from '../../../subgraphs/runtime/database.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** What a program of ours finds in its environment. */
export type Surroundings = { readonly connection: Connection; readonly filesDir: string }

const environmentOf = ({ connection, filesDir }: Surroundings) => ({
  ...process.env,
  DATABASE_URL: (connection as { connectionString: string }).connectionString,
  FILES_DIR: filesDir,
  LOG_LEVEL: 'silent',
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
  const port = await freePort('127.0.0.1')
  // Addresses in answers are then the same wherever it runs.
  const env = { ...environmentOf(surroundings), PORT: String(port), PUBLIC_URL: 'https://atrium.example' }
  const child = spawn(process.execPath, ['main.ts'], { cwd: ROOT, env, stdio: 'ignore' })
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const url = `http://127.0.0.1:${port}`
  while (!(await fetch(`${url}/ready`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`main.ts ended with ${child.exitCode}.`)
    await sleep(50)
  }
  return {
    url,
    stop() {
      child.kill('SIGTERM')
      return gone
    },
  }
}
