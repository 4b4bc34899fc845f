import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ServerTask } from './server-host.ts'

const ROOT = join(import.meta.dirname, '../..')
/**
 * What a process of ours starts cheaper with, and does nothing else differently: room for what its
 * modules make while they load, and code of the first of them that was compiled before. npm installs
 * no package as a link, and looking whether 1,900 files are links takes a tenth of the start.
 */
export const FLAGS = [
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
  '--preserve-symlinks',
  '--preserve-symlinks-main',
] as const
/** Processes kept without a server: most files need one, and some a second beside it. */
const MAX_IDLE = 2
/** Of the line at the end of a server. */
const MAX_MARK_LENGTH = 100

/** A server to run: a module that starts one when it is imported. */
export type HostedServer = Omit<ServerTask, 'mark'>

/** What runs, until it has ended. */
export type Running = {
  readonly child: ChildProcess
  /** All that it has written, in its order. */
  readonly said: () => string
  /** What of it went to standard output. */
  readonly out: () => string
  /** What of it went to standard error. */
  readonly err: () => string
  /** Resolves with its exit status, or with the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>
  /**
   * Sends it a signal: SIGTERM when absent. After a second one its process serves no other, which
   * that might reach.
   */
  readonly kill: (signal?: NodeJS.Signals) => void
}

/** Its output, and the process. */
type Host = { readonly child: ChildProcess; readonly streams: readonly (Readable & Socket)[] }

/** Without a server now. */
const idle: Host[] = []

/** Variables that Node reads when it starts, and not those of a program. */
const OF_NODE = /^(NODE_(?!ENV$|COMPILE_CACHE$)|TZ$|UV_|LD_|SSL_)/

/** Whether a process that runs already can serve with this environment. */
export const isHostable = (env: NodeJS.ProcessEnv): boolean =>
  Object.keys(env).every((name) => !OF_NODE.test(name) || env[name] === process.env[name])

/**
 * Starts a server in a process that served nothing or another one before: no two that run at the
 * same time share one.
 */
export function beginHosted({ module, args, env }: HostedServer): Running {
  const host = idle.pop() ?? startHost()
  const { child, streams } = host
  const mark = `end of ${randomUUID()} `
  const end = new RegExp(`${mark}(\\d+)\\n`)
  const texts = streams.map((): string[] => [])
  const said: string[] = []
  let signals = 0
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    const open = new Set(streams)
    const readers = streams.map((stream, at) => {
      let behind = ''
      const read = (chunk: string) => {
        texts[at]?.push(chunk)
        said.push(chunk)
        // Only what is new is looked at: a server under load writes megabytes.
        const text = behind + chunk
        behind = text.slice(-MAX_MARK_LENGTH)
        const found = end.exec(text)
        if (found === null) return
        open.delete(stream)
        // Of both, so that the next server is not thought to have written what this one did.
        if (open.size === 0) settle(Number(found[1]))
      }
      stream.on('data', read)
      return () => stream.off('data', read)
    })
    const exited = (code: number | null, signal: NodeJS.Signals | null) => settle(code ?? signal)
    child.once('exit', exited)
    const settle = (status: number | NodeJS.Signals | null) => {
      for (const stop of readers) stop()
      child.off('exit', exited)
      if (child.exitCode === null && child.signalCode === null) {
        if (signals > 1 || isCutShort(status)) child.kill('SIGKILL')
        else release(host)
      }
      resolve(status)
    }
  })
  // A failed message is told by the end of the process.
  child.send({ module, args, env, mark } satisfies ServerTask, () => {})
  const textOf = (chunks: string[]) => () => {
    chunks.splice(0, chunks.length, chunks.join(''))
    return chunks[0]?.replaceAll(new RegExp(end, 'g'), '') ?? ''
  }
  const [out, err] = texts.map(textOf) as [() => string, () => string]
  const kill = (signal?: NodeJS.Signals) => {
    signals += 1
    child.kill(signal)
  }
  return { child, said: textOf(said), out, err, ended, kill }
}

/**
 * Whether a server ended while it was still closing its parts, by a second signal: what is left of
 * that would end the next server of its process.
 */
const isCutShort = (status: number | NodeJS.Signals | null): boolean => typeof status === 'number' && status >= 128

function startHost(): Host {
  const child = spawn(process.execPath, [...FLAGS, 'test/support/server-host.ts'], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  // It ends with this process, which does not wait for it: pipes to a child are sockets.
  const streams = [child.stdout, child.stderr] as (Readable & Socket)[]
  for (const stream of streams) stream.setEncoding('utf8').unref()
  child.unref()
  child.channel?.unref()
  const host = { child, streams }
  child.once('exit', () => {
    if (idle.includes(host)) idle.splice(idle.indexOf(host), 1)
  })
  return host
}

function release(host: Host): void {
  if (idle.length < MAX_IDLE) idle.push(host)
  else host.child.kill('SIGKILL')
}
