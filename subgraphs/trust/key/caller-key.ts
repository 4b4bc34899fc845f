import { GraphQLError } from 'graphql'
import type { Caller } from '../../runtime/caller.ts'
import { CODES } from '../../runtime/errors.ts'
import type { RateLimit } from '../../runtime/rate-limit.ts'
import { type ApiKey, secretIn } from './key.ts'
import type { KeyRepository } from './repository.ts'
import { secretHash } from './secret.ts'

/**
 * The key that a caller presents. Rejects with UNAUTHENTICATED, with a `reason` for programs, when there is none or it is not good now, and RATE_LIMITED for an address
 * that guesses: `refusals` counts what was no key.
 */
export async function keyOf(
  caller: Caller,
  { keys, refusals, at }: { readonly keys: Pick<KeyRepository, 'findBySecret'>; readonly refusals: RateLimit; readonly at: Date },
): Promise<ApiKey> {
  const secret = secretIn(caller)
  if (secret === null)
    throw refused('api_key_missing', 'Expected an API key: send "X-API-Key: sk_…" or "Authorization: Bearer sk_…".')
  const key = await keys.findBySecret(secretHash(secret), at)
  if (!key) {
    await refusals(caller.address)
    throw refused('api_key_invalid', 'Expected an API key that is in use; this one is unknown, was replaced or was revoked.')
  }
  return key
}

const refused = (reason: 'api_key_missing' | 'api_key_invalid', message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: CODES.unauthenticated, reason } })
