import { hash } from 'node:crypto'
import { type Caller, CREDENTIAL_HEADERS } from '../../platform/http/caller.ts'
import { networkOf } from '../../platform/rate-limit/address-rate-limit.ts'
import { type RateLimitResult, tokenBuckets } from '../../platform/rate-limit/token-buckets.ts'

/** The points that every client may spend in a minute. */
export type Budget = {
  readonly perMinute: number
  /**
   * Takes the cost of one operation, all of it or nothing. Never rejects. At most `perMinute` may
   * be asked for.
   */
  readonly spend: (caller: Caller, points: number) => RateLimitResult | Promise<RateLimitResult>
  readonly close: () => Promise<void>
}

/** Whose points are spent: one bucket for the client, and one for everybody at its address. */
export type BudgetKeys = { readonly client: string; readonly address: string }

/**
 * Budgets that one address has for all its clients together. Nobody has looked at credentials yet
 * when their cost is counted: without a bound, whoever makes up a new one for each operation would
 * have a new budget each time. Ten, because people of one office have one address.
 */
export const BUDGETS_PER_ADDRESS = 10

/**
 * A client is known by its credentials, hashed so that they lie nowhere; without any, by its
 * address.
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
