import { type AddressRateLimit, addressRateLimit } from '../../../platform/rate-limit/address-rate-limit.ts'
import type { RateLimitStore, TakeTokens } from '../../../platform/rate-limit/rate-limit-store.ts'

/** Requests of one address of the network, and of one shop, a minute. */
const [LINKS, LINKS_OF_SHOP] = [10, 60]
const [SESSIONS, SESSIONS_OF_SHOP] = [20, 300]
/** Passwords that an address of the network changes or erases with, and its exports, a minute. */
const [PROOFS, EXPORTS] = [20, 10]

/** Limits of what strangers may request; those of an account are in its row. */
export type AccountLimits = Readonly<
  Record<'link' | 'session', { readonly ofAddress: AddressRateLimit; readonly ofShop: TakeTokens }> &
    Record<'proof' | 'export', AddressRateLimit>
>

export const accountLimits = (rateLimits: RateLimitStore): AccountLimits => ({
  link: {
    ofAddress: addressRateLimit('links of customers', LINKS, rateLimits),
    ofShop: rateLimits.buckets('links of shops', LINKS_OF_SHOP),
  },
  session: {
    ofAddress: addressRateLimit('sign-ins of customers', SESSIONS, rateLimits),
    ofShop: rateLimits.buckets('sign-ins of shops', SESSIONS_OF_SHOP),
  },
  proof: addressRateLimit('passwords of signed-in customers', PROOFS, rateLimits),
  export: addressRateLimit('exports of customers', EXPORTS, rateLimits),
})
