import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieOf, fieldOf } from '../frame/form.ts'
import type { PageSession } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'

/** As long as a cart is kept after its last change. */
const CART_SECONDS = 30 * 24 * 3_600
const TOKEN = /^[\w-]{43}$/

/** The field of forms that holds the token of a cart's forms. */
export const CART_FORM_TOKEN = 'token'

/** A cookie with a token; see `tokenCookie`. */
export type TokenCookie = ReturnType<typeof tokenCookie>

/** As long as a session of an account lasts. */
const SESSION_SECONDS = 30 * 24 * 3_600

/** The cookie that holds the token of a cart. */
export const cartCookieOf = (site: Site): TokenCookie => tokenCookie(site, { name: 'cart', maxAgeSeconds: CART_SECONDS })

/** The cookie that holds the token of a session of a customer account. */
export const accountCookieOf = (site: Site): TokenCookie => tokenCookie(site, { name: 'shopper', maxAgeSeconds: SESSION_SECONDS })

/** An ISO 4217 code, of a currency that there may be. */
export const CURRENCY_CODE = /^[A-Z]{3}$/

/** How long a chosen currency is kept. */
const CURRENCY_SECONDS = 365 * 24 * 3_600

/** The cookie that holds the currency that a visitor chose, an ISO 4217 code. */
export const currencyCookieOf = (site: Site): TokenCookie =>
  tokenCookie(site, { name: 'currency', maxAgeSeconds: CURRENCY_SECONDS, pattern: CURRENCY_CODE })

/** What pages of a shop depend on of a visitor's cookies; null: nothing. */
export function shopSessionOf(request: FastifyRequest, site: Site): PageSession | null {
  const session = { account: accountCookieOf(site).read(request), currency: currencyCookieOf(site).read(request) }
  return session.account === null && session.currency === null ? null : session
}

/**
 * A cookie that holds a token: of one shop, out of reach of scripts, and not sent
 * with forms of other sites. Where we are reached by https, plain connections can neither see nor
 * set it.
 */
function tokenCookie(
  site: Site,
  { name, maxAgeSeconds, pattern = TOKEN }: { readonly name: string; readonly maxAgeSeconds: number; readonly pattern?: RegExp },
) {
  const isSecure = ({ protocol }: FastifyRequest): boolean => site.publicUrl.startsWith('https:') || protocol === 'https'
  const nameFor = (request: FastifyRequest): string => (isSecure(request) ? `__Secure-${name}` : name)
  function set(reply: FastifyReply, code: string, token: string, seconds: number): void {
    const { request } = reply
    const parts = [
      `${nameFor(request)}=${token}`,
      `Path=${site.at(`/shops/${code}`)}`,
      `Max-Age=${seconds}`,
      'HttpOnly',
      'SameSite=Lax',
      ...(isSecure(request) ? ['Secure'] : []),
    ]
    reply.header('set-cookie', parts.join('; '))
  }
  return {
    /** The token of the visitor; null: none. */
    read(request: FastifyRequest): string | null {
      const token = cookieOf(request, nameFor(request))
      return token !== null && pattern.test(token) ? token : null
    },
    keep: (reply: FastifyReply, code: string, token: string): void => set(reply, code, token, maxAgeSeconds),
    forget: (reply: FastifyReply, code: string): void => set(reply, code, '', 0),
  }
}

/** Stands in every form about a cart: who does not have its cookie cannot know it. */
export const formTokenOf = (cart: string): string =>
  createHash('sha256').update(`form of cart ${cart}`).digest('base64url').slice(0, 22)

/** Whether a form comes from a page about this cart. */
export function isFormOf(cart: string, request: FastifyRequest): boolean {
  const [token, expected] = [Buffer.from(fieldOf(request, CART_FORM_TOKEN)), Buffer.from(formTokenOf(cart))]
  return token.length === expected.length && timingSafeEqual(token, expected)
}
