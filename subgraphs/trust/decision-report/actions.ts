import type { Engine } from '../assessment/engine.ts'
import { type DecideParts, decideAll } from '../decision/actions.ts'
import type { Decision } from '../decision/decision.ts'
import { coversTarget, listingsOf } from '../feed/feed.ts'
import type { InputFault } from '../input-fault.ts'
import type { ApiKey } from '../key/key.ts'
import {
  type ListEntryInput,
  type NewListEntry,
  type OperatorList,
  type OperatorListEntry,
  validateListEntry,
} from '../operator-list/operator-list.ts'
import type { Action } from '../pipeline/stages.ts'
import { textFaults } from '../reason-and-expiry.ts'
import {
  type DecisionReport,
  type DecisionReportKind,
  expectedActionFaults,
  impossibleActionFaults,
  MAX_REPORT_CHARACTERS,
  MAX_REPORTED_FEEDS,
  MAX_REPORTS_PER_KEY,
  withoutUrlPaths,
} from './decision-report.ts'
import type { DecisionReportRepository } from './repository.ts'

type Faults = { readonly faults: readonly InputFault[] }
const fault = (field: string, code: string, message: string): Faults => ({ faults: [{ field, code, message }] })

/** A report as it is sent: of a decision of the key, or of a target that is decided for it. */
type ReportInput = {
  readonly decisionId: string | null
  readonly target: string | null
  readonly kind: DecisionReportKind
  readonly expectedAction: Action | null
  readonly text: string
}

type ReportParts = Omit<DecideParts, 'callerState'> & { readonly reports: DecisionReportRepository }

/** Stores what the owner of a key says of one of its decisions, or of a target. */
export async function reportDecision(
  { decisionId, target, kind, expectedAction, text }: ReportInput,
  key: ApiKey,
  parts: ReportParts,
): Promise<{ readonly report: DecisionReport } | Faults> {
  const faults = textFaults('text', text, MAX_REPORT_CHARACTERS)
  if (faults.length > 0) return { faults }
  if ((decisionId === null) === (target === null))
    return fault('decisionId', 'one_of', 'Expected either "decisionId" or "target".')
  // Found before the scan: no decision is stricter, or milder.
  const impossible = target === null ? [] : impossibleActionFaults(kind, expectedAction)
  if (impossible.length > 0) return { faults: impossible }
  const found =
    target !== null
      ? await decideReported(target, kind, key, parts)
      : ((await parts.decisions.find(key.id, decisionId ?? '')) ??
        fault('decisionId', 'not_found', 'Expected "decisionId" to be a decision of this key.'))
  if ('faults' in found) return found
  const { action } = found.judgement
  const expectedFaults = expectedActionFaults(kind, action, expectedAction)
  if (expectedFaults.length > 0) return { faults: expectedFaults }
  const result = await parts.reports.add({
    keyId: key.id,
    decisionId: found.id,
    kind,
    expectedAction,
    text: withoutUrlPaths(text.trim()),
    host: found.judgement.target.host,
    ...feedsIn(found),
    action,
    at: parts.now(),
    isOfTarget: target !== null,
  })
  const field = target === null ? 'decisionId' : 'target'
  switch (result.kind) {
    case 'added':
      return { report: result.report }
    case 'reported':
      return target === null
        ? fault(field, 'reported', 'Expected "decisionId" to be a decision without a report.')
        : TARGET_REPORTED
    case 'too-many':
      return tooMany(field)
  }
}

const TARGET_REPORTED = fault('target', 'reported', 'Expected "target" to have a host without an open report of this kind.')
const tooMany = (field: string) => fault(field, 'too_many', `Expected at most ${MAX_REPORTS_PER_KEY} reports in 24 hours.`)

/** Decides about a target for its report: one scan of the key, none while it may not report. */
async function decideReported(
  target: string,
  kind: DecisionReportKind,
  key: ApiKey,
  parts: ReportParts,
): Promise<Decision | Faults> {
  const type = /^https?:/i.test(target) ? 'url' : 'domain'
  const read = parts.engine.normalise(type, target)
  if (read.kind === 'invalid') return fault('target', read.code, read.message)
  if (await parts.reports.hasOpen(key.id, read.target.host, kind)) return TARGET_REPORTED
  if (!(await parts.reports.hasRoom(key.id, parts.now()))) return tooMany('target')
  const { results } = await decideAll([{ target: { type, value: target } }], {
    ...parts,
    callerState: ([request]) => parts.decisions.callerStateOfKey(key, request ?? null, parts.now(), parts.engine.policyVersion),
  })
  const [result] = results
  if (result?.kind === 'made') return result.decision
  if (result?.kind === 'invalid') return { faults: result.faults }
  return fault('target', 'quota_exceeded', 'Expected a key with a scan left this month: report a decision that it has.')
}

/**
 * Names of the feeds that list the target of a decision, each once, and what each of them lists. Nothing for a listing
 * of another page of the host, of which the report does not speak.
 */
function feedsIn({ request, snapshot }: Pick<Decision, 'request' | 'snapshot'>) {
  const { feeds: evidence } = snapshot.sources
  const hits = evidence.status === 'ok' ? evidence.facts.hits : []
  const feeds = [...new Set(hits.map(({ feed }) => feed))].slice(0, MAX_REPORTED_FEEDS)
  const listings = listingsOf(request.target, snapshot).filter((listing) => coversTarget(listing, request.target))
  const subjects = new Map(listings.map(({ feed, subject }) => [feed, subject]))
  return { feeds, feedSubjects: feeds.map((feed) => subjects.get(feed) ?? '') }
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
