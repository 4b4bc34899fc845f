import type { Resolvers } from '#generated/trust/resolvers.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import type { InputFault } from '../input-fault.ts'
import { requestKey } from '../key/request-key.ts'
import { reportDecision, resolveReport } from './actions.ts'
import type { DecisionReport, DecisionReportStatus } from './decision-report.ts'
import type { DecisionReportRepository } from './repository.ts'

const REPORTS: KeysetList<DecisionReport> = { name: 'decisionReports', parts: ['row'], positionOf: ({ id }) => [id] }

type Page = { readonly first?: number | null; readonly after?: string | null }

async function pageOf(
  reports: DecisionReportRepository,
  listed: {
    readonly keyId: string | null
    readonly status: DecisionReportStatus | null
    readonly decisionId?: string | null
  },
  page: Page,
) {
  const range = keysetRange(REPORTS, page)
  return keysetPage(REPORTS, range, await reports.list(listed, range), () => reports.count(listed))
}

export const decisionReportResolvers = {
  Query: {
    decisionReports: async (_, { status, decisionId, keyId, ...page }, context) => {
      const { id } = await requestKey(keyId, context)
      // PostgreSQL has no text with this character.
      const ofDecision = decisionId?.replaceAll('\0', '') ?? null
      const listed = { keyId: id, status: status ? lowerCase(status) : null, decisionId: ofDecision }
      return pageOf(context.reports, listed, page)
    },
    allDecisionReports: async (_, { status, ...page }, { operatorKey, reports }) => {
      await operatorKey()
      return pageOf(reports, { keyId: null, status: status ? lowerCase(status) : null }, page)
    },
    decisionReportStats: (_, __, { reports, now }) => reports.stats(now()),
  },
  Mutation: {
    reportDecision: async (_, { input }, context) => {
      const { decisionId, target, kind, expectedAction, text, keyId } = input
      const key = await requestKey(keyId, context)
      const result = await reportDecision(
        {
          decisionId: decisionId ?? null,
          target: target ?? null,
          kind: lowerCase(kind),
          expectedAction: expectedAction ? lowerCase(expectedAction) : null,
          text,
        },
        key,
        context,
      )
      return 'faults' in result ? invalid(result.faults) : { __typename: 'ReportDecisionSuccess', report: result.report }
    },
    resolveDecisionReport: async (_, { input }, context) => {
      const { name } = await context.operatorKey()
      const { id, isAccepted, answer, list, entry } = input
      const result = await resolveReport(
        {
          id: decodeId(id, 'DecisionReport'),
          isAccepted,
          answer,
          list: list ? lowerCase(list) : null,
          entry: entry
            ? { ...entry, scope: entry.scope ? lowerCase(entry.scope) : null, expiresAt: entry.expiresAt ?? null }
            : null,
        },
        name,
        context,
      )
      if ('faults' in result) return invalid(result.faults)
      if (result.entry) context.lists.refresh()
      return { __typename: 'ResolveDecisionReportSuccess', report: result.report, entry: result.entry }
    },
  },
  DecisionReport: {
    id: ({ id }) => encodeId('DecisionReport', id),
    decision: ({ decisionId }, _, { load }) => load.decisionById.load(decisionId),
    action: ({ action }) => upperCase(action),
    expectedAction: ({ expectedAction }) => expectedAction && upperCase(expectedAction),
    kind: ({ kind }) => upperCase(kind),
    status: ({ status }) => upperCase(status),
  },
  DecisionReportConnection: connectionFields,
  DecisionReportStats: {
    feeds: ({ feeds }) => [...feeds],
  },
} satisfies Resolvers

const invalid = (faults: readonly InputFault[]) => ({
  __typename: 'InvalidDecisionReport' as const,
  message: faults.map(({ message }) => message).join(' '),
  faults,
})
