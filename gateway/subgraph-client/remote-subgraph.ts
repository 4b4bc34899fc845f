import type { Logger } from 'pino'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import type { CircuitState } from '../../platform/outbound/circuit-breaker.ts'
import type { SubgraphSubscriptionOptions } from '../options/subgraph-options.ts'
import { followChanges } from '../signed-link/follow-changes.ts'
import type { Sign } from '../signed-link/signature.ts'
import { callbackUpstreams } from './callback-upstreams.ts'
import { headersFor } from './http-messages.ts'
import type { Link, SubgraphRequest } from './link.ts'
import { deduplicateRequests } from './request-deduplication.ts'
import { MAX_RETRIES } from './retries.ts'
import { createRetryingFetch, FETCH_TIMEOUT_MS } from './retrying-fetch.ts'
import type { Callbacks } from './upstream-callbacks.ts'
import { type UpstreamSubscriptions, upstreamSubscriptions } from './upstream-subscriptions.ts'
import { webSocketUpstreams } from './websocket-upstreams.ts'

/** Bound of encoded fetch texts: those of all cached plans (document-cache.ts), a few for each. */
const TEXT_CACHE = { maxEntries: 5_000, maxCharacters: 5_000_000 }

/** A link with open connections. */
export type RemoteLink = Link & { readonly circuitState: () => CircuitState; readonly close: () => Promise<void> }

/**
 * A link to a remote subgraph, over HTTP. Passes on the request id, the address and the credentials
 * of the caller, by allow-list. Retries queries; joins equal queries of one operation that are in
 * flight. Rejects with SubgraphError on a timeout, for a response that is not GraphQL, and while
 * the circuit is open. No error names the URL or quotes the response.
 */
export function createRemoteLink({
  name,
  url,
  timeoutMilliseconds = FETCH_TIMEOUT_MS,
  log,
  sign,
  subscriptions = {},
  callbacks,
}: {
  readonly name: string
  readonly url: string
  /** Timeout of one fetch with all its attempts. */
  readonly timeoutMilliseconds?: number
  /** Logs when the circuit opens and closes. */
  readonly log?: Logger
  /** Signs requests to a subgraph of this installation, which also announces changes. */
  readonly sign?: Sign
  /** By default over event streams. */
  readonly subscriptions?: SubgraphSubscriptionOptions | undefined
  /** For subgraphs that call back. */
  readonly callbacks?: Callbacks
}): RemoteLink {
  const { origin, pathname, search } = new URL(url)
  const path = `${pathname}${search}`
  const { pool, connectTimeoutMs, circuitState, ...connections } = createRetryingFetch({ name, url, timeoutMilliseconds, log })
  const streams = upstreamsOf(subscriptions, { name, url, connectTimeoutMs, timeoutMs: timeoutMilliseconds, sign, callbacks })
  const changes = sign && followChanges({ origin, sign })
  const texts = boundedCache<EncodedText>(TEXT_CACHE)
  const deduplicated = deduplicateRequests(pool)

  return {
    name,
    circuitState,
    close: async () => {
      await Promise.all([connections.close(), streams.close(), changes?.close()])
    },
    ...(changes && { onChange: changes.onChange }),
    subscribe: streams.subscribe,
    async execute({ query, variables, operationName, traceparent, hasSideEffects = false, onHeaders }, context) {
      context.signal.throwIfAborted()
      const { bodyStart, anonymousText, isQuery } = encoded(query, operationName)
      const values = JSON.stringify(variables)
      const { grantedScopes } = context.caller
      const extensions = sign && grantedScopes ? `,"extensions":${JSON.stringify({ grantedScopes })}` : ''
      const body = `${bodyStart}${values}${extensions}}`
      const unsigned = headersFor(context, traceparent)
      const headers = sign ? { ...unsigned, ...sign({ method: 'POST', path, headers: unsigned }, body) } : unsigned
      const { signal } = context
      if (!isQuery || hasSideEffects) return (await connections.fetch({ body, headers, signal, retries: 0 })).result
      return deduplicated({ text: anonymousText, variables: values, onHeaders }, context, () =>
        connections.fetch({ body, headers, signal, retries: MAX_RETRIES }),
      )
    },
  }

  function encoded(query: string, operationName: SubgraphRequest['operationName']): EncodedText {
    const cached = texts.get(query)
    if (cached && cached.operationName === operationName) return cached
    const text = encodeText(query, operationName)
    texts.set(query, text)
    return text
  }
}

/** Subscriptions over the transport that options name. */
function upstreamsOf(
  {
    protocol = 'sse',
    callbackUrl = '',
    socketPer,
    heartbeatSeconds = 15,
    reconnectAttempts = 5,
    url: own,
  }: SubgraphSubscriptionOptions,
  {
    name,
    url,
    connectTimeoutMs,
    timeoutMs,
    sign,
    callbacks,
  }: {
    readonly name: string
    readonly url: string
    readonly connectTimeoutMs: number
    readonly timeoutMs: number
    readonly sign: Sign | undefined
    readonly callbacks: Callbacks | undefined
  },
): UpstreamSubscriptions {
  const heartbeatMs = heartbeatSeconds * 1_000
  if (protocol === 'callback') {
    if (!callbacks) throw new Error('Expected callbacks for a subgraph that calls back.')
    return callbackUpstreams({ name, url, callbacks, callbackUrl, heartbeatMs, timeoutMs })
  }
  if (protocol === 'sse') {
    return upstreamSubscriptions({
      name,
      url,
      connectTimeout: connectTimeoutMs,
      headersTimeout: timeoutMs,
      ...(sign && { sign }),
    })
  }
  const socketUrl = own ?? url.replace(/^http/, 'ws')
  return webSocketUpstreams({
    name,
    url: socketUrl,
    protocol,
    socketPer,
    connectTimeoutMs: timeoutMs,
    heartbeatMs,
    reconnectAttempts,
  })
}

/** The parts of a request that depend on the text only. */
type EncodedText = {
  readonly operationName: SubgraphRequest['operationName']
  /** The JSON body before the variables. */
  readonly bodyStart: string
  /** The text without its name: the planner numbers the fetches of a named operation. */
  readonly anonymousText: string
  /** Texts of the planner have one operation, which stands first. */
  readonly isQuery: boolean
}

function encodeText(query: string, operationName: SubgraphRequest['operationName']): EncodedText {
  const name = operationName === undefined ? '' : `"operationName":${JSON.stringify(operationName)},`
  return {
    operationName,
    bodyStart: `{"query":${JSON.stringify(query)},${name}"variables":`,
    anonymousText: query.replace(/^query \w+/, 'query'),
    isQuery: /^(?:query\b|\{)/.test(query),
  }
}
