import { randomBytes } from 'node:crypto'
import { problem, validationError } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import { lockGiftCards, redeemGiftCards } from '../gift-card/redeem.ts'
import { insufficientStock } from '../inventory/actions.ts'
import { lockStock, reserveStock } from '../inventory/stock.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import { redeem } from '../promotion/redeem.ts'
import { withSavepoint } from '../savepoint.ts'
import { textKey } from '../text-key.ts'
import type { UnitOfWork } from '../write.ts'
import { calculateOrder } from './calculation/calculate.ts'
import { type NewOrderInput, type PreparedOrder, prepareOrder } from './calculation/prepare.ts'
import { type QuotedOrder, withQuote } from './calculation/shipping.ts'
import { keepBuyer } from './customer/buyer.ts'
import { orderLineRepository } from './line/repository.ts'
import type { OrderLineTerms, OrderTerms } from './order.ts'
import { orderRepository } from './repository.ts'
import { isHolding, type OrderStatus, STATUS_EVENT } from './status/states.ts'

/** Each attempt is lost to another order with the same coupon, and leaves one promotion fewer. */
const MAX_ATTEMPTS = 10
/** Characters of the search key: longer texts are found by their beginning only. */
const MAX_SEARCH_KEY_LENGTH = 20_000

/**
 * A change that creates an order. A quoted order is prepared already; any other one is prepared in
 * the transaction. A retried transaction prepares again: the one before it may have changed what
 * the order refers to.
 */
export function placeOrder(input: NewOrderInput, quoted: QuotedOrder | null) {
  const place = orderPlacement(quoted)
  return (unit: UnitOfWork) => place(unit, input)
}

/** The same where the input is known in the transaction only; make one for all of its attempts. */
export type OrderPlacement = ReturnType<typeof orderPlacement>

export function orderPlacement(quoted: QuotedOrder | null) {
  let prepared = quoted?.prepared ?? null
  return async (unit: UnitOfWork, input: NewOrderInput) => {
    const order = withQuote(prepared ?? (await prepareOrder(unit, input)), quoted?.quote ?? null, input)
    prepared = null
    return 'failure' in order ? order.failure : createOrder(unit, input, order)
  }
}

async function createOrder(unit: UnitOfWork, input: NewOrderInput, prepared: PreparedOrder) {
  const customer = await keepBuyer(unit, prepared.buyer)
  const status = input.status ?? 'PENDING_PAYMENT'
  if (input.applyPromotions !== true) return withoutUsedUp(await writeOrder(unit, prepared, customer, status))

  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt += 1) {
    const result = await withSavepoint(unit, (within) => writeOrder(within, prepared, customer, status))
    if (result.__typename !== 'UsedUp') return result
  }
  return withoutUsedUp(await writeOrder(unit, prepared, customer, status))
}

type Written = Awaited<ReturnType<typeof writeOrder>>

/**
 * Other orders took the last use of a promotion as often as this order tried: that is a problem of
 * its coupons.
 */
const withoutUsedUp = (response: Written): Exclude<Written, { readonly __typename: 'UsedUp' }> =>
  response.__typename === 'UsedUp'
    ? validationError([problem('couponCodes', 'still of use when the order is written: try again', response.codes.join(', '))])
    : response

async function writeOrder(unit: UnitOfWork, prepared: PreparedOrder, customer: number | null, status: OrderStatus) {
  const { query, storeId, now, emit } = unit
  const { terms, buyer } = prepared
  // First: whatever locks gift cards locks them before stock.
  const giftCards = isHolding(status) ? await lockGiftCards(unit, prepared.giftCards, terms.currency) : []
  const calculation = await calculateOrder(unit, { ...prepared, cart: { ...prepared.cart, giftCards } })
  if ('failure' in calculation) return calculation.failure
  const { amounts, lines, shippingTaxes, promotions, coupons, applied, refused } = calculation
  if (refused.length > 0) {
    const codes = prepared.cart.couponCodes
    return validationError(
      refused.map(({ code, reason }) =>
        problem(`couponCodes.${codes.indexOf(code)}`, 'a code that has an effect', `${code}, which is ${reason}`),
      ),
    )
  }

  const orders = orderRepository(query)
  const written: OrderTerms = {
    ...terms,
    ...amounts,
    shippingTaxes,
    promotions,
    coupons,
    customer: customer === null ? null : { number: customer, ...buyer.snapshot },
  }
  const order = await orders.insert(storeId, written, {
    status,
    token: randomBytes(24).toString('base64url'),
    searchKey: searchKey(written, lines),
    completedAt: status === 'ABANDONED' ? null : now,
    at: now,
  })
  await redeemGiftCards(unit, order, giftCards, amountOf(amounts.giftCardsDiscount))
  const lineRepository = orderLineRepository(query)
  const reserving = isHolding(status) ? prepared.lines.filter(({ isKnown }) => isKnown) : []
  const [rows, stock] = await Promise.all([
    lineRepository.insert(storeId, order, lines),
    lockStock(
      unit,
      reserving.map(({ productNumber }) => productNumber),
    ),
    lineRepository.writeFields(storeId, order, prepared.additionalFields),
  ])
  const shortages = await reserveStock(
    unit,
    stock,
    reserving.map((line) => ({
      productId: line.productNumber,
      variantId: line.variantNumber,
      quantity: line.quantity,
      orderLineId: rows[prepared.lines.indexOf(line)] ?? 0,
      preferredLocationId: terms.pickupLocationNumber,
    })),
  )
  if (shortages.length > 0) return insufficientStock(shortages)
  if (status === 'PAID') await ledgerRepository(query).pay(storeId, { id: order, ...written }, now)
  emit({ event: 'order_created', entity: 'Order', id: order })
  emit({ event: STATUS_EVENT[status], entity: 'Order', id: order })
  // Last: orders with the same promotion wait for each other from here on.
  const redemption = isHolding(status) ? await redeem(unit, order, applied) : { kind: 'redeemed' as const }
  if (redemption.kind === 'used-up') return { __typename: 'UsedUp' as const, codes: redemption.couponCodes }
  return { __typename: 'CreateOrderSuccess' as const, order }
}

/** The text that search finds an order by, besides its number; `name` is that at the shop of an imported order. */
export function searchKey(
  order: Pick<OrderTerms, 'customer' | 'shippingAddress' | 'billingAddress'>,
  lines: readonly Pick<OrderLineTerms, 'name' | 'sku'>[],
  name: string | null = null,
): string {
  const { customer, shippingAddress, billingAddress } = order
  const texts = [
    name,
    customer?.email,
    customer?.fullname,
    customer?.phone,
    shippingAddress?.name,
    shippingAddress?.surname,
    billingAddress?.name,
    billingAddress?.surname,
    ...lines.flatMap(({ name, sku }) => [name, sku]),
  ]
  const text = texts.filter((each) => each).join(' ')
  return textKey(text.slice(0, MAX_SEARCH_KEY_LENGTH).toWellFormed())
}
