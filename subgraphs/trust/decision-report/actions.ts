import type { Engine } from '../assessment/engine.ts'
import type { DecisionRepository } from '../decision/repository.ts'
import type { InputFault } from '../input-fault.ts'
import {
  type ListEntryInput,
  type NewListEntry,
  type OperatorList,
  type OperatorListEntry,
  validateListEntry,
} from '../operator-list/operator-list.ts'
import { textFaults } from '../reason-and-expiry.ts'
import { type DecisionReport, type DecisionReportKind, MAX_REPORT_CHARACTERS, MAX_REPORTS_PER_KEY } from './decision-report.ts'
import type { DecisionReportRepository } from './repository.ts'

type Faults = { readonly faults: readonly InputFault[] }
const fault = (field: string, code: string, message: string): Faults => ({ faults: [{ field, code, message }] })

/** Stores what the owner of a key says of one of its decisions. */
export async function reportDecision(
  { decisionId, kind, text }: { readonly decisionId: string; readonly kind: DecisionReportKind; readonly text: string },
  keyId: string,
  {
    decisions,
    reports,
    now,
  }: {
    readonly decisions: Pick<DecisionRepository, 'find'>
    readonly reports: DecisionReportRepository
    readonly now: () => Date
  },
): Promise<{ readonly report: DecisionReport } | Faults> {
  const faults = textFaults('text', text, MAX_REPORT_CHARACTERS)
  if (faults.length > 0) return { faults }
  const decision = await decisions.find(keyId, decisionId)
  if (!decision) return fault('decisionId', 'not_found', 'Expected "decisionId" to be a decision of this key.')
  const { target, action } = decision.judgement
  const result = await reports.add({ keyId, decisionId, kind, text: text.trim(), host: target.host, action, at: now() })
  switch (result.kind) {
    case 'added':
      return { report: result.report }
    case 'reported':
      return fault('decisionId', 'reported', 'Expected "decisionId" to be a decision without a report.')
    case 'too-many':
      return fault('decisionId', 'too_many', `Expected at most ${MAX_REPORTS_PER_KEY} reports in 24 hours.`)
  }
}

/** Answers a report, with an entry of a list where it is accepted. */
export async function resolveReport(
  {
    id,
    isAccepted,
    answer,
    list,
    entry,
  }: {
    /** Row id; null for an id of nothing. */
    readonly id: string | null
    readonly isAccepted: boolean
    readonly answer: string
    readonly list: OperatorList | null
    readonly entry: ListEntryInput | null
  },
  by: string,
  {
    reports,
    engine,
    now,
  }: {
    readonly reports: DecisionReportRepository
    readonly engine: Pick<Engine, 'normalise'>
    readonly now: () => Date
  },
): Promise<{ readonly report: DecisionReport; readonly entry: OperatorListEntry | null } | Faults> {
  const at = now()
  const faults = textFaults('answer', answer, MAX_REPORT_CHARACTERS)
  if ((list === null) !== (entry === null)) return fault('entry', 'pair', 'Expected "list" and "entry" together, or none.')
  if (entry && !isAccepted) return fault('entry', 'rejected', 'Expected no "entry" of a rejected report.')
  let wanted: { list: OperatorList; entry: NewListEntry } | null = null
  if (list && entry) {
    const read = validateListEntry(list, entry, at, engine)
    if ('entry' in read) wanted = { list, entry: read.entry }
    else faults.push(...read.faults.map((each) => ({ ...each, field: `entry.${each.field}` })))
  }
  if (faults.length > 0) return { faults }
  const result = id === null ? null : await reports.resolve(id, { isAccepted, answer: answer.trim(), by, at, entry: wanted })
  if (result?.kind === 'resolved') return result
  if (result?.kind === 'too-many') return fault('entry', 'too_many', `Expected at most ${result.max} entries: remove some first.`)
  return fault('id', 'not_open', 'Expected "id" to be an open report.')
}
