import { forbidden, unauthenticated } from '../../../platform/graphql/errors.ts'
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
  context: Pick<Context, 'rateLimitedKey' | 'requireUser' | 'keys' | 'rate'>,
): Promise<ApiKey> {
  if (keyId == null) return context.rateLimitedKey(1)
  const key = await ownKey(keyId, context)
  await context.rate(key, 1)
  return key
}

/**
 * The same at a later event of a subscription, without charging it: credentials are verified again.
 * Rejects when they are not those of the key `row` any more.
 */
export async function currentKey(
  keyId: string | null | undefined,
  context: Pick<Context, 'verifyKey' | 'requireUser' | 'keys'>,
  row: string,
): Promise<void> {
  const key = keyId == null ? await context.verifyKey() : await ownKey(keyId, context)
  if (key.id !== row) throw unauthenticated()
}

/** A key in use of the signed-in user. */
async function ownKey(keyId: string, { requireUser, keys }: Pick<Context, 'requireUser' | 'keys'>): Promise<ApiKey> {
  const owner = await requireUser()
  const row = decodeId(keyId, API_KEY)
  const key = row === null ? null : await keys.findOf(owner, row)
  if (!key) throw forbidden('Expected "keyId" to be a key in use of the signed-in user.')
  return key
}
