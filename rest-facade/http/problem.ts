import type { Refusal } from './parameters.ts'

/** An answer that is not the thing asked for; how its body is spelled is up to the facade. */
export type Problem = {
  readonly status: number
  /** For programs: words in capitals, like the codes of the graph; never changed once published. */
  readonly code: string
  /** For people: one or more sentences that say what to do. */
  readonly message: string
  /** What a program can act on; empty when the code says all. */
  readonly details: Readonly<Record<string, unknown>>
  /** Headers that belong to it, such as when to come back. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What is wrong with one field of a body. */
export type BodyFault = {
  /** JSON Pointer (RFC 6901); empty for the body as a whole. */
  readonly pointer: string
  /** For programs, in lower case. */
  readonly code: string
  readonly message: string
}

/** Every refused parameter at once, so that a client corrects its request in one go. */
export const invalidParameters = (refusals: readonly Refusal[]): Problem =>
  wrongParameters(refusals.map(sentence).join(' '), refusals)

/** The same in words of one's own. */
export const wrongParameters = (message: string, refusals: readonly Refusal[]): Problem => ({
  status: 400,
  code: 'INVALID_PARAMETER',
  message,
  details: { parameters: refusals },
})

const sentence = ({ parameter, expected, got }: Refusal): string =>
  got === null
    ? `The parameter \`${parameter}\` is required: ${expected}.`
    : `Expected \`${parameter}\` to be ${expected}, got ${JSON.stringify(got)}.`

/** The body is no JSON, or no object. */
export const invalidJson = (message: string): Problem => ({ status: 400, code: 'INVALID_JSON', message, details: {} })

/** Every fault of the body at once; `faults` is not empty. */
export const invalidBody = (faults: readonly BodyFault[]): Problem => ({
  status: 422,
  code: 'VALIDATION_FAILED',
  message: faults.map(({ message }) => message).join(' '),
  details: { errors: faults },
})

export const bodyTooLarge = (bytes: number): Problem => ({
  status: 413,
  code: 'PAYLOAD_TOO_LARGE',
  message: `Expected a body of at most ${bytes} bytes.`,
  details: { max: bytes },
})

export const notJson: Problem = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message: 'Expected a body with content-type application/json.',
  details: {},
}

/** What is said with 404 of an item of the directory: all of them can be searched for. */
export const NO_ITEM = 'There is no item with this key. It may have been removed; search for its name instead.'

/** Nothing has the name in the path. */
export const noSuchItem = (message: string): Problem => ({ status: 404, code: 'NOT_FOUND', message, details: {} })

/** No row has this path. `guide` says where the paths are listed. */
export const noSuchPath = (guide: string): Problem => ({
  status: 404,
  code: 'NOT_FOUND',
  message: `There is nothing at this path. ${guide}`,
  details: {},
})

export const methodNotAllowed = (method: string, allowed: readonly string[]): Problem => ({
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: `${method} is not possible here; use ${allowed.join(', ')}.`,
  details: { allowed },
})

export const uriTooLong = (max: number): Problem => ({
  status: 414,
  code: 'URI_TOO_LONG',
  message: `Expected path and query together to have at most ${max} characters.`,
  details: { max },
})

/** The graph refused the values as a whole, which no single parameter's range can say. */
export const refusedByGraph = (messages: readonly string[]): Problem => ({
  status: 400,
  code: 'INVALID_PARAMETER',
  message: messages.join(' '),
  details: {},
})

/** A part of the system that the answer needs is out of reach. */
export const unavailable: Problem = {
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The service cannot answer this right now. Try again in a few seconds.',
  details: {},
}

/** A fault of ours; its cause is in the log under the request id, never in the answer. */
export const internal = (requestId: string): Problem => ({
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Something went wrong on our side; it has been recorded under this request id.',
  details: { requestId },
})
