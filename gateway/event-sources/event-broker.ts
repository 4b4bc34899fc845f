import type { Logger } from 'pino'

/** Longest message that is read, in characters. */
const MAX_MESSAGE_CHARACTERS = 1_000_000

/** Receives what one channel sends. */
export type ChannelListener = {
  /** Every listener of a channel gets the same, frozen event; `undefined` for what is no JSON. */
  readonly onEvent: (event: unknown) => void
  /** The broker has been gone for too long; nothing follows. */
  readonly onGone: () => void
}

/** A broker of events, over one connection that is made anew when it is lost. */
export type EventBroker = {
  /** Listens to a channel; returns the end of it. Rejects while there is no connection. */
  readonly listen: (channel: string, listener: ChannelListener) => Promise<() => void>
  readonly close: () => Promise<void>
}

/** The client of a broker, as `eventBroker` needs it. */
export type BrokerClient = {
  /** Rejects when it cannot subscribe now. Reconnection keeps subscriptions. */
  readonly subscribe: (channel: string, onMessage: (text: string) => void) => Promise<() => void>
  readonly close: () => Promise<void>
}

/**
 * Shares one subscription of the broker among all listeners of a channel. After a lost connection
 * they go on with the next one, without the messages of the time between; after `reconnectMs` they
 * get `onGone`.
 */
export async function eventBroker({
  name,
  connect,
  reconnectMs,
  log,
}: {
  /** For the log. */
  readonly name: string
  /** Creates the client, connected or not, and says whenever its connection is lost or restored. */
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
    const stop = client.subscribe(channel, (text) => {
      const event = eventIn(text)
      for (const { onEvent } of [...listeners]) onEvent(event)
    })
    const shared = { listeners, stop }
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
      if (giveUp) clearTimeout(giveUp)
      giveUp = null
    } else if (!giveUp) {
      log.warn({ source: name }, 'a source of events is not connected')
      giveUp = setTimeout(endAll, reconnectMs).unref()
    }
  }

  function endAll(): void {
    for (const [channel, shared] of channels) {
      forget(channel, shared)
      for (const { onGone } of [...shared.listeners]) onGone()
    }
  }
}

/** The event in a message; `undefined` for what is no JSON object, and for too long a one. */
function eventIn(text: string): unknown {
  if (text.length > MAX_MESSAGE_CHARACTERS) return undefined
  try {
    const event: unknown = JSON.parse(text)
    return typeof event === 'object' && event !== null ? Object.freeze(event) : undefined
  } catch {
    return undefined
  }
}
