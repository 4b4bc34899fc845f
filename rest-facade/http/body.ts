import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import type { LargeBody } from './endpoint.ts'
import { excerptOf } from './excerpt.ts'
import { type BodyFault, bodyTooLarge, invalidBody, invalidJson, type ProblemDetails, wrongMediaType } from './problem.ts'
import type { BodyFormat } from './route.ts'

/**
 * Accepts JSON media types and leaves parsing to endpoints, so that its faults are reported like
 * all others.
 */
export function acceptJson(
  scope: FastifyInstance,
  { parseAs, maxBytes }: { readonly parseAs: 'string' | 'buffer'; readonly maxBytes: number },
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i, { parseAs, bodyLimit: maxBytes }, (_, body, done) =>
    done(null, body),
  )
}

/** Accepts the media types of a large body as text. */
export function acceptText(scope: FastifyInstance, { mediaTypes, maxBytes }: LargeBody): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser([...mediaTypes], { parseAs: 'string', bodyLimit: maxBytes }, (_, body, done) => done(null, body))
}

/** Maps Fastify's errors about bodies; null for other errors. */
export function bodyProblem(
  { statusCode }: { readonly statusCode?: number },
  maxBytes: number,
  mediaTypes: readonly string[] = ['application/json'],
): ProblemDetails | null {
  if (statusCode === 413) return bodyTooLarge(maxBytes)
  if (statusCode === 415) return wrongMediaType(mediaTypes)
  return statusCode === 400 ? invalidJson('Expected a body as long as content-length says.') : null
}

/** Parses the text of a body and validates it against `schema`; without a format, it is a JSON object. */
export function readBody(
  schema: z.ZodType,
  text: unknown,
  format: BodyFormat | null = null,
  contentType = '',
): { readonly value: unknown } | { readonly problem: ProblemDetails } {
  if (typeof text !== 'string' || text.trim() === '')
    return { problem: invalidJson(`Expected a body of ${format ? format.mediaTypes.join(' or ') : 'JSON'}, got an empty one.`) }
  const mediaType = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const given = format ? format.parse(text, mediaType) : parseJsonObject(text)
  if ('problem' in given) return given
  const read = readValue(schema, given.value)
  return 'faults' in read ? { problem: invalidBody(read.faults.slice(0, MAX_FAULTS)) } : read
}

/** Faults of a body in one response: of 10,000 rows, each may have one. */
const MAX_FAULTS = 100

function parseJsonObject(text: string): { readonly value: object } | { readonly problem: ProblemDetails } {
  const given = parseJson(text)
  if ('problem' in given) return given
  const { value } = given
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { problem: invalidJson(`Expected a JSON object, got ${kindOf(value)}.`) }
  }
  return { value }
}

/** The value of a JSON text. */
export function parseJson(text: string): { readonly value: unknown } | { readonly problem: ProblemDetails } {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { problem: invalidJson('Expected a body of valid JSON.') }
  }
}

/** Validates a value against `schema`; returns the parsed value, or every fault. */
export function readValue<Read>(
  schema: z.ZodType<Read>,
  given: unknown,
): { readonly value: Read } | { readonly faults: readonly BodyFault[] } {
  const result = schema.safeParse(given)
  if (result.success) return { value: result.data }
  return { faults: result.error.issues.map(({ path, message, code }) => faultAt(path, message, code, given)) }
}

function faultAt(path: readonly PropertyKey[], expectation: string, code: string, given: unknown): BodyFault {
  const got = path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    given,
  )
  const name = path.length === 0 ? 'the body' : `\`${path.map(String).join('.')}\``
  return {
    pointer: path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
    code: got === undefined ? 'missing' : code,
    message: `Expected ${name} to be ${expectation}, got ${got === undefined ? 'nothing' : excerpt(got)}.`,
  }
}

/** A short form of a value for messages. */
function excerpt(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'object' ? kindOf(value) : String(value)
  return JSON.stringify(excerptOf(value))
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
