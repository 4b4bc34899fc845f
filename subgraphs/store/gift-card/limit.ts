import { rateLimited } from '../../../platform/graphql/errors.ts'
import { networkOf } from '../../../platform/rate-limit/address-rate-limit.ts'
import type { RateLimitStore } from '../../../platform/rate-limit/rate-limit-store.ts'

/** Codes that one address may try in one store: more than anybody has, and no way to guess one. */
const CODES_PER_MINUTE = 20

/** Takes attempts of an address in a store; rejects with RATE_LIMITED and the seconds to wait. */
export type GiftCardLimit = (storeId: number, address: string, attempts: number) => Promise<void>

/** Counts each attempt before its code is looked up: also the right one. */
export function giftCardLimit({ buckets }: RateLimitStore): GiftCardLimit {
  const take = buckets('gift card codes', CODES_PER_MINUTE)
  return async (storeId, address, attempts) => {
    const { isGranted, waitSeconds } = await take(`${storeId} ${networkOf(address)}`, attempts)
    if (!isGranted) throw rateLimited('gift card codes from this address', waitSeconds)
  }
}
