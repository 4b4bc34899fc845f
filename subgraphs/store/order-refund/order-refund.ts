import { type Problem, problem } from '../../toolkit/validation.ts'
import { type Amount, amountOf, least, minorUnitOf, roundedProduct, sumOf, textOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import type { Order, OrderLine } from '../order/order.ts'

/** Money that was paid back. */
export type OrderRefund = {
  readonly id: number
  readonly orderId: number
  readonly amount: string
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

/**
 * What a refund comes to. Units of a line cost their share of what the line cost, rounded so that
 * all units together cost the line. `refunded` are the units of each line that were paid back
 * before, `held` what gift cards paid and did not get back.
 */
export function refundOf(
  order: Pick<Order, 'total' | 'refunded' | 'currency'>,
  lines: readonly Pick<OrderLine, 'id' | 'quantity' | 'total'>[],
  { refunded, held }: { readonly refunded: ReadonlyMap<number, number>; readonly held: Amount },
  input: RefundInput,
): WrittenRefund | { readonly problems: readonly Problem[] } {
  const unit = minorUnitOf(order.currency)
  const left = amountOf(order.total) - amountOf(order.refunded)
  const isAll = input.amount == null && (input.lines ?? []).length === 0
  const toGiftCards = input.toGiftCards == null ? (isAll ? held : 0n) : amountOf(input.toGiftCards)
  if (toGiftCards < 0n || toGiftCards > held || toGiftCards % unit !== 0n)
    return { problems: [problem('toGiftCards', `0 to ${textOf(held)}, in steps of ${textOf(unit)}`, textOf(toGiftCards))] }
  if (left <= 0n && toGiftCards === 0n)
    return { problems: [problem('amount', 'absent: all of the order was paid back', input.amount ?? null)] }
  const units = unitsOf(lines, refunded, input.lines ?? [], unit)
  if ('problems' in units) return units
  const cost = sumOf(units.lines.map(({ amount }) => amountOf(amount)))
  const amount = moneyOf(input, { left, toGiftCards, cost: units.lines.length > 0 ? cost : null })
  if (amount < 0n || amount > left || amount % unit !== 0n || amount + toGiftCards === 0n) {
    const expectation = `above ${toGiftCards > 0n ? 'or equal to ' : ''}0 and at most ${textOf(left)}, in steps of ${textOf(unit)}`
    return { problems: [problem('amount', expectation, textOf(amount))] }
  }
  return { amount: textOf(amount), toGiftCards: textOf(toGiftCards), lines: units.lines }
}

/** What is paid back in money; `cost` is the price of the units, null without any. */
function moneyOf(
  input: RefundInput,
  { left, toGiftCards, cost }: { readonly left: Amount; readonly toGiftCards: Amount; readonly cost: Amount | null },
): Amount {
  if (input.amount != null) return amountOf(input.amount)
  if (cost === null) return input.toGiftCards == null ? left : 0n
  const rest = cost > toGiftCards ? cost - toGiftCards : 0n
  return least(rest, left)
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
