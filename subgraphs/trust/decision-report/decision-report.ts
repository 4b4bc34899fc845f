import type { InputFault } from '../input-fault.ts'
import { ACTIONS, type Action } from '../pipeline/stages.ts'

/** What the owner of a key says of a decision, and what the operator answers. */
export type DecisionReport = {
  /** Row id. */
  readonly id: string
  readonly decisionId: string
  readonly kind: DecisionReportKind
  /** Milder than `action` in a false positive, stricter in a false negative; null: not said. */
  readonly expectedAction: Action | null
  readonly text: string
  readonly host: string
  readonly action: Action
  readonly status: DecisionReportStatus
  /** Null while it is open, as the next one. */
  readonly answer: string | null
  readonly resolvedAt: Date | null
  readonly createdAt: Date
}
export type DecisionReportKind = 'false_positive' | 'false_negative'

export const REPORT_STATUSES = ['open', 'accepted', 'rejected'] as const
export type DecisionReportStatus = (typeof REPORT_STATUSES)[number]

/** Figures of all reports, without their contents. */
export type DecisionReportStats = {
  readonly open: number
  /** Null when none is open. */
  readonly oldestOpenAt: Date | null
  readonly accepted: number
  readonly rejected: number
  /** Feeds that list a target of a false positive, the most accepted first. */
  readonly feeds: readonly { readonly feed: string; readonly reported: number; readonly accepted: number }[]
}

/** Of a report, and of an answer. */
export const MAX_REPORT_CHARACTERS = 2_000
/** In 24 hours. */
export const MAX_REPORTS_PER_KEY = 50
/** Feeds whose figures are shown, and feeds that a report names. */
export const MAX_REPORTED_FEEDS = 50

/** Faults of the action that a report expects instead of `action`; null: it expects none. */
export function expectedActionFaults(kind: DecisionReportKind, action: Action, expected: Action | null): InputFault[] {
  if (expected === null) return []
  const difference = ACTIONS.indexOf(expected) - ACTIONS.indexOf(action)
  if (kind === 'false_positive' ? difference < 0 : difference > 0) return []
  const wanted = kind === 'false_positive' ? 'milder' : 'stricter'
  const message = `Expected "expectedAction" to be ${wanted} than the decision, ${action}, got ${expected}.`
  return [{ field: 'expectedAction', code: 'not_different', message }]
}

/**
 * Faults of an expected action that no decision can differ from as the kind says: nothing is
 * stricter than denial, nor milder than to proceed.
 */
export function impossibleActionFaults(kind: DecisionReportKind, expected: Action | null): InputFault[] {
  const limit = kind === 'false_positive' ? ACTIONS.at(-1) : ACTIONS[0]
  return limit !== undefined && expected === limit ? expectedActionFaults(kind, limit, expected) : []
}

/**
 * A text with its URLs as scheme and host: paths are stored as hashes only, here as nothing, and
 * credentials are for nobody else. Only URLs with a scheme, also defanged (`hxxp`), are found.
 */
export const withoutUrlPaths = (text: string): string =>
  text.replaceAll(
    /((?:https?|hxxps?):\/\/)([^\s/?#\\]+)(?:([/?#\\])(\S*))?/gi,
    (_, scheme: string, authority: string, delimiter = '', rest = '') =>
      `${scheme}${authority.slice(authority.lastIndexOf('@') + 1)}${delimiter}${rest && '…'}`,
  )
