import { boundedCache } from '../collections/bounded-cache.ts'

/**
 * Secret credentials that were verified lately, and whose they are. An entry gives no permission:
 * it decides whose turn it is. So one that is revoked may stay, and one that is dropped comes back
 * with the next request that is verified.
 */
const verified = boundedCache<string>({
  maxEntries: 20_000,
  // 4 MB of user tokens, which are the longest credentials.
  maxCharacters: 4_000_000,
  charactersOf: (credential, tenant) => credential.length + tenant.length,
})

/**
 * Requests with `credential`, as it stands in its header, are those of `tenant` from now on. A user
 * or a store shares its turns among all its credentials; each trust key is a tenant of its own, of
 * which a user makes three at most.
 */
export function rememberVerified(credential: string | undefined, tenant: string): void {
  if (credential !== undefined && verified.get(credential) !== tenant) verified.set(credential, tenant)
}

/** Whose credential this was when it was verified; undefined where it was not, or long ago. */
export const verifiedTenantOf = (credential: string | undefined): string | undefined =>
  credential === undefined ? undefined : verified.get(credential)
