/** Money received, above 0, or paid out, below 0. */
export type LedgerEntry = {
  readonly id: number
  readonly orderId: number | null
  readonly kind: 'PAYMENT' | 'REFUND' | 'REFUND_FAILURE' | 'APP_FEE'
  readonly amount: string
  readonly currency: string
  readonly createdAt: Date
}

/** Receipts of a store, less its refunds and payments for apps. `amount` is exact decimal text. */
export type StoreBalance = { readonly amount: string; readonly currency: string; readonly formatted: string }

/**
 * A balance as people of a country write it in a language: ISO 3166-1 alpha-2 code and BCP 47 tag.
 */
export function balanceOf(
  amount: string,
  currency: string,
  { language, country }: { readonly language: string; readonly country: string },
): StoreBalance {
  const { language: tongue, script, region = country } = new Intl.Locale(language)
  const format = new Intl.NumberFormat([tongue, script, region].filter((part) => part).join('-'), { style: 'currency', currency })
  // Text is formatted to its last place; the types of TypeScript's libraries want it to look like a
  // number.
  return { amount, currency, formatted: format.format(amount as Intl.StringNumericLiteral) }
}
