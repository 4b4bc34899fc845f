/** What to do, mildest first. */
export const ACTIONS = ['proceed', 'proceed_with_caution', 'sandbox', 'escalate_to_human', 'deny'] as const
export type Action = (typeof ACTIONS)[number]

/**
 * What is to be done with a target; what is left out gets Atrium's default: to fetch, reading only,
 * of medium sensitivity.
 */
export type Interaction = {
  readonly kind?: 'navigate' | 'fetch' | 'enrich' | 'download_file' | 'submit_credentials' | 'initiate_payment'
  readonly mode?: 'read_only' | 'transactional' | 'privileged'
  readonly sensitivity?: 'low' | 'medium' | 'high' | 'critical'
}

/** How much doubt is tolerated; Atrium's default is `balanced`. */
export type Policy = 'open' | 'balanced' | 'strict' | 'critical'

export type Question = {
  /** A host name, or an http(s) URL. Of a URL only scheme, user, host and port are sent. */
  readonly target: string
  readonly interaction?: Interaction
  readonly policy?: Policy
}

export type Decision = {
  /** Under which Atrium keeps it: `explain` shows why. */
  readonly requestId: string
  /** The host that was decided about, in the spelling of machines. */
  readonly host: string
  readonly action: Action
  /** 0 to 1. */
  readonly confidence: number
  /** The most decisive first. */
  readonly reasonCodes: readonly string[]
  /** What the reasons mean, in the order of their strength. */
  readonly reasons: readonly string[]
  readonly requiresHumanReview: boolean
  /**
   * ISO 8601, by Atrium's clock. Null: it did not say, so the decision holds for this moment only.
   */
  readonly validUntil: string | null
  /** How long it held when it arrived, in seconds; no clock of ours is compared with Atrium's. */
  readonly freshSeconds: number
}

/**
 * Why nobody knows: no answer in time, no connection, our key, too many questions, a refusal, a
 * fault of Atrium's, an answer that is none.
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
  /** The target is no host. */
  | { readonly kind: 'invalid'; readonly message: string }
  | Unverified

export type Unverified = {
  readonly kind: 'unverified'
  readonly reason: UnverifiedReason
  /** For logs of the caller. */
  readonly message: string
  /** Atrium's wish; null: none. */
  readonly retryAfterSeconds: number | null
}

/** Longest that any decision is kept, in seconds: Atrium's own ceiling. */
const MAX_FRESH_SECONDS = 86_400

/**
 * Reads the body of an answer with a decision. Null: it is not one, whatever its status said. `now`
 * is Atrium's time of the answer.
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

/** The members of an object; none of anything else. */
export const record = (value: unknown): Readonly<Record<string, unknown>> =>
  // An object: checked before it.
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
