import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { snakeCase } from '../../platform/text/case.ts'
import { invalidBody, type ProblemDetails } from '../http/problem.ts'

/**
 * Problem details (RFC 9457) with our codes as extension members. `type` adds nothing to `code`.
 */
export const problemDetails = (
  { status, code, message, details }: ProblemDetails,
  { requestId, path }: { readonly requestId: string; readonly path: string },
) => ({
  type: 'about:blank',
  title: TITLES[status] ?? 'Error',
  status,
  detail: message,
  instance: path,
  code: CODES[code] ?? code.toLowerCase(),
  request_id: requestId,
  // Details of internal errors repeat the request id.
  ...(status < 500 && details),
})

/** Reason phrases of HTTP: RFC 9457 §4.2.1 wants them for `about:blank`. */
const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

const CODES: LookupTable<string> = lookupTable({ INTERNAL_SERVER_ERROR: 'internal' })

/** Faults that the graph found in an input, with the field names of the request. */
export const invalidInput = (
  faults: readonly { readonly field: string; readonly code: string; readonly message: string }[],
): ProblemDetails =>
  invalidBody(
    faults.map(({ field, code, message }) => ({
      // No field: the body as a whole.
      pointer: field === '' ? '' : `/${snakeCase(field).replaceAll('.', '/')}`,
      code,
      message: field === '' ? message : message.replaceAll(field, snakeCase(field)),
    })),
  )
