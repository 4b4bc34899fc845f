import type { Resolvers } from '#generated/trust/resolvers.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { decodeId, encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import type { InputFault } from '../input-fault.ts'
import { reportDecision, resolveReport } from './actions.ts'
import type { DecisionReport, DecisionReportStatus } from './decision-report.ts'
import type { DecisionReportRepository } from './repository.ts'

const REPORTS: KeysetList<DecisionReport> = { name: 'decisionReports', parts: ['row'], positionOf: ({ id }) => [id] }

type Page = { readonly first?: number | null; readonly after?: string | null }

async function pageOf(
  reports: DecisionReportRepository,
  listed: { readonly keyId: string | null; readonly status: DecisionReportStatus | null },
  page: Page,
) {
  const range = keysetRange(REPORTS, page)
  return keysetPage(REPORTS, range, await reports.list(listed, range), () => reports.count(listed))
}

export const decisionReportResolvers = {
  Query: {
    decisionReports: async (_, { status, ...page }, { rateLimitedKey, reports }) => {
      const { id: keyId } = await rateLimitedKey(1)
      return pageOf(reports, { keyId, status: status ? lowerCase(status) : null }, page)
    },
    allDecisionReports: async (_, { status, ...page }, { operatorKey, reports }) => {
      await operatorKey()
      return pageOf(reports, { keyId: null, status: status ? lowerCase(status) : null }, page)
    },
  },
  Mutation: {
    reportDecision: async (_, { input: { decisionId, kind, text } }, context) => {
      const { id: keyId } = await context.rateLimitedKey(1)
      const result = await reportDecision({ decisionId, kind: lowerCase(kind), text }, keyId, context)
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
    action: ({ action }) => upperCase(action),
    kind: ({ kind }) => upperCase(kind),
    status: ({ status }) => upperCase(status),
  },
  DecisionReportConnection: connectionFields,
} satisfies Resolvers

const invalid = (faults: readonly InputFault[]) => ({
  __typename: 'InvalidDecisionReport' as const,
  message: faults.map(({ message }) => message).join(' '),
  faults,
})
