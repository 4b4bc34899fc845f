import type { FastifyReply, FastifyRequest } from 'fastify'
import { newFormToken, type Visit } from '../frame/form-token.ts'
import type { Seal } from '../frame/seal.ts'
import { sealedCookies } from '../frame/sealed-cookies.ts'

/**
 * A working day: who comes back tomorrow signs in again. The store ends its sessions after as long
 * (subgraphs/store/console-session).
 */
const SESSION_SECONDS = 8 * 3_600
/** For how long somebody may think about a form that signs in. */
const VISIT_SECONDS = 3_600

/**
 * Who is signed in, with what the graph is asked. The session goes on as long as the store knows
 * its secret, wherever a copy of the cookie is.
 */
export type ConsoleSession = Visit & ConsoleCredentials & { readonly secret: string }

export type ConsoleCredentials = { readonly login: string; readonly authtoken: string }

const [SESSION, VISIT] = ['console', 'console-visit'] as const

/**
 * Sessions in sealed cookies that other sites cannot send. The two kinds have names of their own: a
 * visit that another site leads to must not end a session.
 */
export function sessionsOf(seal: Seal, isSecureSite: boolean, now: () => number) {
  const cookies = sealedCookies(seal, { isSecureSite, sameSite: 'Strict', now })

  return {
    /**
     * What the cookie holds, which was put there by `begin`; null: nothing. Whether that session
     * goes on is for the store to say.
     */
    of: (request: FastifyRequest): ConsoleSession | null => cookies.open(request, SESSION) as ConsoleSession | null,

    /** Whether a cookie of a session was sent, whatever it is worth by now. */
    wasBegun: (request: FastifyRequest): boolean => cookies.wasSent(request, SESSION),

    /** The visit of who is not signed in; null: none yet. Only `welcome` seals for this name. */
    visitOf: (request: FastifyRequest): Visit | null => cookies.open(request, VISIT) as Visit | null,

    /** A visit for who has none. */
    welcome(reply: FastifyReply): Visit {
      const welcomed: Visit = { formToken: newFormToken() }
      cookies.close(reply, VISIT, welcomed, VISIT_SECONDS)
      return welcomed
    },

    /** Signs in, from now on, with forms of its own. */
    begin(reply: FastifyReply, { login, authtoken }: ConsoleCredentials, secret: string): ConsoleSession {
      const begun: ConsoleSession = { formToken: newFormToken(), login, authtoken, secret }
      cookies.close(reply, SESSION, begun, SESSION_SECONDS)
      return begun
    },

    /** Takes the cookie back. */
    end: (reply: FastifyReply): void => cookies.remove(reply, SESSION),
  }
}
