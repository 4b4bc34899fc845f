import { type Problem, problem } from '../../toolkit/validation.ts'
import { amountOf, minorUnitOf, roundedProduct, textOf } from '../amount.ts'
import { decodeId } from '../ids.ts'
import type { DraftLine } from '../order/calculation/draft.ts'
import { MAX_UNITS, type Order, type OrderLine } from '../order/order.ts'

export type OrderEditRefusal =
  | 'STATUS'
  | 'PAYMENT_PENDING'
  | 'LINE_FULFILLED'
  | 'LINE_REFUNDED'
  | 'TOTAL_REFUNDED'
  | 'NO_EXCHANGE_RATE'

/** An `OrderEditRefused` of the schema. */
export const editRefused = (code: OrderEditRefusal, message: string, lineNumber: number | null = null) => ({
  __typename: 'OrderEditRefused' as const,
  ...{ code, message, lineNumber },
})

/** New quantities of lines, as a caller gives them. */
export type QuantityInput = { readonly lineId: string; readonly quantity: number }

/** What bounds the quantity of a line from below: units by the line's row. */
export type LineBounds = {
  readonly isFulfilled: (line: Pick<OrderLine, 'addedAt'>) => boolean
  /** Units that were refunded, or are in returns. */
  readonly gone: ReadonlyMap<number, number>
}

/** Lines with their quantities after an edit; 0: removed. Or why they cannot have them. */
export function changedLines(
  lines: readonly OrderLine[],
  inputs: readonly QuantityInput[],
  { isFulfilled, gone }: LineBounds,
):
  | { readonly quantities: ReadonlyMap<number, number> }
  | { readonly problems: readonly Problem[] }
  | { readonly refused: ReturnType<typeof editRefused> } {
  const problems: Problem[] = []
  const quantities = new Map<number, number>()
  for (const [index, { lineId, quantity }] of inputs.entries()) {
    const at = `setQuantities.${index}`
    const row = decodeId(lineId, 'OrderLine')
    const line = lines.find(({ id }) => id === row)
    if (!line || quantities.has(line.id)) {
      problems.push(problem(`${at}.lineId`, line ? 'a line that is named once' : 'a line of the order', lineId))
      continue
    }
    if (quantity < 0 || quantity > MAX_UNITS) problems.push(problem(`${at}.quantity`, `0 to ${MAX_UNITS}`, quantity))
    quantities.set(line.id, quantity)
  }
  if (problems.length > 0) return { problems }
  for (const line of lines) {
    const quantity = quantities.get(line.id) ?? line.quantity
    if (quantity === line.quantity) continue
    if (isFulfilled(line))
      return { refused: editRefused('LINE_FULFILLED', `Line ${line.id} was fulfilled: return units of it instead.`, line.id) }
    const least = gone.get(line.id) ?? 0
    if (quantity < least) {
      const message = `Expected line ${line.id} to keep ${least} units, which were refunded or are in returns, got ${quantity}.`
      return { refused: editRefused('LINE_REFUNDED', message, line.id) }
    }
  }
  return { quantities }
}

/** A line with another quantity: its price and its discount per unit stay. */
export function withQuantity(line: OrderLine, quantity: number, currency: string): DraftLine {
  const { id: _, orderId: __, addedAt: ___, subtotal, tax, total, taxes, ...terms } = line
  const discount = roundedProduct(amountOf(line.discount), BigInt(quantity), BigInt(line.quantity), minorUnitOf(currency))
  return { ...terms, quantity, discount: textOf(discount), isKnown: line.productNumber !== 0, requiresShipping: true }
}

/** Rates of the fixed taxes of an order, by tax: amounts in its currency. */
export const fixedTaxesOf = (
  lines: readonly Pick<OrderLine, 'taxes'>[],
  { shippingTaxes }: Pick<Order, 'shippingTaxes'>,
): ReadonlyMap<number, string> =>
  new Map(
    [...lines.flatMap(({ taxes }) => taxes), ...shippingTaxes].flatMap(({ number, rate, fixed }) =>
      fixed ? [[number, rate] as const] : [],
    ),
  )

/** Price of shipping of a placed order, as the calculation takes it. */
export function shippingPriceOf({ shipping, shippingTax, shippingTaxes }: Order): string {
  const isIncluded = shippingTaxes.some(({ includedInPrice }) => includedInPrice)
  return isIncluded ? textOf(amountOf(shipping) + amountOf(shippingTax)) : shipping
}
