import { forbidden } from '../../../platform/graphql/errors.ts'
import { decodeId } from '../../toolkit/ids.ts'
import type { Context } from '../context.ts'
import type { ApiKey } from './key.ts'
import { API_KEY } from './resolvers.ts'

/**
 * The key that a request acts for, after charging its rate limit: the caller's, or with `keyId` one
 * of the signed-in user. Rejects with UNAUTHENTICATED, FORBIDDEN or RATE_LIMITED.
 */
export async function requestKey(
  keyId: string | null | undefined,
  { rateLimitedKey, requireUser, keys, rate }: Pick<Context, 'rateLimitedKey' | 'requireUser' | 'keys' | 'rate'>,
): Promise<ApiKey> {
  if (keyId == null) return rateLimitedKey(1)
  const owner = await requireUser()
  const row = decodeId(keyId, API_KEY)
  const key = row === null ? null : await keys.findOf(owner, row)
  if (!key) throw forbidden('Expected "keyId" to be a key in use of the signed-in user.')
  await rate(key, 1)
  return key
}
