import { ListReportsDocument, ReportDecisionDocument, type WireReportFragment } from '#generated/operations.ts'
import { lowerCase, upperCase } from '../../../platform/text/case.ts'
import { route } from '../../http/route.ts'
import { invalidInput } from '../problem-details.ts'
import { decisionReport } from './request-body.ts'

export const decisionReportRoutes = [
  route({
    on: 'GET /v1/reports',
    run: ListReportsDocument,
    parameters: {
      status: { kind: 'enum', values: ['open', 'accepted', 'rejected'] },
      decision_id: { kind: 'text', max: 200 },
      limit: { kind: 'integer', min: 1, max: 100, default: 20 },
      after: { kind: 'text', max: 1_000 },
    },
    variables: ({ query: { status, decision_id, limit, after } }) => ({
      status: status && upperCase(status),
      decisionId: decision_id,
      first: limit,
      after,
    }),
    body: ({ reports: { edges, pageInfo, totalCount } }) => ({
      total: totalCount,
      results: edges.map(({ node }) => reportBody(node)),
      next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    }),
  }),
  route({
    on: 'POST /v1/reports',
    run: ReportDecisionDocument,
    accepts: decisionReport,
    variables: ({ body: { decision_id, target, kind, expected_action, text } }) => ({
      input: { decisionId: decision_id, target, kind, expectedAction: expected_action, text },
    }),
    problem: ({ result }) => (result.__typename === 'InvalidDecisionReport' ? invalidInput(result.faults) : null),
    body: ({ result }) => (result.__typename === 'ReportDecisionSuccess' ? reportBody(result.report) : null),
  }),
]

const reportBody = ({ action, kind, status, ...rest }: WireReportFragment) => ({
  ...rest,
  action: lowerCase(action),
  kind: lowerCase(kind),
  status: lowerCase(status),
})
