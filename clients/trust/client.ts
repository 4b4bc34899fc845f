import { boundedText } from './bounded-text.ts'
import { type Decision, decisionIn, type Outcome, type Question, record, type Unverified } from './decision.ts'
import { failureText } from './failure.ts'
import { faultOf, subjectOf } from './target.ts'

export type TrustClientOptions = {
  /** Base URL of Atrium, like `https://atrium.example`. */
  readonly baseUrl: string
  /** API key; `npx atrium trust key create` prints one. */
  readonly apiKey: string
  /**
   * Timeout of a request, body included, in milliseconds. Default 5000: Atrium collects evidence
   * about an unknown host for up to 3 s.
   */
  readonly timeoutMs?: number
  /**
   * Whether paths and queries of URLs are sent, so that a single listed page can be recognised.
   * Default false: they may contain secrets. Passwords and fragments are never sent.
   */
  readonly sendPath?: boolean
}

/**
 * HTTP client of trust decisions. Network and server failures are outcomes; rejects only with the
 * reason of an aborted `signal`.
 */
export type TrustClient = {
  /** Whether decisions are about whole URLs; absent: about hosts. */
  readonly sendPath?: boolean
  readonly decide: (question: Question, signal?: AbortSignal) => Promise<Outcome>
  /** Up to 100 questions in one request; outcomes are in the order of the questions. */
  readonly decideAll: (questions: readonly Question[], signal?: AbortSignal) => Promise<readonly Outcome[]>
  /** Stored decision with its evidence, from `GET /v1/decisions/{id}`. */
  readonly explain: (requestId: string, signal?: AbortSignal) => Promise<Explanation>
}

export type Explanation =
  | { readonly kind: 'found'; readonly record: Readonly<Record<string, unknown>> }
  /** The API key has no decision with this id. */
  | { readonly kind: 'not_found' }
  | Unverified

const MAX_QUESTIONS = 100

/**
 * Upper bound of a response: 100 decisions with evidence are some 250 kB, and a stored decision
 * with evidence below 100 kB.
 */
const MAX_RESPONSE_BYTES = 2_000_000

/** Creates a client. Throws a TypeError for invalid options. */
export function trustClient({ baseUrl, apiKey, timeoutMs = 5_000, sendPath = false }: TrustClientOptions): TrustClient {
  const base = URL.parse(baseUrl)
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:')
    throw new TypeError(`Expected baseUrl to be an http(s) URL, got ${JSON.stringify(baseUrl)}.`)
  // The message does not contain the key, because it is a secret.
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
        // Redirects are not followed, because they would send the API key to another server.
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
    const outcomes = (
      await decideSent(
        questions.filter((each) => invalidOf(each) === null),
        signal,
      )
    ).values()
    return questions.map((question) => invalidOf(question) ?? outcomes.next().value ?? notUnderstood)
  }

  async function decideSent(questions: readonly Question[], signal: AbortSignal | undefined): Promise<readonly Outcome[]> {
    if (questions.length === 0) return []
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
      const invalid = invalidOf(question)
      if (invalid) return invalid
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
  /** Parsed body; undefined when it is not JSON. */
  readonly json: unknown
  /** Time of the response by Atrium's clock (`Date` header). */
  readonly now: number
  readonly retryAfterSeconds: number | null
}
type Answer = Reply | Unverified

const bodyOf = ({ target, interaction, policy }: Question, sendPath: boolean) => ({
  target: subjectOf(target, sendPath),
  ...(interaction && { interaction }),
  ...(policy && { policy: { profile: policy } }),
})

/** Of a target that is not sent at all; null for others. */
function invalidOf({ target }: Question): Outcome | null {
  const message = faultOf(target)
  return message === null ? null : { kind: 'invalid', message }
}

function outcomeOf(reply: Reply): Outcome {
  if (reply.status !== 200) return invalidTarget(reply) ?? failureOf(reply)
  const decision: Decision | null = decisionIn(reply.json, reply.now)
  return decision ? { kind: 'decided', decision } : notUnderstood
}

/** 422 that names the target: an invalid target. Other 422s are mistakes of the calling code. */
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
