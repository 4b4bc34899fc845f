import type { FastifyReply, FastifyRequest } from 'fastify'
import { newFormToken, type Visit } from './form-token.ts'
import type { Seal } from './seal.ts'
import { type SealedCookieOptions, sealedCookies } from './sealed-cookies.ts'

/** For how long somebody may think about a form that signs in or up. */
const VISIT_SECONDS = 3_600

/**
 * Sessions in sealed cookies, and visits of who is not signed in. The two have names of their own:
 * a visit that another site leads to must not end a session.
 */
export function sealedSessions<Session extends Visit>(
  seal: Seal,
  {
    name,
    lifetimeSeconds,
    ...options
  }: SealedCookieOptions & {
    /** Name of the cookie of a session. */
    readonly name: string
    /** Lifetime of that cookie from its last writing. */
    readonly lifetimeSeconds: number
  },
) {
  const cookies = sealedCookies(seal, options)
  const visitName = `${name}-visit`
  // Answers show what they say themselves: a page that ends a session names nobody.
  const written = new WeakMap<FastifyRequest, Session | null>()

  return {
    /**
     * The session: what the answer has written so far, or what the cookie holds, which only `begin`
     * seals. Null: none. Whether it is still open, the graph knows.
     */
    of(request: FastifyRequest): Session | null {
      const answered = written.get(request)
      if (answered !== undefined) return answered
      // Only `begin` seals for this name.
      return cookies.open(request, name) as Session | null
    },

    /** Whether a cookie of a session was sent, whatever it is worth by now. */
    wasBegun: (request: FastifyRequest): boolean => cookies.wasSent(request, name),

    /** The visit of who is not signed in, which only `welcome` seals; null: none yet. */
    visitOf: (request: FastifyRequest): Visit | null => cookies.open(request, visitName) as Visit | null,

    /** A visit for who has none. */
    welcome(reply: FastifyReply): Visit {
      const welcomed: Visit = { formToken: newFormToken() }
      cookies.close(reply, visitName, welcomed, VISIT_SECONDS)
      return welcomed
    },

    /** Signs in from now on, or goes on with a session that has changed. */
    begin(reply: FastifyReply, session: Session): Session {
      cookies.close(reply, name, session, lifetimeSeconds)
      written.set(reply.request, session)
      return session
    },

    /** Takes the cookie back. */
    end(reply: FastifyReply): void {
      if (written.get(reply.request) === null) return
      cookies.remove(reply, name)
      written.set(reply.request, null)
    },
  }
}
