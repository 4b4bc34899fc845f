import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { Pool } from 'undici'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { type CircuitState, circuitBreaker } from '../../platform/outbound/circuit-breaker.ts'
import { followChanges } from '../signed-link/follow-changes.ts'
import type { Sign } from '../signed-link/signature.ts'
import { SubgraphError } from './error-masking.ts'
import { headersFor, MAX_RESPONSE_BYTES } from './http-messages.ts'
import type { Link, RequestContext, SubgraphRequest } from './link.ts'
import { deduplicateRequests } from './request-deduplication.ts'
import { MAX_RETRIES, retryDelayMs } from './retries.ts'
import { type FetchFailure, fetchOnce, type ParsedResponse } from './subgraph-response.ts'
import { upstreamSubscriptions } from './upstream-subscriptions.ts'

/**
 * Timeout of one fetch with its retries. Half of an operation's, so that a plan of two fetches can
 * still report which one was slow.
 */
const FETCH_TIMEOUT_MS = 5_000
/**
 * Timeout to connect. A lost first packet is sent again after one second (RFC 6298 §2); this leaves
 * time for one more loss.
 */
const CONNECT_TIMEOUT_MS = 2_000

/** Bound of encoded fetch texts: those of all cached plans (document-cache.ts), a few for each. */
const TEXT_CACHE = { maxEntries: 5_000, maxCharacters: 5_000_000 }

type Headers = ReturnType<typeof headersFor>

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
}: {
  readonly name: string
  readonly url: string
  /** Timeout of one fetch with all its attempts. */
  readonly timeoutMilliseconds?: number
  /** Logs when the circuit opens and closes. */
  readonly log?: Logger
  /** Signs requests to a subgraph of this installation, which also announces changes. */
  readonly sign?: Sign
}): RemoteLink {
  const { origin, pathname, search } = new URL(url)
  const path = `${pathname}${search}`
  const connectTimeout = Math.min(CONNECT_TIMEOUT_MS, timeoutMilliseconds)
  const pool = createPool(origin, connectTimeout)
  const breaker = circuitBreaker({
    now: () => performance.now(),
    onChange: (circuit) => log?.[circuit === 'open' ? 'warn' : 'info']({ subgraph: name, circuit }, CIRCUIT_MESSAGES[circuit]),
  })
  const streams = upstreamSubscriptions({
    name,
    url,
    connectTimeout,
    headersTimeout: timeoutMilliseconds,
    ...(sign && { sign }),
  })
  const changes = sign && followChanges({ origin, sign })
  const encoded = createTextEncoder()
  const deduplicated = deduplicateRequests(pool)

  return {
    name,
    circuitState: breaker.state,
    close: async () => {
      await Promise.all([pool.destroy(), streams.close(), changes?.close()])
    },
    ...(changes && { onChange: changes.onChange }),
    subscribe: streams.subscribe,
    async execute({ query, variables, operationName, traceparent, hasSideEffects = false }, context) {
      context.signal.throwIfAborted()
      const { bodyStart, anonymousText, isQuery } = encoded(query, operationName)
      const values = JSON.stringify(variables)
      const { grantedScopes } = context.caller
      const extensions = sign && grantedScopes ? `,"extensions":${JSON.stringify({ grantedScopes })}` : ''
      const body = `${bodyStart}${values}${extensions}}`
      const unsigned = headersFor(context, traceparent)
      const headers = sign ? { ...unsigned, ...sign({ method: 'POST', path, headers: unsigned }, body) } : unsigned
      if (!isQuery || hasSideEffects) return (await fetchWithRetries(body, headers, context, 0)).result
      return deduplicated({ text: anonymousText, variables: values }, context, () =>
        fetchWithRetries(body, headers, context, MAX_RETRIES),
      )
    },
  }

  /** Sends attempts until there is a response, or no retry makes sense or fits into the timeout. */
  async function fetchWithRetries(
    body: string,
    headers: Headers,
    { signal }: RequestContext,
    retries: number,
  ): Promise<ParsedResponse> {
    const deadline = { at: performance.now() + timeoutMilliseconds, timeoutError }
    let failure: FetchFailure = CIRCUIT_OPEN
    for (let retry = 0; ; retry++) {
      const leave = breaker.enter()
      if (!leave) break
      const reply = await fetchOnce(pool, { path, headers, body, signal, deadline })
      if (reply.kind === 'response') {
        leave('answered')
        return reply.response
      }
      if (signal.aborted) leave('abandoned')
      else leave(reply.isSubgraphFault ? 'failed' : 'answered')
      signal.throwIfAborted()
      // The timeout of the fetch as a whole.
      if (reply.cause instanceof SubgraphError) throw reply.cause

      failure = reply
      const delayMs = retry < retries ? retryDelayMs(retry, failure.retryAfterMs, Math.random()) : null
      if (delayMs === null || performance.now() + delayMs >= deadline.at) break
      await pause(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
      // Timers of a busy process fire late.
      if (performance.now() >= deadline.at) throw timeoutError()
    }
    if (failure.response) return failure.response
    throw unavailableError(name, failure)
  }

  function timeoutError(): SubgraphError {
    return new SubgraphError('TIMEOUT', `The ${name} service did not answer within ${timeoutMilliseconds / 1000} seconds.`)
  }
}

/**
 * Idle connections close when the subgraph says so, otherwise after undici's four seconds: less
 * than the five of Node's servers. Timeouts of requests are those of `fetchWithRetries`.
 */
const createPool = (origin: string, connectTimeout: number): Pool =>
  new Pool(origin, {
    connections: 64,
    connectTimeout,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: MAX_RESPONSE_BYTES,
  })

const CIRCUIT_MESSAGES: Readonly<Record<CircuitState, string>> = {
  open: 'the circuit of a subgraph has opened: its fetches fail at once for a while',
  'half-open': 'the circuit of a subgraph is half-open: one fetch is sent as a probe',
  closed: 'the circuit of a subgraph has closed',
}

/** No attempt was made. */
const CIRCUIT_OPEN: FetchFailure = {
  kind: 'fault',
  cause: new Error('The circuit is open.'),
  isSubgraphFault: true,
  retryAfterMs: null,
  response: null,
}

const unavailableError = (name: string, failure: FetchFailure): SubgraphError =>
  new SubgraphError('SUBGRAPH_UNAVAILABLE', `The ${name} service did not answer this part of the operation.`, {
    cause: failure.cause,
    isAlreadyLogged: failure === CIRCUIT_OPEN,
  })

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

/** Encodes texts of fetches, each once while it is cached. */
function createTextEncoder(): typeof encodeText {
  const texts = boundedCache<EncodedText>(TEXT_CACHE)
  return (query, operationName) => {
    const cached = texts.get(query)
    if (cached && cached.operationName === operationName) return cached
    const text = encodeText(query, operationName)
    texts.set(query, text)
    return text
  }
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
