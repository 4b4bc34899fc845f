import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieOf, fieldOf } from '../frame/form.ts'
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

/** The token of the visitor's session of an account, for pages that depend on it; null: none. */
export const accountSessionOf = (request: FastifyRequest, site: Site): string | null => accountCookieOf(site).read(request)

/**
 * A cookie that holds a token: of one shop, out of reach of scripts, and not sent
 * with forms of other sites. Where we are reached by https, plain connections can neither see nor
 * set it.
 */
function tokenCookie(site: Site, { name, maxAgeSeconds }: { readonly name: string; readonly maxAgeSeconds: number }) {
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
      return token !== null && TOKEN.test(token) ? token : null
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
