import type { Outcome } from '../trust/decision.ts'

/** Response to a blocked request: RFC 9457, without details about Atrium. */
export type Refusal = {
  readonly status: 403 | 422 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * 403: a decision blocks it. 422: invalid target. 503: no decision, with the Retry-After that
 * Atrium sent.
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
