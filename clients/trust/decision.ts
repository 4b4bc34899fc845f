/** Recommended actions, mildest first. */
export const ACTIONS = ['proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny'] as const
export type Action = (typeof ACTIONS)[number]

/**
 * Planned use of a target. Omitted fields get Atrium's defaults: fetch, read-only, medium
 * sensitivity.
 */
export type Interaction = {
  readonly kind?: 'navigate' | 'fetch' | 'enrich' | 'download_file' | 'submit_credentials' | 'initiate_payment'
  readonly mode?: 'read_only' | 'transactional' | 'privileged'
  readonly sensitivity?: 'low' | 'medium' | 'high' | 'critical'
}

/** Tolerated uncertainty; Atrium's default is `balanced`. */
export type Policy = 'open' | 'balanced' | 'strict' | 'critical'

export type Question = {
  /** A host name, or an http(s) URL. Of a URL only scheme, user, host and port are sent. */
  readonly target: string
  readonly interaction?: Interaction
  readonly policy?: Policy
}

export type Decision = {
  /** Id of the stored decision, for `explain`. */
  readonly requestId: string
  /** The normalized host: lower case, Punycode. */
  readonly host: string
  readonly action: Action
  /** Confidence in the action, 0 to 1. */
  readonly confidence: number
  /** Reason codes, the most decisive first. */
  readonly reasonCodes: readonly string[]
  /** Reason texts, strongest first. */
  readonly reasons: readonly string[]
  readonly requiresHumanReview: boolean
  /** Expiry by Atrium's clock (ISO 8601); null: unknown, so the decision must not be cached. */
  readonly validUntil: string | null
  /**
   * Remaining lifetime at arrival in seconds. Computed from Atrium's own clock, because the local
   * one may differ.
   */
  readonly freshSeconds: number
}

/**
 * Why there is no decision: timeout, no connection, invalid key, rate limit, rejected request,
 * server error, or a response in an unknown format.
 */
export type UnverifiedReason =
  | 'timeout'
  | 'unreachable'
  | 'unauthorized'
  | 'rate_limited'
  | 'refused'
  | 'failed'
  | 'not_understood'

export type Outcome =
  | { readonly kind: 'decided'; readonly decision: Decision }
  /** The target is not a host or URL. */
  | { readonly kind: 'invalid'; readonly message: string }
  | Unverified

export type Unverified = {
  readonly kind: 'unverified'
  readonly reason: UnverifiedReason
  /** Explanation for the caller's logs. */
  readonly message: string
  /** Value of Retry-After; null when absent. */
  readonly retryAfterSeconds: number | null
}

/** Upper bound of a decision's lifetime in seconds, the same as in Atrium. */
const MAX_FRESH_SECONDS = 86_400

/**
 * Parses a decision from a response body; null when it is not one. `now` is the time of the
 * response by Atrium's clock.
 */
export function decisionIn(answer: unknown, now: number): Decision | null {
  const { request_id, target, decision, evidence, uncertainty, validity } = record(answer)
  const { recommended_action, action_confidence, reason_codes } = record(decision)
  const { normalized } = record(target)
  const action = ACTIONS.find((each) => each === recommended_action)
  if (action === undefined || typeof request_id !== 'string' || typeof normalized !== 'string') return null
  if (typeof action_confidence !== 'number' || !(action_confidence >= 0 && action_confidence <= 1)) return null
  if (!Array.isArray(reason_codes) || !reason_codes.every((code) => typeof code === 'string')) return null

  const { valid_until, ttl_seconds } = record(validity)
  const until = typeof valid_until === 'string' ? Date.parse(valid_until) : Number.NaN
  const seconds = Math.min((until - now) / 1000, typeof ttl_seconds === 'number' ? ttl_seconds : 0, MAX_FRESH_SECONDS)
  const { highlights } = record(evidence)
  return {
    requestId: request_id,
    host: normalized,
    action,
    confidence: action_confidence,
    reasonCodes: reason_codes,
    reasons: (Array.isArray(highlights) ? highlights : []).flatMap((highlight) => {
      const { label } = record(highlight)
      return typeof label === 'string' ? [label] : []
    }),
    requiresHumanReview: record(uncertainty).requires_human_review === true,
    validUntil: Number.isNaN(until) ? null : new Date(until).toISOString(),
    freshSeconds: seconds > 0 ? seconds : 0,
  }
}

/** The properties of an object; none for any other value. */
export const record = (value: unknown): Readonly<Record<string, unknown>> =>
  // `typeof` has just shown that the value is an object.
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
