import type { IncomingHttpHeaders } from 'node:http'
import { type Caller, CREDENTIAL_HEADERS, verifiedCredentialIn } from '../../platform/http/caller.ts'
import { rememberVerified } from '../../platform/http/verified-credentials.ts'

/**
 * Response header of a subgraph: which credential header of the caller it has verified, and whose
 * that is. A gateway verifies none itself, and has callers take turns by it.
 */
export const VERIFIED_HEADER = 'x-atrium-verified'

/** Value of the header for this caller; empty where nothing was verified. */
export function verifiedHeader({ credentials }: Caller): string {
  const found = verifiedCredentialIn(credentials)
  return found ? `${found.name} ${found.tenant}` : ''
}

/** Remembers what a subgraph of this installation says about the credentials of a caller. */
export function rememberVerifiedCaller({ credentials }: Caller, headers: IncomingHttpHeaders): void {
  const stated = headers[VERIFIED_HEADER]
  if (typeof stated !== 'string') return
  const name = CREDENTIAL_HEADERS.find((each) => stated.startsWith(`${each} `))
  if (name !== undefined) rememberVerified(credentials[name], stated.slice(name.length + 1))
}
