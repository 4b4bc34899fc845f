import type { Logger } from 'pino'
import { type FindGrants, NO_GRANTS } from '../authorization/authorization.ts'
import type { FindIncoming } from './data-source-link.ts'
import type { IncomingRequestContext } from './gateway-interface.ts'

/** What a caller holds. */
export type ContextGrants = {
  readonly isAuthenticated: boolean
  readonly scopes?: readonly string[]
  readonly policies?: readonly string[]
}

/** Reads what a caller holds off the context value. */
export type FindContextGrants = (context: IncomingRequestContext['context']) => ContextGrants | Promise<ContextGrants>

/** Finds grants by the context value of an operation; nobody has any without `findGrants`. */
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
