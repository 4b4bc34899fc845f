import { createHmac } from 'node:crypto'
import { encodeId } from '../../toolkit/ids.ts'
import { type WebhookRefusal, webhookUrlProblem } from '../../toolkit/webhook-url.ts'
import { type Engine, needsEvidence } from '../assessment/engine.ts'
import type { InputFault } from '../input-fault.ts'
import type { Plan } from '../key/key.ts'
import type { Decision } from '../pipeline/decision.ts'
import type { Action, State } from '../pipeline/stages.ts'
import { keyOfSecret } from './secrets.ts'

/** Domains that one key may watch. */
export const MAX_WATCHED_DOMAINS: Readonly<Record<Plan, number>> = { free: 10, unlimited: 1_000 }
/** Changes that are kept of one watched domain. */
export const MAX_CHANGES_PER_WATCH = 500
/** Age at which changes are deleted, but for the newest of a domain, which the next is compared to. */
export const HISTORY_DAYS = 365
const MAX_REASON_CODES = 10

const MINUTE_MS = 60_000
/** Between two assessments: evidence of registries and DNS is reused for about an hour anyway. */
const CHECK_INTERVAL_MS: Readonly<Record<Plan, number>> = { free: 360 * MINUTE_MS, unlimited: 60 * MINUTE_MS }
/** After an assessment that lacked the answer of a source. */
const INCOMPLETE_INTERVAL_MS = 15 * MINUTE_MS
/** Incomplete assessments in a row before one counts: a source may be down for long. */
const MAX_INCOMPLETE = 3

/** Attempts to send a change. */
export const MAX_ATTEMPTS = 5

/** A domain whose verdict a key follows. */
export type WatchedDomain = {
  /** Row id. */
  readonly id: string
  readonly domain: string
  readonly createdAt: Date
  readonly webhookUrl: string | null
  readonly checkedAt: Date | null
  /** That of the newest change; null before the first assessment. */
  readonly verdict: Verdict | null
}

/** An assessment in short. */
export type Verdict = {
  readonly action: Action
  readonly state: State | null
  readonly trustScore: number
  readonly threatScore: number
  readonly deviationScore: number
  readonly reasonCodes: readonly string[]
}

/** A change of the action or the state of a watched domain. */
export type VerdictChange = {
  /** Row id. */
  readonly id: string
  readonly changedAt: Date
  readonly verdict: Verdict
  /** Null: it was the first assessment. */
  readonly previousAction: Action | null
  readonly previousState: State | null
  /** Null: none is sent. */
  readonly webhook: WebhookStatus | null
  readonly attempts: number
  readonly dueAt: Date | null
  readonly error: string | null
}

/** A change with its domain. */
export type DomainVerdictChange = { readonly watch: WatchedDomain; readonly change: VerdictChange }

export type WebhookStatus = 'waiting' | 'delivered' | 'failed'

/** What to watch, as it is stored. */
export type NewWatch = { readonly domain: string; readonly webhookUrl: string | null }

/** The parsed input, or its faults; then `faults` is not empty. */
export function validateWatch(
  { domain, webhookUrl }: NewWatch,
  engine: Pick<Engine, 'normalise'>,
  refusal: WebhookRefusal,
): { readonly watch: NewWatch } | { readonly faults: readonly InputFault[] } {
  const found = engine.normalise('domain', domain)
  const faults: InputFault[] = []
  if (found.kind === 'invalid') faults.push({ field: 'domain', code: found.code, message: `domain: ${found.message}` })
  else if (!needsEvidence(found.target)) {
    const message = `Expected "domain" to be a public name or address: nothing ever changes about ${found.target.host}.`
    faults.push({ field: 'domain', code: 'not_public', message })
  }
  const wrong = webhookUrl === null ? null : webhookUrlProblem('webhookUrl', webhookUrl, refusal)
  if (wrong) faults.push({ field: 'webhookUrl', code: 'url', message: wrong.message })
  if (found.kind === 'invalid' || faults.length > 0) return { faults }
  return { watch: { domain: found.target.host, webhookUrl } }
}

export const verdictOf = ({ action, scores, reasonCodes, audit: { state } }: Decision): Verdict => ({
  action,
  state,
  trustScore: Math.round(scores.trust.score),
  threatScore: Math.round(scores.threat.score),
  deviationScore: Math.round(scores.deviation.score),
  reasonCodes: reasonCodes.slice(0, MAX_REASON_CODES),
})

/** Whether a verdict is another one: scores and reasons alone move with the age of a domain. */
export const hasChanged = (before: Verdict | null, after: Verdict): boolean =>
  before === null || before.action !== after.action || before.state !== after.state

/**
 * What follows from an assessment. An incomplete one says nothing yet: a source that is down for a
 * while must not look like a change of the domain.
 */
export function afterCheck(
  { plan, incomplete }: { readonly plan: Plan; readonly incomplete: number },
  isComplete: boolean,
  at: Date,
): { readonly counts: boolean; readonly incomplete: number; readonly nextCheckAt: Date } {
  const counts = isComplete || incomplete + 1 >= MAX_INCOMPLETE
  return {
    counts,
    incomplete: counts ? 0 : incomplete + 1,
    nextCheckAt: new Date(at.getTime() + (counts ? CHECK_INTERVAL_MS[plan] : INCOMPLETE_INTERVAL_MS)),
  }
}

/**
 * Pause after the attempt with this number: 1, 16, 81, 256 minutes. Milliseconds; null: no further
 * attempt.
 */
export const pauseAfter = (attempts: number): number | null => (attempts < MAX_ATTEMPTS ? attempts ** 4 * MINUTE_MS : null)

/** Topic of the changes of all domains that a key watches. */
export const topicOfKey = (keyId: string): string => `verdicts of key ${keyId}`

/** What its events say. Row ids. */
export type VerdictEvent = { readonly changeId: string; readonly watchId: string }

/** Id of a change in the schema and in its webhook: the same at every attempt. */
export const changeId = (row: string): string => encodeId('VerdictChange', row)

/** The body of the webhook of a change. */
export const webhookBody = (
  { id, changedAt, verdict, previousAction }: VerdictChange,
  { id: watchId, domain }: Pick<WatchedDomain, 'id' | 'domain'>,
): string =>
  JSON.stringify({
    type: 'domain.verdict_changed',
    id: changeId(id),
    timestamp: changedAt.toISOString(),
    data: {
      watch_id: encodeId('WatchedDomain', watchId),
      domain,
      action: verdict.action,
      previous_action: previousAction,
      scores: { trust: verdict.trustScore, threat: verdict.threatScore, deviation: verdict.deviationScore },
      reason_codes: verdict.reasonCodes,
    },
  })

/**
 * Headers of one attempt (Standard Webhooks 1.0): the signature covers id, time and body, so that an
 * old request cannot be sent again later.
 */
export function webhookHeaders(row: string, secret: string, body: string, at: Date): Readonly<Record<string, string>> {
  const [id, seconds] = [changeId(row), Math.floor(at.getTime() / 1_000)]
  const signature = createHmac('sha256', keyOfSecret(secret)).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  }
}
