import { type Problem, problem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, least, minorUnitOf, roundedProduct, sumOf, textOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import type { Order, OrderLine } from '../order/order.ts'

/** Money that was paid back. */
export type OrderRefund = {
  readonly id: number
  readonly orderId: number
  readonly amount: string
  /** Part of `amount` that failed at the gateway later. */
  readonly failedAmount: string
  /** Put back on gift cards; not part of `amount`. */
  readonly toGiftCards: string
  readonly reason: string | null
  readonly restocked: boolean
  readonly createdAt: Date
}

/** Refunded units of a line, and their price. */
export type OrderRefundLine = {
  readonly refundId: number
  readonly lineNumber: number
  readonly quantity: number
  readonly amount: string
}

/** Refund as a caller requests it. */
export type RefundInput = {
  readonly amount?: string | null | undefined
  readonly toGiftCards?: string | null | undefined
  readonly lines?: readonly { readonly lineId: string; readonly quantity: number }[] | null | undefined
}

/** Fields of a refund to write. */
export type WrittenRefund = {
  readonly amount: string
  readonly toGiftCards: string
  readonly lines: readonly Omit<OrderRefundLine, 'refundId'>[]
}

/** What `Order.refunds` promises to hold. */
export const MAX_REFUNDS = 250

/** Money of an order that can be paid back; `net` is what was paid less what was paid back. */
export function refundableMoney({ total, refunded }: Pick<Order, 'total' | 'refunded'>, net: Amount): Amount {
  // An edit may have added what was not paid yet.
  const rest = least(amountOf(total) - amountOf(refunded), net)
  return rest > 0n ? rest : 0n
}

/**
 * What a refund comes to. Units of a line cost their share of what the line cost, rounded so that
 * all units together cost the line. `refunded` are the units of each line that were paid back
 * before, `unreturned` what gift cards paid and did not get back, `net` what was paid less what was
 * paid back.
 */
export function refundOf(
  order: Pick<Order, 'total' | 'refunded' | 'currency'>,
  lines: readonly Pick<OrderLine, 'id' | 'quantity' | 'total'>[],
  {
    refunded,
    unreturned,
    net,
  }: { readonly refunded: ReadonlyMap<number, number>; readonly unreturned: Amount; readonly net: Amount },
  input: RefundInput,
): WrittenRefund | { readonly problems: readonly Problem[] } {
  const unit = minorUnitOf(order.currency)
  const left = refundableMoney(order, net)
  if (left === 0n && unreturned === 0n)
    return { problems: [problem('amount', 'absent: all of the order was paid back', input.amount ?? null)] }
  const units = unitsOf(lines, refunded, input.lines ?? [], unit)
  if ('problems' in units) return units
  const cost = units.lines.length > 0 ? sumOf(units.lines.map((line) => amountOf(line.amount))) : null
  const { amount, toGiftCards } = sharesOf(input, { left, unreturned, cost })
  if (toGiftCards < 0n || toGiftCards > unreturned || toGiftCards % unit !== 0n) {
    const expectation = `0 to ${textOf(unreturned)}, in steps of ${textOf(unit)}`
    return { problems: [problem('toGiftCards', expectation, textOf(toGiftCards))] }
  }
  if (amount < 0n || amount > left || amount % unit !== 0n || amount + toGiftCards === 0n) {
    const expectation =
      left > 0n
        ? `above ${toGiftCards > 0n ? 'or equal to ' : ''}0 and at most ${textOf(left)}, in steps of ${textOf(unit)}`
        : `0 or absent, with "toGiftCards" up to ${textOf(unreturned)}: all money was paid back`
    return { problems: [problem('amount', expectation, textOf(amount))] }
  }
  return { amount: textOf(amount), toGiftCards: textOf(toGiftCards), lines: units.lines }
}

/**
 * What is paid back in money and on gift cards; `cost` is the price of the units, null without any.
 * Units are paid back in money first: gift cards get the part that no money is left for.
 */
function sharesOf(
  input: RefundInput,
  { left, unreturned, cost }: { readonly left: Amount; readonly unreturned: Amount; readonly cost: Amount | null },
): { readonly amount: Amount; readonly toGiftCards: Amount } {
  const toGiftCards = input.toGiftCards == null ? null : amountOf(input.toGiftCards)
  if (input.amount != null) return { amount: amountOf(input.amount), toGiftCards: toGiftCards ?? 0n }
  if (toGiftCards !== null) {
    const rest = cost === null || cost < toGiftCards ? 0n : cost - toGiftCards
    return { amount: least(rest, left), toGiftCards }
  }
  if (cost === null) return { amount: left, toGiftCards: unreturned }
  const amount = least(cost, left)
  return { amount, toGiftCards: least(cost - amount, unreturned) }
}

function unitsOf(
  lines: readonly Pick<OrderLine, 'id' | 'quantity' | 'total'>[],
  refunded: ReadonlyMap<number, number>,
  wanted: NonNullable<RefundInput['lines']>,
  unit: Amount,
): { readonly lines: WrittenRefund['lines'] } | { readonly problems: readonly Problem[] } {
  const written: Omit<OrderRefundLine, 'refundId'>[] = []
  const problems: Problem[] = []
  for (const [index, { lineId, quantity }] of wanted.entries()) {
    const at = `lines.${index}`
    const row = decodeId(lineId, 'OrderLine')
    const line = lines.find(({ id }) => id === row)
    if (!line || written.some(({ lineNumber }) => lineNumber === line.id)) {
      problems.push(problem(`${at}.lineId`, line ? 'a line that is named once' : 'a line of the order', lineId))
      continue
    }
    const before = refunded.get(line.id) ?? 0
    if (quantity < 1 || quantity > line.quantity - before) {
      problems.push(problem(`${at}.quantity`, `1 to ${line.quantity - before}`, quantity))
      continue
    }
    const share = (count: number) => roundedProduct(amountOf(line.total), BigInt(count), BigInt(line.quantity), unit)
    written.push({ lineNumber: line.id, quantity, amount: textOf(share(before + quantity) - share(before)) })
  }
  return problems.length > 0 ? { problems } : { lines: written }
}
