import type { FastifyReply } from 'fastify'
import { newFormToken, type Visit } from '../frame/form-token.ts'
import type { Seal } from '../frame/seal.ts'
import { sealedSessions } from '../frame/sealed-sessions.ts'

/** As long as a refresh token lives (subgraphs/social/session): who comes back later signs in again. */
const SESSION_SECONDS = 30 * 24 * 3_600

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

/**
 * Sessions of users in sealed cookies: no script reads them, and forms hold a token of the session.
 * A link from elsewhere comes with them, so that a page which is shared shows who is signed in.
 */
export function userSessions(seal: Seal, isSecureSite: boolean, now: () => number) {
  const options = { name: 'account', lifetimeSeconds: SESSION_SECONDS, isSecureSite, sameSite: 'Lax', now } as const
  const sessions = sealedSessions<UserSession>(seal, options)

  return {
    ...sessions,

    /** Signs in, from now on, with forms of its own; with the token of a session, goes on with it. */
    begin: (
      reply: FastifyReply,
      { token, expiresAt, refreshToken, user: { id, name } }: UserTokens,
      formToken = newFormToken(),
    ): UserSession => sessions.begin(reply, { formToken, token, expiresAt, refreshToken, user: { id, name } }),
  }
}

export type UserSessions = ReturnType<typeof userSessions>
