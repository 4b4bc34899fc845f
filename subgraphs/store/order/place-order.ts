import { randomBytes } from 'node:crypto'
import { problem, validationError } from '../../toolkit/validation.ts'
import { insufficientStock } from '../inventory/actions.ts'
import { lockStock, reserveStock } from '../inventory/stock.ts'
import { ledgerRepository } from '../ledger/repository.ts'
import { redeem } from '../promotion/redeem.ts'
import { textKey } from '../text-key.ts'
import { part, type Unit } from '../write.ts'
import { keepBuyer } from './buyer.ts'
import { orderLineRepository } from './line-repository.ts'
import type { OrderLineTerms, OrderTerms } from './order.ts'
import { type NewOrderInput, type PreparedOrder, prepareOrder } from './prepare.ts'
import type { QuotedShipping } from './quoted-shipping.ts'
import { orderRepository } from './repository.ts'
import { isHolding, type OrderStatus, STATUS_EVENT } from './states.ts'
import { workOut } from './work-out.ts'

/** Each turn is lost to another order with the same coupon, and leaves one promotion fewer. */
const MOST_TURNS = 10
/** Longer texts are found by their beginning only. */
const LONGEST_SEARCHED = 20_000

/** Creates an order. `quoted` is what its way to send asks, from `quotedShipping`. */
export async function createOrder(unit: Unit, input: NewOrderInput, quoted: QuotedShipping | null) {
  const prepared = await prepareOrder(unit, input, quoted)
  if ('failure' in prepared) return prepared.failure
  const customer = await keepBuyer(unit, prepared.buyer)
  const status = input.status ?? 'PENDING_PAYMENT'
  if (input.applyPromotions !== true) return settled(await placed(unit, prepared, customer, status))

  for (let turn = 1; turn < MOST_TURNS; turn += 1) {
    const outcome = await part(unit, (within) => placed(within, prepared, customer, status))
    if (outcome.__typename !== 'UsedUp') return outcome
  }
  return settled(await placed(unit, prepared, customer, status))
}

type Placed = Awaited<ReturnType<typeof placed>>

/** Somebody else took the last use of a promotion as often as this order tried. */
const settled = (outcome: Placed): Exclude<Placed, { readonly __typename: 'UsedUp' }> =>
  outcome.__typename === 'UsedUp'
    ? validationError([problem('couponCodes', 'still of use when the order is written: try again', outcome.codes.join(', '))])
    : outcome

async function placed(unit: Unit, prepared: PreparedOrder, customer: number | null, status: OrderStatus) {
  const { query, storeId, now, emit } = unit
  const { terms, buyer } = prepared
  const calculation = await workOut(unit, prepared)
  if ('failure' in calculation) return calculation.failure
  const { amounts, lines, shippingTaxes, promotions, coupons, applied, refused } = calculation
  if (refused.length > 0) {
    const codes = prepared.toPrice.couponCodes
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
  const lineRepository = orderLineRepository(query)
  const holding = isHolding(status) ? prepared.lines.filter(({ isKnown }) => isKnown) : []
  const [rows, stock] = await Promise.all([
    lineRepository.insert(storeId, order, lines),
    lockStock(
      unit,
      holding.map(({ productNumber }) => productNumber),
    ),
    lineRepository.writeFields(storeId, order, prepared.additionalFields),
  ])
  const shortages = await reserveStock(
    unit,
    stock,
    holding.map((line) => ({
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
  // Last, for orders with the same promotion wait for each other from here on.
  const redemption = isHolding(status) ? await redeem(unit, order, applied) : { kind: 'redeemed' as const }
  if (redemption.kind === 'used-up') return { __typename: 'UsedUp' as const, codes: redemption.couponCodes }
  return { __typename: 'CreateOrderSuccess' as const, order }
}

/** What an order is found by, besides its number. */
function searchKey(order: OrderTerms, lines: readonly OrderLineTerms[]): string {
  const { customer, shippingAddress, billingAddress } = order
  const texts = [
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
  return textKey(text.slice(0, LONGEST_SEARCHED).toWellFormed())
}
