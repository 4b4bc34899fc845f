import type { FastifyInstance, FastifyRequest } from 'fastify'

/** More than most forms of ours hold. */
export const MAX_FORM_BYTES = 8_000

/** Lets routes of this scope read forms of HTML, and nothing else. */
export function acceptForms(scope: FastifyInstance, maxBytes = MAX_FORM_BYTES): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string', bodyLimit: maxBytes }, (_, body, done) =>
    done(null, new URLSearchParams(String(body))),
  )
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
