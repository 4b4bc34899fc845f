import type { AuthenticatedUser } from '../../toolkit/user-authenticator.ts'
import { isScope, type Scope } from '../access/scopes.ts'
import { OUT_OF_BAND } from '../app/app.ts'

/** Request of an app to the user of a browser. */
export type AuthorizationRequest = {
  readonly appName: string
  /** Null: no store is signed in, or it cannot use this app. */
  readonly storeId: number | null
  readonly scopes: readonly Scope[]
  /** Redirect URI of the answer. */
  readonly redirectUri: string
}

/**
 * Age at which a given password stops counting: as long as a user may take to choose a store.
 * Milliseconds.
 */
const FRESH_MS = 10 * 60 * 1000

/**
 * Whether a password was given just now: a borrowed or stolen token is not enough to give an app
 * access for months.
 */
export const isFresh = ({ signedInAt }: Pick<AuthenticatedUser, 'signedInAt'>, now: Date): boolean =>
  signedInAt !== null && now.getTime() - signedInAt.getTime() < FRESH_MS

/** The scopes in a `scope` of the protocol, each once. */
export const scopesOf = (scope: unknown): readonly Scope[] =>
  typeof scope === 'string' ? [...new Set(scope.split(' '))].filter(isScope) : []

/** Scheme and host of an address, or its scheme alone; null when nothing is sent. */
export function destinationOf(redirectUri: string): string | null {
  if (redirectUri === OUT_OF_BAND) return null
  const { protocol, host } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? `${protocol}//${host}` : protocol
}
