import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beginHosted, FLAGS, type HostedServer, isHostable, type Running } from './server-hosts.ts'

const ROOT = join(import.meta.dirname, '../..')
export const COMPILED: NodeJS.ProcessEnv = { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }
const HOST = '127.0.0.1'

/**
 * How often a program is begun, and for how long in all: below the 120 seconds that a hook has, so
 * that it is told why. Milliseconds.
 */
const TRIES = 3
const LIMIT = 100_000
/** Of what a program wrote, as much of its end is told. */
const MAX_LOG_LENGTH = 4_000

/**
 * Ports below those that Linux gives to outgoing connections and to who asks for any (from 32,768
 * on), and above those of clusters of tests: between the look at one and the start of the program
 * nobody gets it by chance.
 */
const [FIRST, LAST] = [20_000, 29_999]

export type Command = readonly [
  file: string,
  args: readonly string[],
  options?: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv },
]

/** What a program is begun by: a command, or a server of ours in a process that has loaded it. */
type Begin = Command | HostedServer

/** A program that a test started, of ours or of others. */
export type Program = {
  readonly child: ChildProcess
  readonly port: number
  /** All that it has written to standard output and standard error. */
  readonly said: () => string
  /** Resolves when it has ended. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<void>
}

/**
 * Begins `command` on a port that nobody uses, and resolves when `isReady` does with true. Where it
 * ends before, or needs more than `patience` milliseconds, another port is tried, for somebody may
 * have been quicker; the last failure rejects with what the program wrote. With `port` it is always
 * that one.
 */
export async function startProgram(
  command: (port: number) => Begin | Promise<Begin>,
  isReady: (program: Program) => Promise<boolean>,
  { port, timeoutMs = LIMIT }: { readonly port?: number; readonly timeoutMs?: number } = {},
): Promise<Program> {
  const end = performance.now() + LIMIT
  for (let tries = 1; ; tries++) {
    const at = port ?? (await unusedPort())
    try {
      return await attempt(await command(at), at, isReady, Math.min(timeoutMs, end - performance.now()))
    } catch (error) {
      if (tries === TRIES || performance.now() >= end) throw error
    }
  }
}

/**
 * Atrium, or the part of it that ATRIUM_ROLE names, with nothing else in its environment than `env`
 * and its port, in a process that has loaded it for another test where there is one; with `command`
 * it is started by that, in a new process. Lists of trust, which come from outside of the machine
 * and take as long as the rest of a start, are loaded where `env` names them.
 */
export async function startMain(
  env: NodeJS.ProcessEnv,
  command?: readonly [string, ...string[]],
): Promise<Program & { readonly base: string }> {
  const baseOf = (port: number) => `http://${HOST}:${port}`
  const [file, ...args] = command ?? [process.execPath, ...FLAGS, 'main.ts']
  const program = await startProgram(
    (port) => {
      const own = { TRUST_LISTS: 'none', ...COMPILED, ...neededBy(env), ...env, PORT: String(port) }
      return command === undefined && isHostable(own)
        ? { module: 'composition/serve.ts', args: [], env: definedOf(own) }
        : [file, args, { cwd: ROOT, env: own }]
    },
    // Somebody else's Atrium on this port would answer, too.
    async ({ port, said }) => said().includes('Atrium is ready.') && (await fetch(`${baseOf(port)}/ready`)).ok,
  )
  return { ...program, base: baseOf(program.port) }
}

const definedOf = (env: NodeJS.ProcessEnv): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))

/** What processes of tests encrypt stored secrets with. */
export const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')

/** What others reach does not start without a key for stored secrets. */
const neededBy = ({ HOST, PUBLIC_URL }: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  HOST === undefined && PUBLIC_URL === undefined ? {} : { SECRETS_KEY }

/** A port of TCP and UDP alike that nobody uses, and that nobody is given who asks for any. */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, LAST + 1)
    const [tcp, udp] = [net.createServer(), dgram.createSocket('udp4')]
    try {
      await once(tcp.listen(port, HOST), 'listening')
      await once(udp.bind(port, HOST), 'listening')
      return port
    } catch {
      // Somebody has it.
    } finally {
      await Promise.all([tcp, udp].map((socket) => new Promise<void>((closed) => socket.close(() => closed()))))
    }
  }
}

/** One program, begun once. */
async function attempt(
  begin: Begin,
  port: number,
  isReady: (program: Program) => Promise<boolean>,
  timeoutMs: number,
): Promise<Program> {
  const isHosted = 'module' in begin
  const running = isHosted ? beginHosted(begin) : spawned(begin)
  const { child, said, ended } = running
  let hasEnded = false
  const fate = ended.then(
    (status) => {
      hasEnded = true
      return `it ended with ${status}`
    },
    (error: Error) => {
      hasEnded = true
      return `it could not be started (${error.message})`
    },
  )
  const program: Program = {
    child,
    port,
    said,
    async kill(signal) {
      // Its process may be another server's by now.
      if (!hasEnded) running.kill(signal)
      await fate
    },
  }

  const over = new AbortController()
  const late = sleep(timeoutMs, `it was not within ${Math.round(timeoutMs / 1000)} seconds`, { signal: over.signal })
  const ready = (async () => {
    while (!(await isReady(program).catch(() => false)) && !over.signal.aborted) await sleep(50)
    return null
  })()
  const fault = await Promise.race([ready, fate, late]).finally(() => over.abort())
  if (fault === null) return program

  await Promise.race([program.kill(), sleep(5_000)])
  await program.kill('SIGKILL')
  // Who it started may still hold its output open.
  await Promise.race(['closed' in running ? running.closed : null, sleep(1_000)])
  const name = isHosted ? begin.module : [begin[0], ...begin[1]].join(' ')
  throw new Error(`Expected ${name} to be ready on port ${port}, but ${fault}, and said:\n${said().slice(-MAX_LOG_LENGTH)}`)
}

/** `closed` resolves when nobody can write any more. */
function spawned([file, args, options]: Command): Running & { readonly closed: Promise<unknown> } {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const [out, err] = [child.stdout, child.stderr].map((stream) => {
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      said += chunk
    })
    return () => text
  }) as [() => string, () => string]
  const closed = once(child, 'close').catch(() => {})
  return {
    child,
    said: () => said,
    out,
    err,
    ended: once(child, 'exit').then(([code, signal]) => code ?? signal),
    kill: (signal) => child.kill(signal),
    closed,
  }
}
