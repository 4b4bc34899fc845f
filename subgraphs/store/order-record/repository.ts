import type { Kysely } from 'kysely'
import { type Amount, amountOf, textOf } from '../amount.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import type { Order, OrderLine, OrderOrigin } from '../order/order.ts'
import { orderRepository } from '../order/repository.ts'
import { balanceOf } from '../order-refund/balance.ts'
import type { Tables } from '../tables.ts'

const ORDER_AMOUNTS = [
  ...(['subtotal', 'tax', 'shipping', 'shippingTax', 'discount', 'shippingDiscount', 'giftCardsDiscount'] as const),
  ...(['total', 'refunded', 'balanceRefunded'] as const),
]
const LINE_AMOUNTS = ['price', 'discount', 'weight', 'subtotal', 'tax', 'total'] as const

/** The same with decimals that have no zeros at their end. */
const withoutZeros = <Key extends string, Row extends Readonly<Record<Key, string>>>(row: Row, keys: readonly Key[]): Row => ({
  ...row,
  ...Object.fromEntries(keys.map((key) => [key, textOf(amountOf(row[key]))])),
})

/** An order as files hold it. */
export type StoredOrder = {
  readonly order: Order
  readonly lines: readonly OrderLine[]
  readonly notes: readonly Note[]
  /** What is to be paid still; 0 or more. */
  readonly balanceDue: string
  /** Payments together. */
  readonly paid: string
  /** Null: it was placed here. */
  readonly origin: OrderOrigin | null
}
/** An additional field of an order. */
export type Note = { readonly label: string; readonly value: string | null }

/** These orders as files hold them, by id. */
export async function readOrders(
  database: Kysely<Tables>,
  storeId: number,
  ids: readonly number[],
): Promise<readonly StoredOrder[]> {
  const lines = orderLineRepository(database)
  const repository = orderRepository(database)
  const [orders, origins, ofOrders, fields, sums] = await Promise.all([
    repository.findByIds(storeId, ids),
    repository.originsOf(storeId, ids),
    lines.ofOrders(storeId, ids),
    lines.fieldsOf(storeId, ids),
    ledgerRepository(database).sumsOf(storeId, ids),
  ])
  const paidOf = new Map(sums.map(({ orderId, paid }) => [orderId, amountOf(paid)]))
  const originOf = new Map(origins.map((origin) => [origin.orderId, origin]))
  const linesOf = Map.groupBy(ofOrders, ({ orderId }) => orderId)
  const notesOf = Map.groupBy(fields, ({ orderId }) => orderId)
  return orders
    .toSorted((one, other) => one.id - other.id)
    .map((order) => ({
      order: withoutZeros(order, ORDER_AMOUNTS),
      lines: (linesOf.get(order.id) ?? []).map((line) => withoutZeros(line, LINE_AMOUNTS)),
      notes: notesOf.get(order.id) ?? [],
      paid: textOf(paidOf.get(order.id) ?? 0n),
      origin: originOf.get(order.id) ?? null,
      balanceDue: dueOf(balanceOf(order, paidOf.get(order.id) ?? 0n)),
    }))
}

const dueOf = (balance: Amount): string => (balance > 0n ? textOf(balance) : '0')
