import type { FastifyReply, FastifyRequest } from 'fastify'
import { newFormToken, type Visit } from '../frame/form-token.ts'
import type { Seal } from '../frame/seal.ts'
import { sealedCookies } from '../frame/sealed-cookies.ts'

/** As long as a refresh token lives (subgraphs/social/session): who comes back later signs in again. */
const SESSION_SECONDS = 30 * 24 * 3_600
/** For how long somebody may think about a form that signs in or up. */
const VISIT_SECONDS = 3_600

/** What the graph gives for a sign-in and for a refresh. */
export type UserTokens = {
  /** Access token. */
  readonly token: string
  /** When it ends, as RFC 3339 text. */
  readonly expiresAt: string
  readonly refreshToken: string
  readonly user: { readonly id: string; readonly name: string }
}

/** A signed-in user of the site. The session goes on as long as the graph knows it. */
export type UserSession = Visit & UserTokens

const [SESSION, VISIT] = ['account', 'account-visit'] as const

/**
 * Sessions of users in sealed cookies: no script reads them, and forms hold a token of the session.
 * A link from elsewhere comes with them, so that a page which is shared shows who is signed in.
 */
export function userSessions(seal: Seal, isSecureSite: boolean, now: () => number) {
  const cookies = sealedCookies(seal, { isSecureSite, sameSite: 'Lax', now })

  function begin(
    reply: FastifyReply,
    { token, expiresAt, refreshToken, user: { id, name } }: UserTokens,
    formToken = newFormToken(),
  ) {
    const begun: UserSession = { formToken, token, expiresAt, refreshToken, user: { id, name } }
    cookies.close(reply, SESSION, begun, SESSION_SECONDS)
    return begun
  }

  return {
    /** What the cookie holds, which only `begin` seals; null: nothing. The graph knows if it goes on. */
    of: (request: FastifyRequest): UserSession | null => cookies.open(request, SESSION) as UserSession | null,

    /** Whether a cookie of a session was sent, whatever it is worth by now. */
    wasBegun: (request: FastifyRequest): boolean => cookies.wasSent(request, SESSION),

    /** The visit of who is not signed in, which only `welcome` seals; null: none yet. */
    visitOf: (request: FastifyRequest): Visit | null => cookies.open(request, VISIT) as Visit | null,

    /** A visit for who has none. */
    welcome(reply: FastifyReply): Visit {
      const welcomed: Visit = { formToken: newFormToken() }
      cookies.close(reply, VISIT, welcomed, VISIT_SECONDS)
      return welcomed
    },

    /** Signs in, from now on, with forms of its own; with the token of a session, goes on with it. */
    begin,

    /** Takes the cookie back. */
    end: (reply: FastifyReply): void => cookies.remove(reply, SESSION),
  }
}

export type UserSessions = ReturnType<typeof userSessions>
