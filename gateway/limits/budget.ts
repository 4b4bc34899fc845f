import { hash } from 'node:crypto'
import { type Caller, CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { networkOf } from '../../platform/rate-limit/address-rate-limit.ts'
import { type RateLimitResult, tokenBuckets } from '../../platform/rate-limit/token-buckets.ts'

/** Points that each client may spend per minute. */
export type Budget = {
  readonly perMinute: number
  /**
   * Charges the cost of an operation, completely or not at all. Never rejects. `points` must not
   * exceed `perMinute`.
   */
  readonly spend: (caller: Caller, points: number) => RateLimitResult | Promise<RateLimitResult>
  readonly close: () => Promise<void>
}

/** Keys of the two token buckets that an operation is charged to: client and address. */
export type BudgetKeys = { readonly client: string; readonly address: string }

/**
 * Budget of an address, in budgets of one client. Credentials are not verified before cost is
 * charged, so invented credentials would otherwise get a new budget per operation. Ten, because the
 * people of an office share an address.
 */
export const BUDGETS_PER_ADDRESS = 10

/**
 * Bucket keys of a caller: hash of its credentials, so that they are not stored; without
 * credentials its address.
 */
export function budgetKeys({ credentials, address }: Caller): BudgetKeys {
  const network = networkOf(address)
  const presented = CREDENTIAL_HEADERS.map((name) => credentials[name] ?? '')
  const isAnonymous = presented.every((value) => value === '')
  return {
    client: isAnonymous ? `address ${network}` : `credential ${hash('sha256', presented.join('\n'), 'base64url')}`,
    address: `everybody at ${network}`,
  }
}

/** Budgets in the memory of this process. */
export function memoryBudget(perMinute: number, now: () => Date = () => new Date()): Budget {
  const clients = tokenBuckets(perMinute, now)
  const addresses = tokenBuckets(perMinute * BUDGETS_PER_ADDRESS, now)

  return {
    perMinute,
    spend(caller, points) {
      const { client, address } = budgetKeys(caller)
      const ofAddress = addresses(address, points)
      if (!ofAddress.isGranted) return ofAddress
      const ofClient = clients(client, points)
      if (!ofClient.isGranted) addresses(address, -points)
      return ofClient
    },
    close: async () => {},
  }
}
