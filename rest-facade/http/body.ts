import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { excerptOf } from './excerpt.ts'
import { type BodyFault, bodyTooLarge, invalidBody, invalidJson, notJson, type ProblemDetails } from './problem.ts'

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

/** Maps Fastify's errors about bodies; null for other errors. */
export function bodyProblem({ statusCode }: { readonly statusCode?: number }, maxBytes: number): ProblemDetails | null {
  if (statusCode === 413) return bodyTooLarge(maxBytes)
  if (statusCode === 415) return notJson
  return statusCode === 400 ? invalidJson('Expected a body as long as content-length says.') : null
}

/** Parses the text of a body and validates it against `schema`. */
export function readBody(schema: z.ZodType, text: unknown): { readonly value: unknown } | { readonly problem: ProblemDetails } {
  if (typeof text !== 'string' || text.trim() === '')
    return { problem: invalidJson('Expected a body of JSON, got an empty one.') }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch {
    return { problem: invalidJson('Expected a body of valid JSON.') }
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { problem: invalidJson(`Expected a JSON object, got ${kindOf(given)}.`) }
  }
  const read = readValue(schema, given)
  return 'faults' in read ? { problem: invalidBody(read.faults) } : read
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
