import type { Duplex } from 'node:stream'
import { type LinkMessage, type Outgoing, outgoing, readMessages, writeMessage } from './messages.ts'
import { createRecordOpener, createRecordSealer } from './records.ts'

/** A record is sent before it becomes larger, unless one message alone is. */
const RECORD_BYTES = 64_000

/** How long a closed connection may take to send what is left. */
const CLOSE_TIMEOUT_MS = 1_000

/** Keys of the two directions of one connection. */
export type ChannelKeys = { readonly seal: Buffer; readonly open: Buffer }

/** One end of an authenticated connection that carries messages. */
export type Channel = {
  /** Sends a message, together with others of the same turn of the event loop. */
  readonly send: (kind: number, id: number, head?: string, body?: string) => void
  /** Sends a message and what is pending now, not at the end of the turn. */
  readonly sendNow: (kind: number) => void
  /** Sends what is left, and closes the connection. */
  readonly end: () => void
  readonly destroy: () => void
}

/**
 * Takes over a socket. `onMessage` may throw: whatever is not a valid message of the other end
 * closes the connection. `onClose` is called once.
 */
export function openChannel(
  socket: Duplex,
  { seal, open }: ChannelKeys,
  {
    maxBytes,
    waits,
    onMessage,
    onClose,
  }: {
    /** Of one record that is received. */
    readonly maxBytes: number
    /**
     * Reads nothing while the other end does not read, so that answers do not pile up. Of one end
     * only: two would wait for each other for ever.
     */
    readonly waits: boolean
    readonly onMessage: (message: LinkMessage) => void
    readonly onClose: (cause: Error) => void
  },
): Channel {
  const sealed = createRecordSealer(seal)
  const opened = createRecordOpener(open, maxBytes, (payload) => readMessages(payload, onMessage))
  let pending: Outgoing[] = []
  let size = 0
  let fault: Error = closed()

  socket.on('error', (error) => (fault = error))
  socket.once('close', () => onClose(fault))
  if (waits) socket.on('drain', () => socket.resume())
  socket.once('end', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    try {
      opened(chunk)
    } catch (error) {
      socket.destroy(error instanceof Error ? error : closed())
    }
  })

  return {
    send,
    sendNow(kind) {
      send(kind, 0)
      flush()
    },
    end() {
      flush()
      socket.end(() => socket.destroy())
      setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS).unref()
    },
    destroy: () => socket.destroy(),
  }

  function send(kind: number, id: number, head?: string, body?: string): void {
    if (socket.destroyed) return
    const message = outgoing(kind, id, head, body)
    if (size > 0 && size + message.size > RECORD_BYTES) flush()
    if (size === 0) setImmediate(flush)
    pending.push(message)
    size += message.size
  }

  function flush(): void {
    if (size === 0 || socket.destroyed || socket.writableEnded) return
    const messages = pending
    const record = sealed(size, (bytes, offset) => {
      let at = offset
      for (const message of messages) at = writeMessage(bytes, at, message)
    })
    pending = []
    size = 0
    if (!socket.write(record) && waits) socket.pause()
  }
}

/** That of a connection that was reset: a query without an answer may be sent again. */
const CLOSED = 'ECONNRESET'
const closed = (): Error => Object.assign(new Error('The connection to the subgraph was closed.'), { code: CLOSED })
