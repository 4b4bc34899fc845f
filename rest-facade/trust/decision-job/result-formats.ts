import type { WireJobResultFragment } from '#generated/operations.ts'
import { lowerCase, snakeCase } from '../../../platform/text/case.ts'
import { csvField } from '../../../platform/text/csv.ts'
import { verdictBody } from '../watched-domain/response-body.ts'

/** Forms of results: a page, or all of them. */
export const RESULT_FORMATS = ['csv', 'ndjson', 'json'] as const
export type ResultFormat = (typeof RESULT_FORMATS)[number]

const TYPES: Readonly<Record<ResultFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
}

/** Media type of a format. */
export const typeOfFormat = (format: ResultFormat): string => TYPES[format]

/** One result as JSON. */
export const resultBody = ({ state, verdict, faults, ...result }: WireJobResultFragment) => ({
  ...result,
  state: lowerCase(state),
  ...(verdict ? verdictBody(verdict) : { action: null, scores: null, reason_codes: [] }),
  errors: faults.map(({ field, code, message }) => ({ field: snakeCase(field), code, message })),
})

const COLUMNS = [
  ...['index', 'target', 'state', 'action', 'confidence', 'trust', 'threat', 'deviation'],
  ...['reason_codes', 'request_id', 'valid_until', 'error'],
]

/** Lines of results; null: what stands before the first. */
export function resultLines(
  format: Exclude<ResultFormat, 'json'>,
  edges: readonly { readonly node: WireJobResultFragment }[] | null,
): string {
  if (format === 'ndjson') return (edges ?? []).map(({ node }) => `${JSON.stringify(resultBody(node))}\n`).join('')
  return edges === null ? `${COLUMNS.join(',')}\n` : edges.map(({ node }) => csvLine(node)).join('')
}

function csvLine({ index, target, state, verdict, confidence, request_id, valid_until, faults }: WireJobResultFragment): string {
  const cells = [
    ...[index, target, lowerCase(state), verdict ? lowerCase(verdict.action) : '', confidence ?? ''],
    ...[verdict?.trustScore ?? '', verdict?.threatScore ?? '', verdict?.deviationScore ?? ''],
    ...[verdict?.reason_codes.join(' ') ?? '', request_id ?? '', valid_until ?? ''],
    faults.map(({ message }) => message).join(' '),
  ]
  return `${cells.map(csvField).join(',')}\n`
}
