import { setTimeout as sleep } from 'node:timers/promises'
import type { DirectorySourceProblem } from '#generated/directory/resolvers.ts'
import { Fault, type FaultReason, faultOf } from '../../../platform/outbound/fault.ts'
import { type HttpClient, type OutboundResponse, retryAfterOf } from '../../../platform/outbound/http-client.ts'

/** Why a run failed. `message` is a sentence for the administrator. */
export class RunFault extends Error {
  override readonly name = 'RunFault'
  readonly problem: DirectorySourceProblem
  /** Wait that the source, or the budget, demands before the next run. Seconds; null: none. */
  readonly retryAfterSeconds: number | null
  /** Status of the answer; null without one. */
  readonly status: number | null
  constructor(
    problem: DirectorySourceProblem,
    message: string,
    { retryAfterSeconds = null, status = null }: { retryAfterSeconds?: number | null; status?: number | null } = {},
  ) {
    super(message)
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
    this.status = status
  }
}

/** Requests that a source may still have in this hour. */
export type SourceBudget = {
  /** Counts one request. Throws BUDGET_SPENT. */
  readonly spend: () => void
  /** What is to be stored. */
  readonly state: () => { readonly since: Date; readonly requests: number }
}

const HOUR_MS = 3_600_000

/** The budget of a source, by what it has sent. */
export function budgetOf(
  { requestsSince, requests }: { readonly requestsSince: Date | null; readonly requests: number },
  perHour: number,
  now: () => Date,
): SourceBudget {
  const at = now()
  const isSameHour = requestsSince !== null && at.getTime() - requestsSince.getTime() < HOUR_MS
  const since = isSameHour ? requestsSince : at
  let sent = isSameHour ? requests : 0
  return {
    spend() {
      if (sent >= perHour) {
        const retryAfterSeconds = Math.max(1, Math.ceil((since.getTime() + HOUR_MS - now().getTime()) / 1_000))
        throw new RunFault('BUDGET_SPENT', `The ${perHour} requests of this hour are used up.`, { retryAfterSeconds })
      }
      sent += 1
    },
    state: () => ({ since, requests: sent }),
  }
}

export type RequestOptions = {
  readonly accept: string
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>>
  /** Is posted; absent: GET. */
  readonly json?: Readonly<Record<string, unknown>>
}

/**
 * Sends a request and reads its answer, again after a fault that may pass. `read` gets answers of
 * status 200 and 304 only. Throws RunFault, and the signal's reason.
 */
export type Request = <Read>(
  url: URL,
  options: RequestOptions,
  read: (response: OutboundResponse) => Promise<Read>,
) => Promise<Read>

/** Waits before the second and third try. Milliseconds. */
const RETRY_PAUSES_MS = [1_000, 5_000]
/** A longer wait ends the run: the next one begins after it. Seconds. */
const MAX_PAUSE_SECONDS = 30

const PROBLEMS: Readonly<Record<FaultReason, DirectorySourceProblem>> = {
  rate_limited: 'RATE_LIMITED',
  unavailable: 'UNREACHABLE',
  malformed: 'INVALID',
  too_large: 'TOO_LARGE',
  blocked: 'BLOCKED',
  timeout: 'TIMEOUT',
  refused: 'UNREACHABLE',
  no_tls: 'UNREACHABLE',
  no_capacity: 'UNREACHABLE',
}
/** Faults that the next try may not have. */
const PASSING: ReadonlySet<DirectorySourceProblem> = new Set(['RATE_LIMITED', 'UNREACHABLE', 'INVALID', 'TIMEOUT'])

/** Requests of one run, within its budget. */
export function requester(
  http: HttpClient,
  { budget, signal, pausesMs = RETRY_PAUSES_MS }: { budget: SourceBudget; signal: AbortSignal; pausesMs?: readonly number[] },
): Request {
  return async (url, options, read) => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        budget.spend()
        return await once(url, options, read)
      } catch (error) {
        signal.throwIfAborted()
        const fault = runFaultOf(error)
        const pauseMs = pausesMs[attempt]
        const isFinal = fault.status !== null && fault.status < 500 && fault.status !== 429
        const waitSeconds = fault.retryAfterSeconds ?? 0
        if (pauseMs === undefined || isFinal || !PASSING.has(fault.problem) || waitSeconds > MAX_PAUSE_SECONDS) throw fault
        await sleep(Math.max(pauseMs, waitSeconds * 1_000), undefined, { signal })
      }
    }
  }

  async function once<Read>(
    url: URL,
    { accept, maxBytes, timeoutMs, headers, json }: RequestOptions,
    read: (response: OutboundResponse) => Promise<Read>,
  ): Promise<Read> {
    const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    const sent = { ...headers, ...(json && { 'content-type': 'application/json' }) }
    const options = { signal: either, accept, maxBytes, headers: sent }
    const response = json ? await http.post(url.href, JSON.stringify(json), options) : await http.get(url.href, options)
    try {
      const { status } = response
      if (status !== 200 && status !== 304) throw statusFault(response)
      return await read(response)
    } finally {
      response.body.on('error', () => {}).destroy()
    }
  }
}

/** GitHub answers 403 where others answer 429. */
function statusFault(response: OutboundResponse): RunFault {
  const { status, headers } = response
  const retryAfterSeconds = retryAfterOf(response, new Date())
  const isLimited = status === 429 || (status === 403 && (retryAfterSeconds !== null || headers['x-ratelimit-remaining'] === '0'))
  return new RunFault(isLimited ? 'RATE_LIMITED' : 'UNREACHABLE', `It answered with status ${status}.`, {
    retryAfterSeconds,
    status,
  })
}

/** Validator of an answer; null for none that can be sent back. */
export function etagIn({ headers: { etag } }: Pick<OutboundResponse, 'headers'>): string | null {
  return etag !== undefined && etag.length <= 200 && /^[\x20-\x7e]+$/.test(etag) ? etag : null
}

/** Whether what was requested is not there: gone, renamed without a redirect, or blocked for legal reasons (RFC 7725). */
export const isGone = (error: unknown): boolean =>
  error instanceof RunFault && error.status !== null && [404, 410, 451].includes(error.status)

/** Whether the API itself fails, is not reached, or refuses the token. */
export const concernsAll = ({ problem, status }: RunFault): boolean =>
  status === null ? ['UNREACHABLE', 'TIMEOUT', 'BLOCKED'].includes(problem) : status >= 500 || status === 401

/** Any error of an exchange as a RunFault; errors of ours are INTERNAL. */
export function runFaultOf(error: unknown): RunFault {
  if (error instanceof RunFault) return error
  if (error instanceof Fault || (error instanceof Error && ('code' in error || /^(?:Timeout|Abort)Error$/.test(error.name)))) {
    const { reason, message, retryAfter } = faultOf(error)
    return new RunFault(PROBLEMS[reason], message, { retryAfterSeconds: retryAfter })
  }
  return new RunFault('INTERNAL', error instanceof Error ? error.message : String(error))
}
