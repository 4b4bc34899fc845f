import { randomInt } from 'node:crypto'
import type { Socket as Datagrams } from 'node:dgram'
import { Fault, faultOf } from './fault.ts'
import type { Network, SocketEndpoint } from './safe-connect.ts'

/** Reads a message from the server: null when it is no answer to the query. A throw ends the query. */
type Receive<Answer> = (message: Buffer) => Answer | null

/** Queries over UDP, of which those that overlap share sockets. */
export type DnsSockets = {
  /** Sends `query` under an id of its own, which is written into it. Throws a `Fault`, also when the signal aborts first. */
  readonly exchange: <Answer>(
    server: SocketEndpoint,
    query: Buffer,
    receive: Receive<Answer>,
    signal: AbortSignal,
  ) => Promise<Answer>
}

/** A socket, and what waits for answers over it, by the id of the query. */
type Port = {
  readonly socket: Promise<Datagrams>
  readonly waiting: Map<number, { readonly onMessage: (message: Buffer) => void; readonly onError: (error: unknown) => void }>
  /** Queries sent or about to be. */
  queries: number
}

/**
 * Queries over one local port: a socket each took half of the time of a query. Their answers need
 * its random number, the query's random id and its question; a port is open only while a query
 * waits, and at most for so many, so that searching for it does not pay (RFC 5452 §9).
 */
const MAX_QUERIES_PER_PORT = 32
const IDS = 0x1_0000

export function dnsSockets(network: Pick<Network, 'resolverDatagrams'>): DnsSockets {
  /** The port of each server that takes further queries. */
  const current = new Map<SocketEndpoint, Port>()

  return {
    async exchange<Answer>(
      server: SocketEndpoint,
      query: Buffer,
      receive: Receive<Answer>,
      signal: AbortSignal,
    ): Promise<Answer> {
      const port = current.get(server) ?? openPort(server)
      port.queries += 1
      if (port.queries >= MAX_QUERIES_PER_PORT) retire(server, port)
      const id = unusedId(port)
      const { promise, resolve, reject } = Promise.withResolvers<Answer>()
      const onAbort = () => reject(new Fault('timeout', 'no DNS answer in time'))
      port.waiting.set(id, {
        onMessage(message) {
          try {
            const answer = receive(message)
            // Ignore packets of other senders and keep listening.
            if (answer !== null) resolve(answer)
          } catch (error) {
            reject(error)
          }
        },
        onError: reject,
      })
      if (signal.aborted) onAbort()
      signal.addEventListener('abort', onAbort, { once: true })
      port.socket.then(
        (socket) => {
          if (!port.waiting.has(id)) return
          query.writeUInt16BE(id, 0)
          socket.send(query, (error) => error && reject(faultOf(error)))
        },
        // `openPort` tells all that wait.
        () => {},
      )
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', onAbort)
        port.waiting.delete(id)
        if (port.waiting.size === 0) close(server, port)
      }
    },
  }

  function openPort(server: SocketEndpoint): Port {
    const port: Port = { socket: network.resolverDatagrams(server), waiting: new Map(), queries: 0 }
    current.set(server, port)
    const onError = (error: unknown) => {
      retire(server, port)
      for (const { onError } of port.waiting.values()) onError(faultOf(error))
    }
    port.socket.then((socket) => {
      socket.on('error', onError)
      socket.on('message', (message) => {
        if (message.length >= 2) port.waiting.get(message.readUInt16BE(0))?.onMessage(message)
      })
    }, onError)
    return port
  }

  /** Takes no further queries. */
  function retire(server: SocketEndpoint, port: Port): void {
    if (current.get(server) === port) current.delete(server)
  }

  function close(server: SocketEndpoint, port: Port): void {
    retire(server, port)
    port.socket.then(
      (socket) => socket.close(),
      () => {},
    )
  }
}

function unusedId({ waiting }: Port): number {
  for (;;) {
    const id = randomInt(IDS)
    if (!waiting.has(id)) return id
  }
}
