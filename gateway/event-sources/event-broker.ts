import type { Logger } from 'pino'

/** Upper bound of a message. */
const MAX_MESSAGE_CHARACTERS = 1_000_000

/** Receives messages of one channel. */
export type ChannelListener = {
  /**
   * Called with the same frozen event for all listeners; `undefined` for a message that is not a
   * JSON object. `characters`: length of the message.
   */
  readonly onEvent: (event: unknown, characters: number) => void
  /** The broker was disconnected for too long; no more events follow. */
  readonly onGone: () => void
  /** The broker was disconnected, and messages may be lost. */
  readonly onReconnected?: () => void
}

/** A message broker with one connection, which is re-established when lost. */
export type EventBroker = {
  /** Subscribes to a channel; returns the unsubscribe function. Rejects while disconnected. */
  readonly listen: (channel: string, listener: ChannelListener) => Promise<() => void>
  readonly close: () => Promise<void>
}

/** Broker-specific client that `eventBroker` uses. */
export type BrokerClient = {
  /**
   * Rejects when it cannot subscribe. Subscriptions survive reconnection. `onGone`: the channel no
   * longer exists.
   */
  readonly subscribe: (channel: string, onMessage: (text: string) => void, onGone: () => void) => Promise<() => void>
  readonly close: () => Promise<void>
}

/**
 * Shares one broker subscription among all listeners of a channel. After a lost connection they
 * continue, without the messages in between; after `reconnectMs` without connection they get
 * `onGone`.
 */
export async function eventBroker({
  name,
  connect,
  reconnectMs,
  log,
}: {
  /** Name in logs. */
  readonly name: string
  /** Creates the client, connected or not, and reports when the connection is lost or restored. */
  readonly connect: (onConnection: (isConnected: boolean) => void) => Promise<BrokerClient>
  readonly reconnectMs: number
  readonly log: Logger
}): Promise<EventBroker> {
  type Channel = { readonly listeners: Set<ChannelListener>; readonly stop: Promise<() => void> }
  const channels = new Map<string, Channel>()
  let giveUp: NodeJS.Timeout | null = null
  let isClosed = false
  const client = await connect(onConnection)

  return {
    async listen(channel, listener) {
      const shared = channels.get(channel) ?? open(channel)
      shared.listeners.add(listener)
      try {
        await shared.stop
      } catch (error) {
        shared.listeners.delete(listener)
        throw error
      }
      return () => {
        if (!shared.listeners.delete(listener) || shared.listeners.size > 0) return
        forget(channel, shared)
      }
    },
    async close() {
      isClosed = true
      if (giveUp) clearTimeout(giveUp)
      await client.close()
    },
  }

  function open(channel: string): Channel {
    const listeners = new Set<ChannelListener>()
    const onMessage = (text: string) => {
      const event = eventIn(text)
      for (const { onEvent } of [...listeners]) onEvent(event, text.length)
    }
    const stop = client.subscribe(channel, onMessage, () => end(channel, shared))
    const shared: Channel = { listeners, stop }
    channels.set(channel, shared)
    stop.catch(() => {
      if (channels.get(channel) === shared) channels.delete(channel)
    })
    return shared
  }

  function forget(channel: string, shared: Channel): void {
    if (channels.get(channel) === shared) channels.delete(channel)
    shared.stop.then(
      (stop) => stop(),
      () => {},
    )
  }

  function onConnection(isConnected: boolean): void {
    if (isClosed) return
    if (isConnected) {
      if (giveUp) log.info({ source: name }, 'a source of events is connected again')
      if (giveUp) {
        clearTimeout(giveUp)
        for (const { listeners } of channels.values()) for (const { onReconnected } of [...listeners]) onReconnected?.()
      }
      giveUp = null
    } else if (!giveUp) {
      log.warn({ source: name }, 'a source of events is not connected')
      giveUp = setTimeout(endAll, reconnectMs).unref()
    }
  }

  function endAll(): void {
    for (const [channel, shared] of channels) end(channel, shared)
  }

  function end(channel: string, shared: Channel): void {
    forget(channel, shared)
    for (const { onGone } of [...shared.listeners]) onGone()
  }
}

/** Parses a message; `undefined` when it is too long or not a JSON object. */
function eventIn(text: string): unknown {
  if (text.length > MAX_MESSAGE_CHARACTERS) return undefined
  try {
    const event: unknown = JSON.parse(text)
    return typeof event === 'object' && event !== null ? Object.freeze(event) : undefined
  } catch {
    return undefined
  }
}
