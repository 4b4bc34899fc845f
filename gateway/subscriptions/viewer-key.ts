import { hash } from 'node:crypto'
import type { Caller } from '../../platform/http/caller.ts'
import { userTokenIn } from '../../platform/http/user-token.ts'

/**
 * Key of callers to whom subgraphs respond the same: hash of everything sent to subgraphs about a
 * caller, except request ids. Includes the time of connection for user tokens, which may have been
 * revoked since.
 */
export const viewerKeyOf = (caller: Caller): string => {
  const { credentials, headers = null, address, grantedScopes = [], connectedAt } = caller
  const seen = [credentials, headers, address, grantedScopes, userTokenIn(caller) === null ? null : connectedAt]
  return hash('sha256', JSON.stringify(seen), 'base64url')
}

/** Anonymous caller with the address of a caller. */
export const anonymousCaller = ({ requestId, address }: Caller): Caller => ({ requestId, address, credentials: {} })
