import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket as Tcp } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { WebSocket } from 'ws'
import { acknowledged, type Data, type Socket } from '../support/transports.ts'
import type { Sent } from './operations.ts'

/** A hang fails; anything shorter is measured, and not judged. */
export const TIMEOUT_MS = 15_000

/** What an HTTP request came to; `body` is parsed where it is JSON. */
export type Answer = { readonly status: number; readonly body: Data; readonly text: string }

/** The server that is abused: a process of its own. */
export type Target = {
  readonly port: number
  readonly post: (sent: Sent, headers?: Record<string, string>) => Promise<Answer>
  readonly get: (search: string, headers?: Record<string, string>) => Promise<Answer>
  readonly socket: (connectionParams?: object) => Promise<Socket>
  /** A WebSocket that has said nothing. */
  readonly openSocket: (protocol?: string | string[]) => WebSocket
  /**
   * Sends bytes as they are; resolves with all that comes back when the server ends the connection.
   */
  readonly raw: (write: (socket: Tcp) => unknown) => Promise<string>
  /** Bytes that the process holds after a collection. */
  readonly memory: () => Promise<number>
  readonly isAlive: () => boolean
  readonly stop: () => Promise<void>
}

export const textOf = (sent: Sent): string => ('text' in sent ? sent.text : JSON.stringify(sent))

export async function startTarget(): Promise<Target> {
  const child: ChildProcess = spawn(process.execPath, ['--expose-gc', join(import.meta.dirname, 'server.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (!child.stdout) throw new Error('Expected the output of the server.')
  const [line] = await once(createInterface(child.stdout), 'line')
  const port = Number(line)
  const base = `http://127.0.0.1:${port}`
  const opened: WebSocket[] = []

  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(base + path, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
    const text = await answer.text()
    return { status: answer.status, text, body: parsed(text) }
  }
  const openSocket = (protocol: string | string[] = 'graphql-transport-ws') => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, protocol)
    // Bytes that break the protocol end in an error here as well.
    socket.on('error', () => {})
    opened.push(socket)
    return socket
  }

  return {
    port,
    post: (sent, headers = {}) =>
      ask('/graphql', { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: textOf(sent) }),
    get: (search, headers = {}) => ask(`/graphql${search}`, { headers: { 'apollo-require-preflight': '1', ...headers } }),
    socket: (connectionParams) => acknowledged(openSocket(), connectionParams),
    openSocket,
    raw: (write) =>
      new Promise((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => write(socket))
        const late = setTimeout(
          () => reject(new Error(`no end within ${TIMEOUT_MS} ms, got: ${answer.slice(0, 200)}`)),
          TIMEOUT_MS,
        )
        let answer = ''
        socket.setEncoding('latin1')
        socket.on('data', (chunk) => {
          answer += chunk
        })
        // A server that has refused need not read the rest.
        socket.on('error', () => {})
        socket.on('close', () => {
          clearTimeout(late)
          resolve(answer)
        })
      }),
    memory: async () => (await ask('/memory', {})).body.bytes,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      for (const socket of opened) socket.terminate()
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function parsed(text: string): Data {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
