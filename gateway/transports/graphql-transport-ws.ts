import { CloseCode, MessageType, parseMessage, type SubscribePayload } from 'graphql-ws'

/** An operation that a client began over a socket. */
export type SocketOperation = {
  /** Ends it at once; nothing is sent about it any more. */
  readonly stop: () => void
}

/** What the protocol needs: a socket, and a handler of operations. */
type Endpoint<Operation extends SocketOperation> = {
  /** Sends a whole message. */
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Called once, with the payload of `connection_init` where there is one. */
  readonly onInit: (payload: Readonly<Record<string, unknown>>) => void
  /**
   * Begins an operation, which calls `ended` with its id; null when it was refused and the error
   * was sent.
   */
  readonly onSubscribe: (id: string, payload: SubscribePayload) => Operation | null
}

/** One socket of the protocol. */
export type ProtocolConnection<Operation> = {
  readonly onMessage: (text: string) => void
  /** The socket is closed: all operations are stopped. */
  readonly onClose: () => void
  /**
   * An operation came to its end by itself: its id is free again. False when the client knows of
   * its end already.
   */
  readonly ended: (id: string, operation: Operation) => boolean
}

/** RFC 6455 §5.5: a control frame has at most 125 bytes, of which the code is two. */
const MAX_REASON_CHARACTERS = 40

/**
 * The server's side of graphql-transport-ws for one socket. `graphql-ws` checks the form of
 * messages, and nothing more: what its server keeps for each operation (a parsed message, closures,
 * an iterator and their promises) is 3 kB, of which only the id is needed (docs/decisions.md, 107).
 */
export function protocolConnection<Operation extends SocketOperation>(
  { send, close, onInit, onSubscribe }: Endpoint<Operation>,
  initMilliseconds: number,
): ProtocolConnection<Operation> {
  const operations = new Map<string, Operation>()
  let isInitialised = false
  let timer: NodeJS.Timeout | null = setTimeout(
    () => close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout'),
    initMilliseconds,
  )

  return {
    onMessage(text) {
      let message: ReturnType<typeof parseMessage>
      try {
        message = parseMessage(withQuery(text))
      } catch {
        return close(CloseCode.BadRequest, 'Invalid message received')
      }
      switch (message.type) {
        case MessageType.ConnectionInit:
          if (isInitialised) return close(CloseCode.TooManyInitialisationRequests, 'Too many initialisation requests')
          isInitialised = true
          stopTimer()
          onInit(message.payload ?? {})
          return send(ACKNOWLEDGED)
        case MessageType.Ping:
          return send(JSON.stringify({ type: MessageType.Pong, ...(message.payload && { payload: message.payload }) }))
        case MessageType.Pong:
          return
        case MessageType.Subscribe:
          return subscribe(message.id, message.payload)
        case MessageType.Complete:
          return complete(message.id)
        default:
          return close(CloseCode.BadRequest, `Unexpected message of type ${message.type} received`)
      }
    },
    onClose() {
      stopTimer()
      const stopped = [...operations.values()]
      operations.clear()
      for (const operation of stopped) operation.stop()
    },
    ended: (id, operation) => operations.get(id) === operation && operations.delete(id),
  }

  function subscribe(id: string, payload: SubscribePayload): void {
    if (!isInitialised) {
      close(CloseCode.Unauthorized, 'Unauthorized')
      return
    }
    if (operations.has(id)) {
      const shown = id.slice(0, MAX_REASON_CHARACTERS).toWellFormed()
      close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${shown} already exists`)
      return
    }
    const operation = onSubscribe(id, payload)
    if (operation) operations.set(id, operation)
  }

  function complete(id: string): void {
    const operation = operations.get(id)
    operations.delete(id)
    operation?.stop()
  }

  function stopTimer(): void {
    if (timer) clearTimeout(timer)
    timer = null
  }
}

const ACKNOWLEDGED = JSON.stringify({ type: MessageType.ConnectionAck })

/**
 * The protocol wants a `query` in every message; clients that name a persisted document leave it
 * out, as over HTTP.
 */
function withQuery(text: string): string {
  if (text.includes('"query"') || !(text.includes('"persistedQuery"') || text.includes('"documentId"'))) return text
  try {
    const { payload, ...message } = JSON.parse(text)
    return JSON.stringify({ ...message, payload: { query: '', ...payload } })
  } catch {
    return text
  }
}
