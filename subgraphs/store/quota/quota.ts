import { type Quota, type QuotaLevel, quotaExceeded, quotaLevel, secondsUntil, sizeOf } from '../../toolkit/quota.ts'

/** What one store may have, and add in a day. A total is a quota that waiting does not fill. */
export type StoreQuotas = {
  readonly products: number
  readonly productsPerDay: Quota
  readonly fileBytes: number
  readonly fileBytesPerDay: Quota
}

/** What a change adds to a store. */
export type StoreAddition = { readonly products: number; readonly fileBytes: number }

/** Usage of a store, and the rest of its daily quota. */
export type StoreUsage = StoreAddition & { readonly productsLeft: number; readonly fileBytesLeft: number }

const DAY_SECONDS = 24 * 60 * 60
const perDay = (limit: number): Quota => ({ limit, seconds: DAY_SECONDS })

/** Limits in products and bytes; 0 sets none. */
export const storeQuotas = (limits: Readonly<Record<keyof StoreQuotas, number>>): StoreQuotas => ({
  ...limits,
  productsPerDay: perDay(limits.productsPerDay),
  fileBytesPerDay: perDay(limits.fileBytesPerDay),
})

/** The limits of an installation that sets none: those of `variables.ts`. */
export const DEFAULT_STORE_QUOTAS = storeQuotas({
  products: 1_000_000,
  productsPerDay: 250_000,
  fileBytes: 200_000_000_000,
  fileBytesPerDay: 50_000_000_000,
})

export const totalOf = (limit: number): number => sizeOf({ limit, seconds: 1 })

/** The type `StoreQuota` of the schema. */
export const levelsOf = (quotas: StoreQuotas, usage: StoreUsage) => ({
  products: levelOfTotal(quotas.products, usage.products),
  productsPerDay: quotaLevel(quotas.productsPerDay, usage.productsLeft),
  fileBytes: levelOfTotal(quotas.fileBytes, usage.fileBytes),
  fileBytesPerDay: quotaLevel(quotas.fileBytesPerDay, usage.fileBytesLeft),
})

const levelOfTotal = (limit: number, used: number): QuotaLevel | null =>
  limit === 0 ? null : { limit, left: Math.max(0, limit - used), fullInSeconds: null }

/**
 * Why an addition was refused, as a `QuotaExceededError`: a total, which waiting does not change,
 * before a day.
 */
export function exceeded(quotas: StoreQuotas, usage: StoreUsage, { products, fileBytes }: StoreAddition) {
  const total = (field: string, what: string, limit: number) => quotaExceeded(field, what, { limit, seconds: 1 }, null)
  if (usage.products + products > totalOf(quotas.products)) return total('products', 'products in a store', quotas.products)
  if (usage.fileBytes + fileBytes > totalOf(quotas.fileBytes))
    return total('fileBytes', 'bytes of files in a store', quotas.fileBytes)
  return usage.productsLeft < products
    ? quotaExceeded(
        'productsPerDay',
        'new products a day',
        quotas.productsPerDay,
        secondsUntil(quotas.productsPerDay, usage.productsLeft, products),
      )
    : quotaExceeded(
        'fileBytesPerDay',
        'bytes of new files a day',
        quotas.fileBytesPerDay,
        secondsUntil(quotas.fileBytesPerDay, usage.fileBytesLeft, fileBytes),
      )
}
