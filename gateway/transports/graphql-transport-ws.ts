import { CloseCode, MessageType, parseMessage, type SubscribePayload } from 'graphql-ws'

/** An operation started over a socket. */
export type SocketOperation = {
  /** Stops it at once; nothing more is sent for it. */
  readonly stop: () => void
}

/** Interface of the protocol: a socket, and a handler of operations. */
type Endpoint<Operation extends SocketOperation> = {
  /** Sends a complete message. */
  readonly send: (text: string) => void
  readonly close: (code: number, reason: string) => void
  /** Called once, with the payload of `connection_init` if any. */
  readonly onInit: (payload: Readonly<Record<string, unknown>>) => void
  /**
   * Starts an operation, which calls `ended` with its id; null when it was refused and an error
   * sent.
   */
  readonly onSubscribe: (id: string, payload: SubscribePayload) => Operation | null
}

/** Protocol state of one socket. */
export type ProtocolConnection<Operation> = {
  readonly onMessage: (text: string) => void
  /** Called when the socket is closed; stops all operations. */
  readonly onClose: () => void
  /**
   * Called when an operation has ended, which frees its id. False when the client has already
   * completed it.
   */
  readonly ended: (id: string, operation: Operation) => boolean
}

/**
 * Upper bound of a close reason: a control frame has at most 125 bytes, two of which are the code
 * (RFC 6455 §5.5); a character has up to three bytes.
 */
const MAX_REASON_CHARACTERS = 40

/**
 * Server side of graphql-transport-ws for one socket. Replaces the server of `graphql-ws`, which
 * keeps 3 kB per operation (parsed message, closures, iterator, promises), where an id suffices
 * (docs/decisions.md, 107); its message validation is still used.
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

/** Adds an empty `query`, which the protocol requires, to messages with a persisted document. */
function withQuery(text: string): string {
  if (text.includes('"query"') || !(text.includes('"persistedQuery"') || text.includes('"documentId"'))) return text
  try {
    const { payload, ...message } = JSON.parse(text)
    return JSON.stringify({ ...message, payload: { query: '', ...payload } })
  } catch {
    return text
  }
}
