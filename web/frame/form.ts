import type { FastifyInstance, FastifyRequest } from 'fastify'

/** More than most forms of ours hold. */
export const MAX_FORM_BYTES = 8_000
/**
 * A refund of an order has the most fields: one for each of 500 lines. Fields cost more than their
 * bytes: URLSearchParams takes seconds for 500,000 empty ones.
 */
const MAX_FORM_FIELDS = 2_000

/** Lets routes of this scope read forms of HTML, and nothing else. */
export function acceptForms(scope: FastifyInstance, maxBytes = MAX_FORM_BYTES): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: maxBytes }, (_, body, done) => {
    const text = String(body)
    if (hasTooManyFields(text)) done(new TooManyFormFields())
    else done(null, new URLSearchParams(text))
  })
}

/** Fastify answers with this status. */
class TooManyFormFields extends Error {
  readonly statusCode = 413
  constructor() {
    super(`Expected a form of at most ${MAX_FORM_FIELDS} fields.`)
  }
}

function hasTooManyFields(text: string): boolean {
  let count = 1
  for (let at = text.indexOf('&'); at !== -1 && count <= MAX_FORM_FIELDS; at = text.indexOf('&', at + 1)) count++
  return count > MAX_FORM_FIELDS
}

/** A field of the form that was sent; empty when there is none. */
export const fieldOf = ({ body }: FastifyRequest, name: string): string =>
  body instanceof URLSearchParams ? (body.get(name) ?? '') : ''

/** Names of the fields of the form that was sent, each once. */
export const fieldNamesOf = ({ body }: FastifyRequest): readonly string[] =>
  body instanceof URLSearchParams ? [...new Set(body.keys())] : []

/**
 * Whether a form was sent by a page of ours, as far as the browser says: other pages cannot make it
 * say so.
 */
export function isSameOrigin({ headers, host }: FastifyRequest): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)
}

/** The value of a cookie; null when it was not sent. */
export function cookieOf({ headers: { cookie = '' } }: FastifyRequest, name: string): string | null {
  const found = cookie.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`))
  return found?.slice(found.indexOf('=') + 1).trim() ?? null
}
