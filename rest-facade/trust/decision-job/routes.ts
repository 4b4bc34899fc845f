import {
  CancelDecisionJobDocument,
  CreateDecisionJobDocument,
  GetDecisionJobDocument,
  ListDecisionJobResultsDocument,
  type ListDecisionJobResultsQuery,
  ListDecisionJobsDocument,
  type WireJobFragment,
} from '#generated/operations.ts'
import { lowerCase } from '../../../platform/text/case.ts'
import type { RunDocument } from '../../http/endpoint.ts'
import { noSuchItem, type ProblemDetails } from '../../http/problem.ts'
import { route } from '../../http/route.ts'
import { invalidInput } from '../problem-details.ts'
import { jobFormat, jobRequest } from './request-body.ts'
import { RESULT_FORMATS, type ResultFormat, resultBody, resultLines, typeOfFormat } from './result-formats.ts'

const NO_JOB = 'This key has no job with this id. It may have expired, or belong to another key.'
/** Rows of one read: few requests for 10,000 results, and a response that fits into memory. */
const PAGE_ROWS = 1_000

export const decisionJobRoutes = [
  route({
    on: 'POST /v1/decide/jobs',
    run: CreateDecisionJobDocument,
    bodyFormat: jobFormat,
    accepts: jobRequest,
    status: 202,
    parameters: { idempotency_key: { kind: 'text', max: 100 } },
    variables: ({ body, query }) => ({ inputs: body, idempotencyKey: query.idempotency_key }),
    problem: ({ result }) => {
      if (result.__typename === 'InvalidDecisionJob') return invalidInput(result.faults)
      if (result.__typename === 'DecisionJobConflict') return otherInputs(result.message)
      return result.__typename === 'DecisionJobLimitReached' ? limitReached(result.message) : null
    },
    body: ({ result }) => (result.__typename === 'CreateDecisionJobSuccess' ? jobBody(result.job) : null),
  }),
  route({
    on: 'GET /v1/decide/jobs',
    run: ListDecisionJobsDocument,
    parameters: {
      limit: { kind: 'integer', min: 1, max: 100, default: 20 },
      after: { kind: 'text', max: 1_000 },
    },
    variables: ({ query: { limit, after } }) => ({ first: limit, after }),
    body: ({ jobs: { edges, pageInfo, totalCount } }) => ({
      total: totalCount,
      results: edges.map(({ node }) => jobBody(node)),
      next: pageInfo.hasNextPage ? pageInfo.endCursor : null,
    }),
  }),
  route({
    on: 'GET /v1/decide/jobs/{id}',
    run: GetDecisionJobDocument,
    variables: ({ path: { id } }) => ({ id }),
    body: ({ job }) => job && jobBody(job),
  }),
  route({
    on: 'DELETE /v1/decide/jobs/{id}',
    run: CancelDecisionJobDocument,
    variables: ({ path: { id } }) => ({ id }),
    problem: ({ result }) => (result.__typename === 'DecisionJobNotFound' ? noSuchItem(NO_JOB) : null),
    body: ({ result }) => (result.__typename === 'CancelDecisionJobSuccess' ? jobBody(result.job) : null),
  }),
  route({
    on: 'GET /v1/decide/jobs/{id}/results',
    run: ListDecisionJobResultsDocument,
    parameters: {
      format: { kind: 'enum', values: RESULT_FORMATS },
      limit: { kind: 'integer', min: 1, max: PAGE_ROWS, default: 100 },
      after: { kind: 'text', max: 1_000 },
    },
    variables: ({ path: { id }, query: { limit, after } }) => ({ id, first: limit, after }),
    body: ({ job }) =>
      job && {
        total: job.results.totalCount,
        results: job.results.edges.map(({ node }) => resultBody(node)),
        next: job.results.pageInfo.hasNextPage ? job.results.pageInfo.endCursor : null,
      },
    stream: ({ path: { id }, query: { format, after }, accept }, run) => {
      const wanted = format ?? RESULT_FORMATS.find((each) => accept.toLowerCase().includes(typeOfFormat(each))) ?? 'json'
      return wanted === 'json' ? null : streamedResults(wanted, { id, after }, run)
    },
  }),
]

const jobBody = ({ state, ...job }: WireJobFragment) => ({
  ...job,
  state: lowerCase(state),
  /** Share of the targets that are finished, 0 to 1. */
  progress: Math.floor((1_000 * job.finished) / job.targets) / 1_000,
})

const otherInputs = (message: string): ProblemDetails => ({ status: 409, code: 'IDEMPOTENCY_CONFLICT', message, details: {} })
const limitReached = (message: string): ProblemDetails => ({ status: 429, code: 'JOB_LIMIT_REACHED', message, details: {} })

/** All results after `after`, a page at a time: the next one is read when the client has read the last. */
function streamedResults(
  format: Exclude<ResultFormat, 'json'>,
  { id, after }: { readonly id: string; readonly after: string | null },
  run: RunDocument,
) {
  const page = (cursor: string | null) => run(ListDecisionJobResultsDocument, { id, first: PAGE_ROWS, after: cursor })
  return async () => {
    const first = await page(after)
    if (first.data === null || first.errors.length > 0) return { errors: first.errors }
    if (first.data.job === null) return { failure: noSuchItem(NO_JOB), reason: 'missing' as const }
    return { contentType: typeOfFormat(format), pieces: pieces(first.data.job) }
  }

  async function* pieces(first: NonNullable<ListDecisionJobResultsQuery['job']>): AsyncGenerator<string> {
    yield resultLines(format, null)
    for (let job = first; ; ) {
      const { edges, pageInfo } = job.results
      yield resultLines(format, edges)
      if (!pageInfo.hasNextPage) return
      const { data } = await page(pageInfo.endCursor)
      // The response ends without its last chunk: a client does not take it for complete.
      if (!data?.job) throw new Error('The results could not be read to their end.')
      job = data.job
    }
  }
}
