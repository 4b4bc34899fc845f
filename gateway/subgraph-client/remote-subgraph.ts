import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionResult } from 'graphql'
import type { Logger } from 'pino'
import { Pool } from 'undici'
import { boundedCache } from '../../platform/collections/bounded-cache.ts'
import { type CircuitState, circuitBreaker } from '../../platform/outbound/circuit-breaker.ts'
import { followedChanges } from '../signed-link/follow-changes.ts'
import type { Sign } from '../signed-link/signature.ts'
import { LinkError } from './error-masking.ts'
import { ANSWER_BYTES, answerIn, headersFor } from './http-messages.ts'
import type { Link, LinkRequest, Passage } from './link.ts'
import { MOST_RETRIES, waitBefore } from './retries.ts'
import { type Answer, type Fault, replyTo } from './subgraph-response.ts'
import { upstreams } from './upstream-subscriptions.ts'

/** Wall time of one fetch with its retries. Half of what an operation has, so that a plan of two fetches can say which one was slow. */
const FETCH_MILLISECONDS = 5_000
/** Time to connect: a first packet that is lost is sent again after one second (RFC 6298 §2), so that one more may be lost on the way back. */
const CONNECT_MILLISECONDS = 2_000

/** Texts of fetches that are remembered as they are sent: those of all plans that are (`documents.ts`), of which each has a few. */
const MOST_TEXTS = { maxEntries: 5_000, maxCharacters: 5_000_000 }

type Headers = ReturnType<typeof headersFor>

/** A link that keeps connections open until it is closed. */
export type HttpLink = Link & { readonly state: () => CircuitState; readonly close: () => Promise<void> }

/**
 * The way to a subgraph that speaks GraphQL over HTTP. Of the client it passes on the request id, the address and the credentials by allow-list. Queries that
 * nobody answered are asked again; equal queries of one operation that are under way at once are one fetch.
 * Rejects with LinkError when the subgraph does not answer in time, or with something else than GraphQL, or did so too often just now; neither its address nor
 * its answer is said.
 */
export function httpLink({
  name,
  url,
  timeoutMilliseconds = FETCH_MILLISECONDS,
  log,
  sign,
}: {
  readonly name: string
  readonly url: string
  /** Wall time of one fetch, with all its attempts. */
  readonly timeoutMilliseconds?: number
  /** Is told when the subgraph is given up for a while, and when it is back. */
  readonly log?: Logger
  /** Signs requests, for a subgraph of this installation, which believes no others and tells of changes. */
  readonly sign?: Sign
}): HttpLink {
  const { origin, pathname, search } = new URL(url)
  const connectTimeout = Math.min(CONNECT_MILLISECONDS, timeoutMilliseconds)
  // Idle connections are closed when the subgraph says so, otherwise after undici's four seconds: shorter than the five of Node's servers.
  // Our own timer ends what takes too long.
  const pool = new Pool(origin, {
    connections: 64,
    connectTimeout,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxResponseSize: ANSWER_BYTES,
  })
  const breaker = circuitBreaker({
    now: () => performance.now(),
    onChange: (circuit) => log?.[circuit === 'open' ? 'warn' : 'info']({ subgraph: name, circuit }, CIRCUIT_MESSAGES[circuit]),
  })
  const path = `${pathname}${search}`
  const streams = upstreams({ name, url, connectTimeout, headersTimeout: timeoutMilliseconds, ...(sign && { sign }) })
  const changes = sign && followedChanges({ origin, sign })
  const texts = boundedCache<Texts>(MOST_TEXTS)

  return {
    name,
    state: breaker.state,
    close: async () => {
      await Promise.all([pool.destroy(), streams.close(), changes?.close()])
    },
    ...(changes && { onChange: changes.onChange }),
    subscribe: streams.subscribe,
    async execute({ query, variables, operationName, traceparent, isOnce = false }, passage) {
      passage.signal.throwIfAborted()
      const { beginning, nameless, isQuery } = prepared(query, operationName)
      const values = JSON.stringify(variables)
      const { grantedScopes } = passage.caller
      const granted = sign && grantedScopes ? `,"extensions":${JSON.stringify({ grantedScopes })}` : ''
      const body = `${beginning}${values}${granted}}`
      const unsigned = headersFor(passage, traceparent)
      const headers = sign ? { ...unsigned, ...sign({ method: 'POST', path, headers: unsigned }, body) } : unsigned
      if (!isQuery || isOnce) return (await attempts(body, headers, passage, 0)).result
      return shared(nameless, values, passage, () => attempts(body, headers, passage, MOST_RETRIES))
    },
  }

  function prepared(query: string, operationName: LinkRequest['operationName']): Texts {
    const met = texts.get(query)
    if (met && met.operationName === operationName) return met
    const made = textsOf(query, operationName)
    texts.set(query, made)
    return made
  }

  async function shared(
    nameless: string,
    values: string,
    passage: Passage,
    ask: () => Promise<Answer>,
  ): Promise<ExecutionResult> {
    passage.contexts ??= new Map()
    const running = (passage.contexts.get(pool) as Running | undefined) ?? new Map<string, Fetch[]>()
    if (running.size === 0) passage.contexts.set(pool, running)
    const equals = running.get(nameless) ?? []
    if (equals.length === 0) running.set(nameless, equals)
    const known = equals.find((each) => each.values === values)
    if (known) {
      const { text, result } = await known.answer
      // An object of its own for each: executors write into them.
      return answerIn(text) ?? result
    }
    const fetch: Fetch = { values, answer: ask() }
    equals.push(fetch)
    try {
      return (await fetch.answer).result
    } finally {
      equals.splice(equals.indexOf(fetch), 1)
    }
  }

  /** Asks until there is an answer, or no sense or no time to ask again. */
  async function attempts(body: string, headers: Headers, passage: Passage, retries: number): Promise<Answer> {
    const { signal } = passage
    const deadline = { at: performance.now() + timeoutMilliseconds, late }
    let fault: Fault = REFUSED
    for (let retry = 0; ; retry++) {
      const leave = breaker.enter()
      if (!leave) break
      const reply = await replyTo(pool, { path, headers, body, signal, deadline })
      if (reply.kind === 'answer') {
        leave('answered')
        return reply.answer
      }
      if (signal.aborted) leave('abandoned')
      else leave(reply.isIll ? 'failed' : 'answered')
      signal.throwIfAborted()
      // The deadline's own: there is no time for another attempt.
      if (reply.cause instanceof LinkError) throw reply.cause

      fault = reply
      const wait = retry < retries ? waitBefore(retry, fault.againAfter, Math.random()) : null
      if (wait === null || performance.now() + wait >= deadline.at) break
      await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted())
      // A process that had much to do wakes up late.
      if (performance.now() >= deadline.at) throw late()
    }
    if (fault.answer) return fault.answer
    throw new LinkError('SUBGRAPH_UNAVAILABLE', `The ${name} service did not answer this part of the operation.`, {
      cause: fault.cause,
      isKnown: fault === REFUSED,
    })
  }

  function late(): LinkError {
    return new LinkError('TIMEOUT', `The ${name} service did not answer within ${timeoutMilliseconds / 1000} seconds.`)
  }
}

const CIRCUIT_MESSAGES: Readonly<Record<CircuitState, string>> = {
  open: 'a subgraph is not asked for a while, for it did not answer',
  'half-open': 'a subgraph is asked once, to see whether it is back',
  closed: 'a subgraph is back',
}

/** What was not even tried. */
const REFUSED: Fault = { kind: 'fault', cause: new Error('The circuit is open.'), isIll: true, againAfter: null, answer: null }

/** A fetch that is under way, with its variables as JSON. */
type Fetch = { readonly values: string; readonly answer: Promise<Answer> }
/** Those of one operation, by the text that they ask without its name. */
type Running = Map<string, Fetch[]>

/** What is the same in all requests with one text. */
type Texts = {
  readonly operationName: LinkRequest['operationName']
  /** The body in front of the variables. */
  readonly beginning: string
  /** The planner numbers the fetches of a named operation, so that equal ones differ in their names; this is without. */
  readonly nameless: string
  /** Whether it only reads. Texts of the planner have one operation and begin with it. */
  readonly isQuery: boolean
}

function textsOf(query: string, operationName: LinkRequest['operationName']): Texts {
  const named = operationName === undefined ? '' : `"operationName":${JSON.stringify(operationName)},`
  return {
    operationName,
    beginning: `{"query":${JSON.stringify(query)},${named}"variables":`,
    nameless: query.replace(/^query \w+/, 'query'),
    isQuery: /^(?:query\b|\{)/.test(query),
  }
}
