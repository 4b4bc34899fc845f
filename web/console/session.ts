import type { FastifyReply } from 'fastify'
import type { StaffRole } from '#generated/operations.ts'
import { newFormToken, type Visit } from '../frame/form-token.ts'
import type { Seal } from '../frame/seal.ts'
import { sealedSessions } from '../frame/sealed-sessions.ts'

/**
 * A working day: who comes back tomorrow signs in again. The store ends its sessions after as long
 * (subgraphs/store/console-session).
 */
const SESSION_SECONDS = 8 * 3_600

/**
 * Who is signed in, with what the graph is asked. The session goes on as long as the store knows
 * its secret, wherever a copy of the cookie is.
 */
export type ConsoleSession = Visit & ConsoleCredentials & { readonly secret: string }

/** The credentials of a store, or the store that the signed-in user of the site works in. */
export type ConsoleCredentials = StoreCredentials | { readonly storeCode: string }

export type StoreCredentials = { readonly login: string; readonly authtoken: string }

/** An open session, with what the graph allows it. */
export type OpenSession = ConsoleSession & {
  /** Access token of the user; null: the session has the credentials of the store. */
  readonly userToken: string | null
  /** Role of the user; null: the session has the credentials of the store. */
  readonly role: StaffRole | null
  /** Scopes and policies. */
  readonly rights: ReadonlySet<string>
}

/** Sessions of merchants in sealed cookies that other sites cannot send. */
export function sessionsOf(seal: Seal, isSecureSite: boolean, now: () => number) {
  const options = { name: 'console', lifetimeSeconds: SESSION_SECONDS, isSecureSite, sameSite: 'Strict', now } as const
  const sessions = sealedSessions<ConsoleSession>(seal, options)

  return {
    ...sessions,

    /** Signs in, from now on, with forms of its own. */
    begin: (reply: FastifyReply, credentials: ConsoleCredentials, secret: string): ConsoleSession =>
      sessions.begin(reply, { formToken: newFormToken(), ...credentials, secret }),
  }
}
