import { boundedText } from './bounded-text.ts'
import { type Decision, decisionIn, type Outcome, type Question, record, type Unverified } from './decision.ts'
import { failureText } from './failure.ts'
import { subjectOf } from './target.ts'

export type TrustClientOptions = {
  /** Where Atrium is, like `https://atrium.example`. */
  readonly baseUrl: string
  /** An API key, as `npx atrium trust key create` shows it. */
  readonly apiKey: string
  /**
   * How long one question may take, body included, in milliseconds. Default 5000: Atrium gives
   * itself three seconds to collect evidence about a host that it has never seen.
   */
  readonly timeoutMs?: number
  /**
   * Whether paths and queries of URLs are sent, so that a listed page is told from its host.
   * Default false: they may hold secrets. Passwords and fragments are never sent.
   */
  readonly sendPath?: boolean
}

/**
 * Asks Atrium over HTTP. Nothing that Atrium or the network does makes it throw; an aborted
 * `signal` does, with its reason.
 */
export type TrustClient = {
  /** Whether its answers are about URLs with their paths; absent: about hosts. */
  readonly sendPath?: boolean
  readonly decide: (question: Question, signal?: AbortSignal) => Promise<Outcome>
  /** Up to 100 questions in one request; outcomes in the order of the questions. */
  readonly decideAll: (questions: readonly Question[], signal?: AbortSignal) => Promise<readonly Outcome[]>
  /**
   * The record of a decision with the evidence it was made from, as `GET /v1/decisions/{id}` sends
   * it.
   */
  readonly explain: (requestId: string, signal?: AbortSignal) => Promise<Explanation>
}

export type Explanation =
  | { readonly kind: 'found'; readonly record: Readonly<Record<string, unknown>> }
  /** There is none with this id among those of the key. */
  | { readonly kind: 'not_found' }
  | Unverified

const MAX_QUESTIONS = 100

/**
 * A hundred decisions with evidence are some 250 kB; a record with its evidence is below 100 kB.
 */
const MAX_RESPONSE_BYTES = 2_000_000

/** Throws a TypeError when the options cannot work. */
export function trustClient({ baseUrl, apiKey, timeoutMs = 5_000, sendPath = false }: TrustClientOptions): TrustClient {
  const base = URL.parse(baseUrl)
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:')
    throw new TypeError(`Expected baseUrl to be an http(s) URL, got ${JSON.stringify(baseUrl)}.`)
  // Not echoed: it is a secret.
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('Expected apiKey to be an API key of Atrium.')
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31))
    throw new TypeError(`Expected timeoutMs to be a number of milliseconds, got ${timeoutMs}.`)
  const root = base.href.replace(/[?#].*$/, '').replace(/\/+$/, '')

  async function request(path: string, body: unknown, signal: AbortSignal | undefined): Promise<Answer> {
    signal?.throwIfAborted()
    const deadline = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${root}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'x-api-key': apiKey,
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        // A redirect would take the key along to wherever it leads.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([deadline, signal]) : deadline,
      })
      const text = await boundedText(response, MAX_RESPONSE_BYTES)
      const date = Date.parse(response.headers.get('date') ?? '')
      return {
        status: response.status,
        json: text === null ? undefined : parsed(text),
        now: Number.isNaN(date) ? Date.now() : date,
        retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (deadline.aborted) return unverified('timeout', `No answer within ${timeoutMs} ms.`)
      return unverified('unreachable', `Atrium cannot be reached: ${failureText(error)}.`)
    }
  }

  async function decideAll(questions: readonly Question[], signal?: AbortSignal): Promise<readonly Outcome[]> {
    if (questions.length === 0) return []
    if (questions.length > MAX_QUESTIONS)
      throw new RangeError(`Expected at most ${MAX_QUESTIONS} questions, got ${questions.length}.`)
    const answer = await request('/v1/decide/batch', { requests: questions.map((each) => bodyOf(each, sendPath)) }, signal)
    if ('kind' in answer) return questions.map(() => answer)
    if (answer.status !== 200) return questions.map(() => failureOf(answer))
    const { results } = record(answer.json)
    return questions.map((_, index) => {
      const { status, decision, problem } = record(Array.isArray(results) ? results[index] : null)
      return outcomeOf({ ...answer, status: typeof status === 'number' ? status : 200, json: decision ?? problem })
    })
  }

  return {
    sendPath,
    async decide(question, signal) {
      const answer = await request('/v1/decide', bodyOf(question, sendPath), signal)
      return 'kind' in answer ? answer : outcomeOf(answer)
    },
    decideAll,
    async explain(requestId, signal) {
      const answer = await request(`/v1/decisions/${encodeURIComponent(requestId)}`, undefined, signal)
      if ('kind' in answer) return answer
      if (answer.status === 404) return { kind: 'not_found' }
      if (answer.status !== 200) return failureOf(answer)
      return decisionIn(answer.json, answer.now) ? { kind: 'found', record: record(answer.json) } : notUnderstood
    },
  }
}

type Reply = {
  readonly status: number
  /** Undefined: the body is no JSON. */
  readonly json: unknown
  /** By Atrium's clock. */
  readonly now: number
  readonly retryAfterSeconds: number | null
}
type Answer = Reply | Unverified

const bodyOf = ({ target, interaction, policy }: Question, sendPath: boolean) => ({
  target: subjectOf(target, sendPath),
  ...(interaction && { interaction }),
  ...(policy && { policy: { profile: policy } }),
})

function outcomeOf(reply: Reply): Outcome {
  if (reply.status !== 200) return invalidTarget(reply) ?? failureOf(reply)
  const decision: Decision | null = decisionIn(reply.json, reply.now)
  return decision ? { kind: 'decided', decision } : notUnderstood
}

/** 422 that names the target; other fields are the caller's own mistakes. */
function invalidTarget({ status, json }: Reply): Outcome | null {
  const { errors } = record(json)
  if (status !== 422 || !Array.isArray(errors)) return null
  const fault = errors.map(record).find(({ pointer }) => typeof pointer === 'string' && /^\/(?:domain|target)\b/.test(pointer))
  return fault
    ? { kind: 'invalid', message: typeof fault.message === 'string' ? fault.message : 'Expected a host name or an http(s) URL.' }
    : null
}

function failureOf({ status, json, retryAfterSeconds }: Reply): Unverified {
  const { detail } = record(json)
  const message = `Atrium answered ${status}${typeof detail === 'string' ? `: ${detail}` : '.'}`
  if (status === 401 || status === 403) return unverified('unauthorized', message)
  if (status === 429) return unverified('rate_limited', message, retryAfterSeconds)
  return unverified(status >= 400 && status < 500 ? 'refused' : 'failed', message, retryAfterSeconds)
}

const unverified = (reason: Unverified['reason'], message: string, retryAfterSeconds: number | null = null): Unverified => ({
  kind: 'unverified',
  reason,
  message,
  retryAfterSeconds,
})

const notUnderstood = unverified('not_understood', 'The answer is not a decision.')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const secondsOf = (header: string | null): number | null => (header !== null && /^\d{1,9}$/.test(header) ? Number(header) : null)
