import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import type { SessionKey, Sign } from '../signed-link/signature.ts'
import type { ChannelKeys } from './channel.ts'
import {
  type Exchanged,
  type GatewayConnection,
  gatewayConnection,
  MAX_UNANSWERED,
  type MultiplexedRequest,
} from './gateway-connection.ts'
import { isNonce, keysOf, LINK_PATH, NONCE_HEADER, newNonce, PROTOCOL } from './handshake.ts'

/** Connections to one subgraph: a balancer spreads them over its copies. */
const CONNECTIONS = 4
/** As for HTTP: one lost packet and another one. */
const CONNECT_TIMEOUT_MS = 2_000
/** Until the next attempt, doubled up to the longest. Meanwhile requests go over HTTP. */
const [FIRST_DELAY_MS, MAX_DELAY_MS] = [500, 30_000]
const CHECK_INTERVAL_MS = 1_000

/** Connections to one subgraph of this installation. */
type MultiplexedLink = {
  /**
   * Sends a request and resolves like `postRequest`; null while there is no connection with room
   * for it: then it has to go over HTTP.
   */
  readonly exchange: (request: MultiplexedRequest) => Promise<Exchanged> | null
  readonly close: () => void
}

/** Where a link leads, and how it proves to be a gateway of the installation. */
type LinkTarget = { readonly origin: string; readonly sign: Sign; readonly sessionKey: SessionKey }

/**
 * Connects in the background as requests come, and again when connections end. A subgraph that does
 * not know the protocol, or a proxy that does not let it through, is asked again every half minute.
 */
export function multiplexedLink(target: LinkTarget): MultiplexedLink {
  const connections = new Set<GatewayConnection>()
  const abandoned = new AbortController()
  let opening = 0
  let mayOpenAt = 0
  let delayMs = FIRST_DELAY_MS
  const checking = setInterval(() => {
    const now = performance.now()
    for (const connection of connections) connection.check(now)
  }, CHECK_INTERVAL_MS).unref()

  return {
    exchange: (request) => leastLoaded()?.exchange(request) ?? null,
    close() {
      clearInterval(checking)
      abandoned.abort()
      mayOpenAt = Number.POSITIVE_INFINITY
      for (const connection of connections) connection.destroy()
    },
  }

  function leastLoaded(): GatewayConnection | null {
    if (connections.size + opening < CONNECTIONS && performance.now() >= mayOpenAt) void open()
    let [best, least]: [GatewayConnection | null, number] = [null, MAX_UNANSWERED]
    for (const connection of connections) {
      const load = connection.load()
      if (load < least) [best, least] = [connection, load]
    }
    return best
  }

  async function open(): Promise<void> {
    opening++
    const signal = AbortSignal.any([abandoned.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)])
    const dialed = await dial(target, signal)
    opening--
    if ('socket' in dialed) add(dialed.socket, dialed.keys)
    else postpone(dialed.isPermanent)
  }

  function add(socket: Socket, keys: ChannelKeys): void {
    const connection = gatewayConnection(socket, keys, {
      onProved() {
        delayMs = FIRST_DELAY_MS
      },
      onClose(wasProved) {
        connections.delete(connection)
        if (!wasProved) postpone(false)
      },
    })
    connections.add(connection)
  }

  function postpone(isPermanent: boolean): void {
    if (isPermanent) delayMs = MAX_DELAY_MS
    mayOpenAt = Math.max(mayOpenAt, performance.now() + delayMs)
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS)
  }
}

/** A connection after the handshake; or whether another attempt is useless for the time being. */
type Dialed = { readonly socket: Socket; readonly keys: ChannelKeys } | { readonly isPermanent: boolean }

/** Connects and asks for the protocol. Never rejects. */
function dial({ origin, sign, sessionKey }: LinkTarget, signal: AbortSignal): Promise<Dialed> {
  const nonce = newNonce()
  const path = `${LINK_PATH}${nonce}`
  const headers = { connection: 'Upgrade', upgrade: PROTOCOL, ...sign({ method: 'GET', path, headers: {} }, '') }
  const send = origin.startsWith('https:') ? httpsRequest : httpRequest
  return new Promise((resolve) => {
    const request = send(`${origin}${path}`, { headers, signal, agent: false })
    // Also of a response that is cut: only the first call counts.
    request.on('error', () => resolve({ isPermanent: false }))
    request.once('response', (response) => {
      response.destroy()
      // 5xx is a balancer without a copy that is ready; others do not know the protocol.
      resolve({ isPermanent: (response.statusCode ?? 0) < 500 })
    })
    request.once('upgrade', ({ headers: { [NONCE_HEADER]: other } }, socket, head) => {
      if (!isNonce(other)) {
        socket.destroy()
        return resolve({ isPermanent: true })
      }
      if (head.length > 0) socket.unshift(head)
      resolve({ socket, keys: keysOf(sessionKey, nonce, other) })
    })
    request.end()
  })
}
