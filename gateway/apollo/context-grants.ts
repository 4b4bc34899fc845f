import type { Logger } from 'pino'
import { type FindGrants, NO_GRANTS } from '../authorization/authorization.ts'
import type { FindIncoming } from './data-source-link.ts'
import type { IncomingRequestContext } from './gateway-interface.ts'

/** Grants of a caller. */
export type ContextGrants = {
  readonly isAuthenticated: boolean
  readonly scopes?: readonly string[]
  readonly policies?: readonly string[]
}

/** Reads grants from Apollo's `contextValue`. */
export type FindContextGrants = (context: IncomingRequestContext['context']) => ContextGrants | Promise<ContextGrants>

/** Finds a caller's grants by its `contextValue`; without `findGrants` no caller has any. */
export function grantsByContext(findGrants: FindContextGrants | undefined, incomingOf: FindIncoming, log: Logger): FindGrants {
  if (!findGrants) return () => NO_GRANTS
  return async ({ caller }) => {
    try {
      const { isAuthenticated, scopes = [], policies = [] } = await findGrants(incomingOf(caller).context)
      return { ...NO_GRANTS, isAuthenticated, scopes: new Set(scopes), policies: new Set(policies) }
    } catch (error) {
      log.error({ err: error }, 'the grants of a caller could not be found')
      return NO_GRANTS
    }
  }
}
