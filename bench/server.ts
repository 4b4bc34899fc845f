import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { freePort } from '../platform/http/listen.ts'

const ROOT = join(import.meta.dirname, '..')

/**
 * The flags that `npm start` gives to V8, for processes that are to be measured as it runs them.
 */
export const STARTED_WITH: readonly string[] =
  readFileSync(join(ROOT, 'cli/atrium.ts'), 'utf8').split('\n', 1)[0]?.match(/--\S+/g) ?? []

/** An Atrium that a measurement started: where it listens, its process, and how it ends. */
export type Started = { readonly base: string; readonly pid: number; readonly stop: () => Promise<void> }

/**
 * Starts Atrium as people do, in a temporary folder, and imports the files at `imports`. `settings`
 * are variables of its environment.
 */
export async function startAtrium({
  imports = [],
  settings = {},
}: {
  readonly imports?: readonly string[]
  readonly settings?: Readonly<Record<string, string>>
} = {}): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
  const port = await freePort('127.0.0.1')
  // The first line of the command finds Node on the path; this is the one that npx would put there.
  const PATH = `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`
  const env = { ...process.env, PATH, DATA_DIR: folder, PORT: String(port), HOST: '127.0.0.1', ...settings }
  const atrium = (...words: string[]) =>
    spawn(join(ROOT, 'cli/atrium.ts'), words, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const server = atrium('start')
  const stop = async () => {
    const gone = new Promise((resolve) => server.once('exit', resolve))
    if (server.exitCode === null && server.kill('SIGTERM')) await gone
    rmSync(folder, { recursive: true, force: true })
  }
  const base = `http://127.0.0.1:${port}`
  const text = async (path: string) => (await fetch(base + path)).text()
  try {
    for (let tries = 0; (await fetch(`${base}/ready`).catch(() => null))?.status !== 200; tries++) {
      if (tries > 100 || server.exitCode !== null) throw new Error('Expected Atrium to be ready within 20 seconds.')
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    if (imports.length > 0) {
      const before = await text('/api/stats')
      await finished(atrium('import', ...imports.map((path) => resolve(path))))
      // The server hears of the import a moment later.
      while ((await text('/api/stats')) === before) await new Promise((wait) => setTimeout(wait, 100))
    }
    if (server.pid === undefined) throw new Error('Expected Atrium to run.')
    return { base, pid: server.pid, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Resident memory of a process, in bytes; NaN where the system does not tell. */
export function residentBytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
  } catch {
    return Number.NaN
  }
}

/** Processor time that a process has used, in milliseconds; NaN where the system does not tell. */
export function processorMilliseconds(pid: number): number {
  try {
    // Behind the name in parentheses, the 12th and 13th field are user and system time in
    // hundredths of a second.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Number.NaN
  }
}

async function finished(child: ChildProcess): Promise<void> {
  const code = await new Promise((resolve) => child.once('exit', resolve))
  if (code !== 0) throw new Error(`Expected ${child.spawnargs.join(' ')} to succeed, got exit code ${code}.`)
}
