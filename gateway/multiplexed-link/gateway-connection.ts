import type { Socket } from 'node:net'
import { SIGNED_HEADERS } from '../signed-link/signature.ts'
import { VERIFIED_HEADER } from '../signed-link/verified-caller.ts'
import type { ExchangeFailure, HttpRequest, HttpResponse } from '../subgraph-client/http-exchange.ts'
import { MAX_RESPONSE_BYTES } from '../subgraph-client/response-body.ts'
import { type ChannelKeys, openChannel } from './channel.ts'
import { KEEP_ALIVE_MS } from './handshake.ts'
import { type LinkMessage, type LinkRequestHead, MAX_VARIABLES_CHARACTERS, MESSAGE, textNumbers } from './messages.ts'

/**
 * Requests without an answer on one connection: with four, 32. More go over HTTP, up to
 * `MAX_HTTP_REQUESTS`.
 */
export const MAX_UNANSWERED = 8
/**
 * Requests over HTTP beside them: a subgraph gets 64 of one gateway at once, as it does of a
 * gateway without such links.
 */
export const MAX_HTTP_REQUESTS = 32
/**
 * Bytes that the system has not taken yet, above which a connection takes no requests: a subgraph
 * that does not read gets no more to read, however many clients leave meanwhile. As many as
 * requests of the longest variables.
 */
const MAX_UNSENT_BYTES = MAX_UNANSWERED * MAX_VARIABLES_CHARACTERS
/**
 * A connection is replaced after some time between these, so that a copy that has started gets its
 * share.
 */
const [MIN_AGE_MS, MAX_AGE_MS] = [45_000, 75_000]
/**
 * Checks, one a second, between which no byte came: from so many on the other end is probed, and
 * above so many it is given up. Bytes count, because a large answer takes long; and checks, because
 * the clock goes on while this process does not.
 */
const [PROBED_AFTER_CHECKS, MAX_IDLE_CHECKS] = [2, 4]

/** A request over a multiplexed link. */
export type MultiplexedRequest = Pick<HttpRequest, 'signal' | 'deadline'> & {
  readonly query: string
  readonly operationName: string | undefined
  /** As JSON. */
  readonly variables: string
  readonly headers: Readonly<Record<string, string>>
  readonly grantedScopes: unknown
}

/** What a request comes to, as over HTTP. */
export type Exchanged = HttpResponse | ExchangeFailure

/** One connection to a subgraph, at its gateway. */
export type GatewayConnection = {
  /** Requests without an answer; infinite where it takes no more, or none yet. */
  readonly load: () => number
  /** Never rejects; null for a request that the connection has no room for. */
  readonly exchange: (request: MultiplexedRequest) => Promise<Exchanged> | null
  /**
   * Called every second: ends an old connection after its last answer, and gives up a silent one.
   */
  readonly check: (now: number) => void
  readonly destroy: () => void
}

/**
 * Takes over a socket after the handshake. Sends no request before the subgraph has proved to know
 * the secret, which `onProved` says. `onClose` is called once.
 */
export function gatewayConnection(
  socket: Socket,
  keys: ChannelKeys,
  { onProved, onClose }: { readonly onProved: () => void; readonly onClose: (wasProved: boolean) => void },
): GatewayConnection {
  socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS)
  const numberOf = textNumbers()
  const unanswered = new Map<number, (result: Exchanged) => void>()
  const retiresAt = performance.now() + MIN_AGE_MS + Math.random() * (MAX_AGE_MS - MIN_AGE_MS)
  let [isProved, isRetired, lastId] = [false, false, 0]
  let idleChecks = 0
  socket.on('data', () => {
    idleChecks = 0
  })
  const channel = openChannel(socket, keys, {
    // An answer of the highest size, and its head.
    maxBytes: MAX_RESPONSE_BYTES + 100_000,
    // What it sends is bounded by what it may have unanswered and unsent.
    waits: false,
    onMessage,
    onClose(cause) {
      onClose(isProved)
      for (const end of [...unanswered.values()]) end({ cause, responseHasBegun: false })
    },
  })
  // Proves to the subgraph that this end has the keys; its answer proves the same of that one.
  channel.send(MESSAGE.ping, 0)

  return {
    load: () => (takesRequests() ? unanswered.size : Number.POSITIVE_INFINITY),
    exchange(request) {
      if (request.variables.length > MAX_VARIABLES_CHARACTERS) return null
      const text = numberOf(request.query)
      if (!text) return null
      if (text.isNew) channel.send(MESSAGE.text, text.number, '', request.query)
      return send(request, JSON.stringify(headOf(request, text.number)))
    },
    check(now) {
      if (now >= retiresAt && !isRetired) retire()
      idleChecks++
      if (idleChecks > MAX_IDLE_CHECKS) channel.destroy()
      else if (idleChecks >= PROBED_AFTER_CHECKS) channel.send(MESSAGE.ping, 0)
    },
    destroy: channel.destroy,
  }

  function onMessage({ kind, id, head, body }: LinkMessage): void {
    if (!isProved) {
      isProved = true
      onProved()
    }
    if (kind === MESSAGE.retire) retire()
    else if (kind !== MESSAGE.ping) unanswered.get(id)?.(resultOf(kind, head, body))
  }

  function send({ signal, deadline, variables }: MultiplexedRequest, head: string): Promise<Exchanged> {
    lastId = (lastId + 1) % 2 ** 32
    const id = lastId
    return new Promise((resolve) => {
      const end = (result: Exchanged) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        unanswered.delete(id)
        if (isRetired && unanswered.size === 0) channel.end()
        resolve(result)
      }
      const cancel = (cause: unknown) => {
        channel.send(MESSAGE.cancel, id)
        end({ cause, responseHasBegun: false })
      }
      const abort = () => cancel(signal.reason)
      const timer = deadline && setTimeout(() => cancel(deadline.timeoutError()), deadline.at - performance.now())
      if (signal.aborted) return end({ cause: signal.reason, responseHasBegun: false })
      signal.addEventListener('abort', abort)
      unanswered.set(id, end)
      channel.send(MESSAGE.request, id, head, variables)
    })
  }

  /** A connection that was destroyed says so a turn later, with `close`. */
  function takesRequests(): boolean {
    return isProved && !isRetired && !socket.destroyed && socket.writableLength < MAX_UNSENT_BYTES
  }

  function retire(): void {
    isRetired = true
    if (unanswered.size === 0) channel.end()
  }
}

function headOf({ operationName, headers, grantedScopes }: MultiplexedRequest, text: number): LinkRequestHead {
  const trusted: Record<string, string> = {}
  for (const name of SIGNED_HEADERS) {
    const value = headers[name]
    if (value !== undefined && name !== 'accept') trusted[name] = value
  }
  return [text, operationName ?? null, trusted, grantedScopes ?? null]
}

/** A message as the HTTP response that says the same. */
function resultOf(kind: number, head: string, bytes: Buffer): Exchanged {
  if (kind === MESSAGE.answer)
    return { statusCode: 200, headers: head === '' ? GRAPHQL : { ...GRAPHQL, [VERIFIED_HEADER]: head }, bytes }
  if (kind === MESSAGE.overloaded) return { statusCode: 503, headers: { 'retry-after': head }, bytes }
  if (kind === MESSAGE.tooLarge) return { cause: tooLarge(), responseHasBegun: true }
  throw new Error(`Expected a message of a subgraph, got one of kind ${kind}.`)
}

const GRAPHQL = { 'content-type': 'application/graphql-response+json' }

/** undici's, which counts as a fault of the request. */
const TOO_LARGE = 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
const tooLarge = (): Error =>
  Object.assign(new Error(`Expected an answer of at most ${MAX_RESPONSE_BYTES} bytes.`), { code: TOO_LARGE })
