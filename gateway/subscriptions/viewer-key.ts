import { hash } from 'node:crypto'
import type { Caller } from '../../platform/http/caller.ts'
import { userTokenIn } from '../../platform/http/user-token.ts'

/**
 * Equal for callers who see the same: everything that subgraphs get of a caller, request ids aside.
 * The time of connection matters for user tokens, which may have been revoked since. Hashed, so
 * that credentials are never stored.
 */
export const viewerKeyOf = (caller: Caller): string => {
  const { credentials, headers = null, address, grantedScopes = [], connectedAt } = caller
  const seen = [credentials, headers, address, grantedScopes, userTokenIn(caller) === null ? null : connectedAt]
  return hash('sha256', JSON.stringify(seen), 'base64url')
}

/** Nobody in particular, at the address of a caller. */
export const anonymousCaller = ({ requestId, address }: Caller): Caller => ({ requestId, address, credentials: {} })
