import { GraphQLError } from 'graphql'
import { ERROR_CODES, forbidden } from '../../../platform/graphql/errors.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import type { AddressRateLimit } from '../../../platform/rate-limit/address-rate-limit.ts'
import { type ApiKey, secretIn } from './key.ts'
import { secretHash } from './secret.ts'

/**
 * The result of `find` for the hash of the caller's secret: the key, or more. Rejects with
 * UNAUTHENTICATED, with a `reason` for programs, without a secret or a result, and with
 * RATE_LIMITED for an address with too many failures, which `refusals` counts.
 */
export async function authenticateKey<Found>(
  caller: Caller,
  find: (secret: Buffer) => Promise<Found | null>,
  refusals: AddressRateLimit,
): Promise<Found> {
  const secret = secretIn(caller)
  if (secret === null)
    throw unauthenticatedKey('api_key_missing', 'Expected an API key: send "X-API-Key: sk_…" or "Authorization: Bearer sk_…".')
  const found = await find(secretHash(secret))
  if (found) return found
  await refusals(caller.address)
  throw unauthenticatedKey(
    'api_key_invalid',
    'Expected an API key that is in use; this one is unknown, was replaced or was revoked.',
  )
}

/** The key, if it is one of an operator. Throws FORBIDDEN otherwise. */
export function requireOperator(key: ApiKey): ApiKey {
  if (key.role === 'operator') return key
  throw forbidden('Expected an API key of an operator, as `atrium trust key create --operator` makes it.')
}

const unauthenticatedKey = (reason: 'api_key_missing' | 'api_key_invalid', message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code: ERROR_CODES.unauthenticated, reason } })
