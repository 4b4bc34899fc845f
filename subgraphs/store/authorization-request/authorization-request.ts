import { isScope, type Scope } from '../access/scopes.ts'
import { OUT_OF_BAND } from '../app/app.ts'

/** What an app asks of whoever sits at a browser. */
export type AuthorizationRequest = {
  readonly appName: string
  /** Null: nobody has signed in, or a store that cannot use this app. */
  readonly storeId: number | null
  readonly scopes: readonly Scope[]
  /** Where the app wants the answer. */
  readonly redirectUri: string
}

/** The scopes in a `scope` of the protocol, each once. */
export const scopesOf = (scope: unknown): readonly Scope[] =>
  typeof scope === 'string' ? [...new Set(scope.split(' '))].filter(isScope) : []

/** Scheme and host of an address, or its scheme alone; null when nothing is sent. */
export function destinationOf(redirectUri: string): string | null {
  if (redirectUri === OUT_OF_BAND) return null
  const { protocol, host } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? `${protocol}//${host}` : protocol
}
