import { DecideBatchDocument, DecideDocument, GetDecisionDocument, ReplayDecisionDocument } from '#generated/operations.ts'
import { lowerCase } from '../../../platform/text/case.ts'
import { route } from '../../http/route.ts'
import { problemDetails } from '../problem-details.ts'
import { usageHeaders } from '../usage-headers.ts'
import { NDJSON, openRows } from './batch-stream.ts'
import { batchRequest, decideRequest } from './request-body.ts'
import { decisionBody, problemOfResult, validityHeaders } from './response-body.ts'

export const decisionRoutes = [
  route({
    on: 'POST /v1/decide',
    aliases: ['/decide', '/api/v1/decide'],
    run: DecideDocument,
    accepts: decideRequest,
    variables: ({ body: { input } }) => ({ input }),
    problem: ({ result }) => problemOfResult(result, result.usage),
    headers: ({ result }) => ({
      ...usageHeaders(result.usage),
      ...(result.__typename === 'DecisionMade' && validityHeaders(result.decision, Date.now())),
    }),
    body: ({ result }, { body: { includesEvidence } }) =>
      result.__typename === 'DecisionMade' ? decisionBody(result.decision, includesEvidence) : null,
  }),
  route({
    on: 'POST /v1/decide/batch',
    aliases: ['/decide/batch', '/api/v1/decide/batch'],
    run: DecideBatchDocument,
    accepts: batchRequest,
    variables: ({ body }) => ({ inputs: body.flatMap((each) => ('problem' in each ? [] : [each.input])) }),
    headers: ({ batch }) => usageHeaders(batch.usage),
    stream: ({ body, accept }, run, requestId) => (accept.toLowerCase().includes(NDJSON) ? openRows(body, run, requestId) : null),
    body: ({ batch: { results, usage } }, { body }) => {
      const iterator = results.values()
      return {
        results: body.map((element, index) => {
          const at = { requestId: '', path: `/v1/decide/batch#/requests/${index}` }
          const refusal = (problem: Parameters<typeof problemDetails>[0]) => {
            const { request_id, ...details } = problemDetails(problem, at)
            return { status: problem.status, problem: details }
          }
          if ('problem' in element) return refusal(element.problem)
          const result = iterator.next().value
          const problem = result && problemOfResult(result, usage)
          if (problem) return refusal(problem)
          if (result?.__typename !== 'DecisionMade') throw new Error('Expected a result per element of the batch.')
          return { status: 200, decision: decisionBody(result.decision, element.includesEvidence) }
        }),
      }
    },
  }),
  route({
    on: 'GET /v1/decisions/{id}',
    aliases: ['/api/v1/decisions/{id}'],
    run: GetDecisionDocument,
    variables: ({ path: { id } }) => ({ id }),
    headers: ({ usage }) => usageHeaders(usage),
    body: ({ decision }) =>
      decision && {
        ...decisionBody(decision, true),
        decided_at: decision.decided_at,
        elapsed_ms: decision.elapsed_ms,
        audit: {
          ...decision.audit,
          base: lowerCase(decision.audit.base),
          floors: decision.audit.floors.map(({ rule, action }) => ({ rule, action: lowerCase(action) })),
        },
      },
  }),
  route({
    on: 'POST /v1/decisions/{id}/replay',
    aliases: ['/api/v1/decisions/{id}/replay'],
    run: ReplayDecisionDocument,
    variables: ({ path: { id } }) => ({ id }),
    headers: ({ usage }) => usageHeaders(usage),
    body: ({ decision }) => decision && { request_id: decision.id, ...decision.replay },
  }),
]
