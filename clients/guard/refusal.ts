import type { Outcome } from '../trust/decision.ts'

/**
 * What a blocked request is answered with: RFC 9457, without anything about Atrium's own condition.
 */
export type Refusal = {
  readonly status: 403 | 422 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * 403: a decision says so. 422: the target is no host. 503: nobody knows; with Atrium's
 * `Retry-After`, if it gave one.
 */
export function refusalOf(outcome: Outcome): Refusal {
  switch (outcome.kind) {
    case 'decided': {
      const { host, action, reasonCodes, requestId } = outcome.decision
      return refusal(403, 'Forbidden', 'target_blocked', `Access to ${host} is not allowed: ${action}.`, {
        host,
        recommended_action: action,
        reason_codes: reasonCodes,
        decision_id: requestId,
      })
    }
    case 'invalid':
      return refusal(422, 'Unprocessable Content', 'target_invalid', outcome.message)
    case 'unverified': {
      const { status, headers, body } = refusal(
        503,
        'Service Unavailable',
        'target_unverified',
        'Whether this target is safe cannot be found out now.',
      )
      const { retryAfterSeconds } = outcome
      return {
        status,
        headers: retryAfterSeconds === null ? headers : { ...headers, 'retry-after': String(retryAfterSeconds) },
        body,
      }
    }
  }
}

const refusal = (
  status: Refusal['status'],
  title: string,
  code: string,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
): Refusal => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
  body: { type: 'about:blank', title, status, detail, code, ...more },
})
