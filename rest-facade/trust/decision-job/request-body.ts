import { z } from 'zod'
import { withoutFormulaGuard } from '../../../platform/text/csv.ts'
import { type CsvFault, parseCsv } from '../../../platform/text/parse-csv.ts'
import { parseJson } from '../../http/body.ts'
import { invalidBody, type ProblemDetails } from '../../http/problem.ts'
import type { BodyFormat } from '../../http/route.ts'
import { decideRequest } from '../decision/request-body.ts'

const MAX_TARGETS = 10_000
const CSV = 'text/csv'
/** Twice 10,000 URLs of 100 characters. */
const MAX_BODY_BYTES = 2_000_000

/** A list of targets as JSON or CSV. */
export const jobFormat: BodyFormat = {
  mediaTypes: ['application/json', CSV],
  maxBytes: MAX_BODY_BYTES,
  parse(text, mediaType) {
    if (mediaType === CSV) return fromCsv(text)
    const parsed = parseJson(text)
    if ('problem' in parsed) return parsed
    const { value } = parsed
    // The form of a batch is a job as well.
    const isBatch = typeof value === 'object' && value !== null && !Array.isArray(value) && 'requests' in value
    return { value: isBatch ? value.requests : value }
  },
}

const expectation = `a list of 1 to ${MAX_TARGETS} targets`

/** Targets of a job: objects as of `POST /v1/decide`, or host names. */
export const jobRequest = z
  .array(
    z.preprocess((given) => (typeof given === 'string' ? { domain: given } : given), decideRequest),
    { error: expectation },
  )
  .min(1, { error: expectation })
  .max(MAX_TARGETS, { error: expectation })
  .transform((requests) => requests.map(({ input }) => input))

/** Columns beside `target`, and where they stand in a request. */
const COLUMNS = ['kind', 'mode', 'sensitivity'] as const

/** The first record names the columns when one of them is `target`; else there is one column of targets. */
function fromCsv(text: string): { readonly value: unknown } | { readonly problem: ProblemDetails } {
  const parsed = parseCsv(text, MAX_TARGETS + 1)
  if ('fault' in parsed) return { problem: csvProblem(parsed.fault) }
  const [first = [], ...rest] = parsed.records
  const names = first.map((name) => name.trim().toLowerCase())
  if (names.includes('target')) return { value: rest.map(requestReader(names)) }
  const wide = parsed.records.findIndex(({ length }) => length > 1)
  if (wide !== -1)
    return { problem: csvProblem({ line: wide + 1, message: 'a header with the column `target`, or one field in each record' }) }
  return { value: parsed.records.map(requestReader(['target'])) }
}

/** Reads records with these columns, which are looked up once: a header may have a million of them. */
function requestReader(names: readonly string[]) {
  const columns = COLUMNS.map((name) => [name, names.indexOf(name)] as const)
  const [target, policy] = [names.indexOf('target'), names.indexOf('policy')]
  return (record: readonly string[]) => {
    const cell = (column: number): string | undefined => record[column]?.trim() || undefined
    const interaction = columns.flatMap(([name, column]) => {
      const value = cell(column)
      return value === undefined ? [] : [[name, value] as const]
    })
    const profile = cell(policy)
    const value = withoutFormulaGuard(cell(target) ?? '')
    return {
      target: { type: value.includes('/') ? 'url' : 'domain', value },
      ...(interaction.length > 0 && { interaction: Object.fromEntries(interaction) }),
      ...(profile !== undefined && { policy: { profile } }),
    }
  }
}

const csvProblem = ({ line, message }: CsvFault): ProblemDetails =>
  invalidBody([{ pointer: '', code: 'csv', message: `Expected ${message} in line ${line} of the CSV.` }])
