import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieOf, fieldOf } from '../frame/form.ts'
import type { Seal } from '../frame/seal.ts'

/**
 * A working day: who comes back tomorrow signs in again. The store ends its sessions after as long
 * (subgraphs/store/console-session).
 */
const SESSION_SECONDS = 8 * 3_600
/** For how long somebody may think about a form that signs in. */
const VISIT_SECONDS = 3_600

/** Somebody who looks at the sign-in form, or is signed in. */
export type Visit = {
  /** Stands in every form of this visit: a page of another site cannot know it. */
  readonly formToken: string
}

/**
 * Who is signed in, with what the graph is asked. The session goes on as long as the store knows
 * its secret, wherever a copy of the cookie is.
 */
export type ConsoleSession = Visit & ConsoleCredentials & { readonly secret: string }

export type ConsoleCredentials = { readonly login: string; readonly authtoken: string }

const [SESSION, VISIT] = ['console', 'console-visit'] as const

/**
 * Sessions in sealed cookies that scripts cannot read, other sites cannot send, and, where we are
 * reached by https, neither other hosts nor plain connections can see or set. The two kinds have
 * names of their own: a visit that another site leads to must not end a session.
 */
export function sessionsOf(seal: Seal, isSecureSite: boolean, now: () => number) {
  /** A proxy that is believed may say so of a request where the settings do not. */
  const isSecure = ({ protocol }: FastifyRequest): boolean => isSecureSite || protocol === 'https'
  const nameFor = (request: FastifyRequest, name: string): string => (isSecure(request) ? `__Host-${name}` : name)

  function set(reply: FastifyReply, name: string, value: string, seconds: number): void {
    const { request } = reply
    const parts = [
      `${nameFor(request, name)}=${value}`,
      'Path=/',
      `Max-Age=${seconds}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(isSecure(request) ? ['Secure'] : []),
    ]
    // Fastify keeps all of them when it is given one after the other.
    reply.header('set-cookie', parts.join('; '))
  }
  const opened = (request: FastifyRequest, name: string): unknown => {
    const cookie = cookieOf(request, nameFor(request, name))
    return cookie === null ? null : seal.open(name, cookie, now())
  }
  const closed = (name: string, value: object, seconds: number) => seal.close(name, value, now() + seconds * 1000)

  return {
    /**
     * What the cookie holds, which was put there by `begin`; null: nothing. Whether that session
     * goes on is for the store to say.
     */
    of: (request: FastifyRequest): ConsoleSession | null => opened(request, SESSION) as ConsoleSession | null,

    /** Whether a cookie of a session was sent, whatever it is worth by now. */
    wasBegun: (request: FastifyRequest): boolean => (cookieOf(request, nameFor(request, SESSION)) ?? '') !== '',

    /** The visit of who is not signed in; null: none yet. */
    visitOf: (request: FastifyRequest): Visit | null => opened(request, VISIT) as Visit | null,

    /** A visit for who has none. */
    welcome(reply: FastifyReply): Visit {
      const welcomed: Visit = { formToken: newToken() }
      set(reply, VISIT, closed(VISIT, welcomed, VISIT_SECONDS), VISIT_SECONDS)
      return welcomed
    },

    /** Signs in, from now on, with forms of its own. */
    begin(reply: FastifyReply, { login, authtoken }: ConsoleCredentials, secret: string): ConsoleSession {
      const begun: ConsoleSession = { formToken: newToken(), login, authtoken, secret }
      set(reply, SESSION, closed(SESSION, begun, SESSION_SECONDS), SESSION_SECONDS)
      return begun
    },

    /** Takes the cookie back. */
    end: (reply: FastifyReply): void => set(reply, SESSION, '', 0),
  }
}

/** The field of forms that holds the token of a visit. */
export const FORM_TOKEN = 'token'

/** Whether a form comes from a page of this visit. */
export function isFormOf({ formToken }: Visit, request: FastifyRequest): boolean {
  const [token, expected] = [Buffer.from(fieldOf(request, FORM_TOKEN)), Buffer.from(formToken)]
  return token.length === expected.length && timingSafeEqual(token, expected)
}

const newToken = (): string => randomBytes(18).toString('base64url')
