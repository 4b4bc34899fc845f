import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import dgram from 'node:dgram'
import { once } from 'node:events'
import net from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const ROOT = join(import.meta.dirname, '../..')
/**
 * What a process of ours starts cheaper with, and does nothing else differently: room for what its
 * modules make while they load, and code of the first of them that was compiled before. npm installs
 * no package as a link, and looking whether 1,900 files are links takes a tenth of the start.
 */
const NODE = [
  process.execPath,
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--preserve-symlinks',
  '--preserve-symlinks-main',
] as const
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
  command: (port: number) => Command | Promise<Command>,
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
 * and its port. `command` is how it is started. Lists of trust, which come from outside of the
 * machine and take as long as the rest of a start, are loaded where `env` names them.
 */
export async function startMain(
  env: NodeJS.ProcessEnv,
  [file, ...args]: readonly [string, ...string[]] = [...NODE, 'main.ts'],
): Promise<Program & { readonly base: string }> {
  const baseOf = (port: number) => `http://${HOST}:${port}`
  const program = await startProgram(
    (port) => [
      file,
      args,
      { cwd: ROOT, env: { TRUST_LISTS: 'none', ...COMPILED, ...neededBy(env), ...env, PORT: String(port) } },
    ],
    // Somebody else's Atrium on this port would answer, too.
    async ({ port, said }) => said().includes('Atrium is ready.') && (await fetch(`${baseOf(port)}/ready`)).ok,
  )
  return { ...program, base: baseOf(program.port) }
}

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
  [file, args, options]: Command,
  port: number,
  isReady: (program: Program) => Promise<boolean>,
  timeoutMs: number,
): Promise<Program> {
  const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  const closed = once(child, 'close').catch(() => {})
  const ended = once(child, 'exit').then(
    ([code, signal]) => `it ended with ${code ?? signal}`,
    (error: Error) => `it could not be started (${error.message})`,
  )
  const program: Program = {
    child,
    port,
    said: () => said,
    async kill(signal) {
      child.kill(signal)
      await ended
    },
  }

  const over = new AbortController()
  const late = sleep(timeoutMs, `it was not within ${Math.round(timeoutMs / 1000)} seconds`, { signal: over.signal })
  const ready = (async () => {
    while (!(await isReady(program).catch(() => false)) && !over.signal.aborted) await sleep(50)
    return null
  })()
  const fault = await Promise.race([ready, ended, late]).finally(() => over.abort())
  if (fault === null) return program

  await Promise.race([program.kill(), sleep(5_000)])
  await program.kill('SIGKILL')
  // Who it started may still hold its output open.
  await Promise.race([closed, sleep(1_000)])
  throw new Error(
    `Expected ${[file, ...args].join(' ')} to be ready on port ${port}, but ${fault}, and said:\n${said.slice(-MAX_LOG_LENGTH)}`,
  )
}
