import { hash } from 'node:crypto'
import { type Caller, CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { networkOf } from '../../platform/rate-limit/address-rate-limit.ts'
import { type RateLimitResult, tokenBuckets } from '../../platform/rate-limit/token-buckets.ts'

/** The points that every client may spend in a minute. */
export type Budget = {
  readonly perMinute: number
  /**
   * Takes the cost of one operation, all of it or nothing. Never rejects. `points` must not exceed
   * `perMinute`.
   */
  readonly spend: (caller: Caller, points: number) => RateLimitResult | Promise<RateLimitResult>
  readonly close: () => Promise<void>
}

/** Keys of the two buckets that an operation is charged to: its client's and its address's. */
export type BudgetKeys = { readonly client: string; readonly address: string }

/**
 * Upper bound of all clients of one address together, in budgets. Credentials are not verified yet
 * when cost is counted: without this bound, a client with invented credentials for each operation
 * would get a new budget each time. Ten, because the people of one office share an address.
 */
export const BUDGETS_PER_ADDRESS = 10

/**
 * Identifies a client by its credentials, hashed so that they are never stored; without
 * credentials, by its address.
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

/** Budgets that are counted in this process. */
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
