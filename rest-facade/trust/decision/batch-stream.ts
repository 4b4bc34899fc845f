import { DecideDocument, GetUsageDocument } from '#generated/operations.ts'
import type { OpenStream, RunDocument } from '../../http/endpoint.ts'
import { toProblem } from '../../http/error-masking.ts'
import type { ProblemDetails } from '../../http/problem.ts'
import { problemDetails } from '../problem-details.ts'
import { usageHeaders } from '../usage-headers.ts'
import type { DecideRequestBody } from './request-body.ts'
import { decisionBody, problemOfResult } from './response-body.ts'

export const NDJSON = 'application/x-ndjson'

/** Elements of one response that are decided at once; others begin when a row was read. */
const MAX_CONCURRENT_ROWS = 8

/** An element of a batch, or why it is none. */
type Element = DecideRequestBody | { readonly problem: ProblemDetails }

/**
 * Decides the elements of a batch one by one, and writes a line for each as soon as it is decided:
 * not in their order, so that each has the index of its element.
 */
export const openRows =
  (elements: readonly Element[], run: RunDocument, requestId: string): OpenStream<ProblemDetails> =>
  async () => {
    const { data, errors } = await run(GetUsageDocument, {})
    if (data === null || errors.length > 0) return { errors }
    return { contentType: NDJSON, pieces: rowsOf(elements, run, requestId), headers: usageHeaders(data.usage) }
  }

async function* rowsOf(elements: readonly Element[], run: RunDocument, requestId: string): AsyncGenerator<string> {
  const deciding = new Map<number, Promise<{ readonly index: number; readonly line: string }>>()
  let next = 0
  while (next < elements.length || deciding.size > 0) {
    for (; next < elements.length && deciding.size < MAX_CONCURRENT_ROWS; next += 1) {
      const [index, element] = [next, elements[next]]
      if (element)
        deciding.set(
          index,
          rowOf(index, element, run, requestId).then((row) => ({ index, line: lineOf(row) })),
        )
    }
    const { index, line } = await Promise.race(deciding.values())
    deciding.delete(index)
    yield line
  }
}

const lineOf = (row: object): string => `${JSON.stringify(row)}\n`

async function rowOf(index: number, element: Element, run: RunDocument, requestId: string) {
  if ('problem' in element) return problemRow(index, element.problem)
  const { data, errors } = await run(DecideDocument, { input: element.input })
  if (data === null || errors.length > 0) return problemRow(index, toProblem(errors, requestId, '').problem)
  const { result } = data
  const problem = problemOfResult(result, result.usage)
  if (problem) return problemRow(index, problem)
  if (result.__typename !== 'DecisionMade') throw new Error('Expected a decision where there is no problem.')
  return { index, status: 200, decision: decisionBody(result.decision, element.includesEvidence) }
}

/** As in a batch that is not streamed, and with the seconds to wait, which have no header here. */
function problemRow(index: number, problem: ProblemDetails) {
  const { request_id: _, ...details } = problemDetails(problem, { requestId: '', path: `/v1/decide/batch#/requests/${index}` })
  const wait = problem.headers?.['retry-after']
  return { index, status: problem.status, problem: { ...details, ...(wait !== undefined && { retry_after: Number(wait) }) } }
}
