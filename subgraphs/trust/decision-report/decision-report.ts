import type { Action } from '../pipeline/stages.ts'

/** What the owner of a key says of a decision, and what the operator answers. */
export type DecisionReport = {
  /** Row id. */
  readonly id: string
  readonly decisionId: string
  readonly kind: DecisionReportKind
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

/** Of a report, and of an answer. */
export const MAX_REPORT_CHARACTERS = 2_000
/** In 24 hours. */
export const MAX_REPORTS_PER_KEY = 50
