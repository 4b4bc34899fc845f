import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import { invalidBody, type Problem } from '../http/problem.ts'

/** RFC 9457, with our codes beside its members. `type` says nothing that `code` does not. */
export const problemDetails = (
  { status, code, message, details }: Problem,
  { requestId, path }: { readonly requestId: string; readonly path: string },
) => ({
  type: 'about:blank',
  title: TITLES[status] ?? 'Error',
  status,
  detail: message,
  instance: path,
  code: CODES[code] ?? code.toLowerCase(),
  request_id: requestId,
  // Of a fault of ours they hold the request id once more.
  ...(status < 500 && details),
})

/** The phrases of HTTP, as `about:blank` wants them. */
const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Content Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
}

const CODES: LookupTable<string> = lookupTable({ INTERNAL_SERVER_ERROR: 'internal' })

/** What the graph found wrong with an input, with its fields as the wire spells them. */
export const invalidInput = (
  faults: readonly { readonly field: string; readonly code: string; readonly message: string }[],
): Problem =>
  invalidBody(
    faults.map(({ field, code, message }) => ({
      // No field: the body as a whole.
      pointer: field === '' ? '' : `/${snake(field).replaceAll('.', '/')}`,
      code,
      message: field === '' ? message : message.replaceAll(field, snake(field)),
    })),
  )

const snake = (field: string): string => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
