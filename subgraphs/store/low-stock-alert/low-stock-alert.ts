import { headerText, isMailable } from '../../../platform/mail/message.ts'

/** Between two e-mails about low stock to one store, at least. Milliseconds. */
export const ALERT_INTERVAL_MS = 15 * 60_000
/** Items that an e-mail lists; it counts the others. */
export const MAX_LISTED_ITEMS = 50

/** Who gets an e-mail; `staffMemberId` null: the owner. */
export type AlertRecipient = { readonly staffMemberId: number | null; readonly email: string }

/** An item that is low in stock. */
export type LowStockItem = {
  readonly productName: string
  /** Values of its options; null: a product without variants, or a variant without options. */
  readonly variantName: string | null
  readonly sku: string | null
  /** Units at all locations. */
  readonly stock: number
  /** Names of locations with their units; empty: its stock is not kept by location. */
  readonly locations: readonly string[]
}

/** Recipients with an address that e-mails can be sent to, each address once. */
export function mailableRecipients(recipients: readonly AlertRecipient[]): readonly AlertRecipient[] {
  const byAddress = new Map<string, AlertRecipient>()
  for (const recipient of recipients) {
    const key = recipient.email.toLowerCase()
    if (isMailable(recipient.email) && !byAddress.has(key)) byAddress.set(key, recipient)
  }
  return [...byAddress.values()]
}

/** An item as a row of an e-mail: what it is, and what is left of it. */
export function itemRow({ productName, variantName, sku, stock, locations }: LowStockItem): readonly [string, string] {
  const name = [productName, variantName].filter((part) => part !== null && part !== '').join(' · ')
  const left = locations.length > 0 ? `${stock} left (${locations.join(', ')})` : `${stock} left`
  return [headerText(sku === null ? name : `${name} (${sku})`), headerText(left)]
}
