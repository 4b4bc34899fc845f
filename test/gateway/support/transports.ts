import pino from 'pino'
import { WebSocket } from 'ws'
import type { Gateway } from '../../../gateway/gateway.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { serveWebSockets } from '../../../gateway/transports/websocket.ts'
import { createHttpServer } from '../../../platform/http/server.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
export type Data = any

/** A request body, or a message's payload. */
export type GraphQLBody = {
  readonly query?: unknown
  readonly variables?: unknown
  readonly operationName?: unknown
  readonly extensions?: unknown
}

/** A graph at all its doors, on a port of its own. */
export type Transports = {
  readonly base: string
  readonly port: number
  readonly post: (
    operation: GraphQLBody,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; headers: Headers; body: Data }>
  /** Opens a WebSocket and waits for the acknowledgement. */
  readonly socket: (connectionParams?: object) => Promise<Socket>
  readonly close: () => Promise<void>
}

/** A WebSocket that is acknowledged. */
export type Socket = {
  readonly socket: WebSocket
  /**
   * Asks one operation and waits until it is answered, refused or stopped: its messages without
   * ids. A closed socket counts as an answer.
   */
  readonly ask: (operation: GraphQLBody | { readonly text: string }) => Promise<readonly Data[]>
  /** The next message about `id`. */
  readonly next: (id: string) => Promise<Data>
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
}

export async function openTransports(gateway: Gateway): Promise<Transports> {
  const app = createHttpServer({ log: pino({ level: 'silent' }) })
  await serveGraphql(app, gateway)
  serveWebSockets(app, gateway)
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  const opened: WebSocket[] = []

  return {
    base,
    port: Number(new URL(base).port),
    async post(operation, headers = {}) {
      const answer = await fetch(`${base}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(operation),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, body: text === '' ? undefined : JSON.parse(text) }
    },
    async socket(connectionParams) {
      const socket = new WebSocket(`${base.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
      opened.push(socket)
      return acknowledged(socket, connectionParams)
    },
    async close() {
      for (const socket of opened) socket.terminate()
      await app.close()
    },
  }
}

/** Begins the protocol on a socket that is opening, and waits for the acknowledgement. */
export async function acknowledged(socket: WebSocket, connectionParams?: object): Promise<Socket> {
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  const waiting = new Map<string, (message: Data) => void>()
  const unread = new Map<string, Data[]>()
  socket.on('message', (bytes) => {
    const message = JSON.parse(String(bytes))
    const key = message.id ?? message.type
    const take = waiting.get(key)
    waiting.delete(key)
    if (take) take(message)
    else unread.set(key, [...(unread.get(key) ?? []), message])
  })
  const next = async (id: string): Promise<Data> => {
    const first = unread.get(id)?.shift()
    if (first) return first
    return Promise.race([
      new Promise((take) => waiting.set(id, take)),
      closed.then(({ code, reason }) => ({ type: 'closed', code, reason })),
    ])
  }
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.send(JSON.stringify({ type: 'connection_init', ...(connectionParams && { payload: connectionParams }) }))
  await next('connection_ack')

  let count = 0
  return {
    socket,
    next,
    closed,
    async ask(operation) {
      const id = `ask${++count}`
      const payload = 'text' in operation ? operation.text : JSON.stringify(operation)
      socket.send(`{"id":"${id}","type":"subscribe","payload":${payload}}`)
      const messages: Data[] = []
      while (messages.at(-1)?.type !== 'complete' && messages.at(-1)?.type !== 'error' && messages.at(-1)?.type !== 'closed') {
        const { id: _, ...message } = await next(id)
        messages.push(message)
      }
      return messages
    },
  }
}
