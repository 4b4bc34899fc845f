import type { ParameterRefusal } from './parameters.ts'

/** A response that is no success. Facades extend it with what their bodies need. */
export type Failure = {
  readonly status: number
  /** For people: one or more sentences that say what to do. */
  readonly message: string
  /** Its own headers, such as `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A failure with a code. How its body is spelled is up to the facade. */
export type ProblemDetails = Failure & {
  /** For programs, in capitals like the codes of GraphQL errors; never changed once published. */
  readonly code: string
  /** What a program can act on; empty when the code suffices. */
  readonly details: Readonly<Record<string, unknown>>
}

/** What is wrong with one field of a body. */
export type BodyFault = {
  /** JSON Pointer (RFC 6901); empty for the body as a whole. */
  readonly pointer: string
  /** For programs, in lower case. */
  readonly code: string
  readonly message: string
}

/** Lists every wrong parameter, so that a client corrects its request at once. */
export const invalidParameters = (refusals: readonly ParameterRefusal[]): ProblemDetails =>
  wrongParameters(refusals.map(sentence).join(' '), refusals)

/** The same with a message of the facade. */
export const wrongParameters = (message: string, refusals: readonly ParameterRefusal[]): ProblemDetails => ({
  status: 400,
  code: 'INVALID_PARAMETER',
  message,
  details: { parameters: refusals },
})

const sentence = ({ parameter, expected, got }: ParameterRefusal): string =>
  got === null
    ? `The parameter \`${parameter}\` is required: ${expected}.`
    : `Expected \`${parameter}\` to be ${expected}, got ${JSON.stringify(got)}.`

/** The body is not JSON, or not an object. */
export const invalidJson = (message: string): ProblemDetails => ({ status: 400, code: 'INVALID_JSON', message, details: {} })

/** Lists every fault of the body; `faults` is not empty. */
export const invalidBody = (faults: readonly BodyFault[]): ProblemDetails => ({
  status: 422,
  code: 'VALIDATION_FAILED',
  message: faults.map(({ message }) => message).join(' '),
  details: { errors: faults },
})

export const bodyTooLarge = (bytes: number): ProblemDetails => ({
  status: 413,
  code: 'PAYLOAD_TOO_LARGE',
  message: `Expected a body of at most ${bytes} bytes.`,
  details: { max: bytes },
})

export const wrongMediaType = (mediaTypes: readonly string[]): ProblemDetails => ({
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message: `Expected a body with content-type ${mediaTypes.join(' or ')}.`,
  details: {},
})

/** Message of the 404 of a directory item: all of them can be searched for. */
export const NO_ITEM = 'There is no item with this key. It may have been removed; search for its name instead.'

/** The path is known and names nothing. */
export const noSuchItem = (message: string): ProblemDetails => ({ status: 404, code: 'NOT_FOUND', message, details: {} })

/** The path is unknown. `docsHint` says where the paths are listed. */
export const noSuchPath = (docsHint: string): ProblemDetails => ({
  status: 404,
  code: 'NOT_FOUND',
  message: `There is nothing at this path. ${docsHint}`,
  details: {},
})

export const methodNotAllowed = (method: string, allowed: readonly string[]): ProblemDetails => ({
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: `${method} is not possible here; use ${allowed.join(', ')}.`,
  details: { allowed },
})

export const uriTooLong = (max: number): ProblemDetails => ({
  status: 414,
  code: 'URI_TOO_LONG',
  message: `Expected path and query together to have at most ${max} characters.`,
  details: { max },
})

/** The graph rejected the values together, which no single parameter's range can express. */
export const rejectedByGraph = (messages: readonly string[]): ProblemDetails => ({
  status: 400,
  code: 'INVALID_PARAMETER',
  message: messages.join(' '),
  details: {},
})

/** A subgraph that the response needs cannot be reached. */
export const unavailable: ProblemDetails = {
  status: 503,
  code: 'UNAVAILABLE',
  message: 'The service cannot answer this right now. Try again in a few seconds.',
  details: {},
}

/** An internal error: its cause is logged under the request id, and never in the response. */
export const internal = (requestId: string): ProblemDetails => ({
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Something went wrong on our side; it has been recorded under this request id.',
  details: { requestId },
})

/**
 * JSON of a problem as the directory and the social facade spell it: like a GraphQL error, with its
 * code.
 */
export const errorBody = ({ code, message, details }: ProblemDetails): string =>
  JSON.stringify({ error: { code, message, details } })
