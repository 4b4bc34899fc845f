import { problem, validationError } from '../../../toolkit/validation.ts'
import { amountOf } from '../../amount.ts'
import { redeemGiftCardsAgain, returnGiftCards } from '../../gift-card/redeem.ts'
import { insufficientStock } from '../../inventory/actions.ts'
import { lockStock, releaseStock, reserveStock } from '../../inventory/stock.ts'
import { ledgerRepository } from '../../ledger/repository.ts'
import { orderHistoryRepository } from '../../order-history/repository.ts'
import type { AppliedPromotion } from '../../promotion/apply.ts'
import { redeem, unredeem } from '../../promotion/redeem.ts'
import { promotionRepository } from '../../promotion/repository.ts'
import { couponKey } from '../../promotion/rule.ts'
import type { UnitOfWork } from '../../write.ts'
import { orderLineRepository } from '../line/repository.ts'
import type { Order } from '../order.ts'
import { type OrderChange, orderRepository } from '../repository.ts'
import { isHolding, type OrderStatus, STATUS_EVENT, statusProblem } from './states.ts'

/** Change of an order's status. */
export type StatusChange = {
  readonly to: OrderStatus
  /** Of an order that holds no more: whether its stock is put back, or gone. */
  readonly restock: boolean
  /** For the history; null: no reason given. */
  readonly reason: string | null
}

/**
 * Changes the state of a locked order, with all its effects; returns the fields to write, or why it
 * is refused.
 */
export async function changeStatus(unit: UnitOfWork, order: Order, { to, restock, reason }: StatusChange) {
  const { query, storeId, now, emit } = unit
  const forbidden = statusProblem(order.status, to)
  if (forbidden) return { failure: validationError([forbidden]) }
  if (order.status === to) return { change: {} }

  if (isHolding(to) && !isHolding(order.status)) {
    const failure = await take(unit, order)
    if (failure) return { failure }
  }
  if (!isHolding(to) && isHolding(order.status)) await giveBack(unit, order, restock)
  if (to === 'PAID') await ledgerRepository(query).pay(storeId, order, now)
  await orderHistoryRepository(query).insert(storeId, {
    orderId: order.id,
    message: `${SAID[order.status]} became ${SAID[to]}${reason === null ? '.' : `: ${reason}`}`,
    log: { event: 'status', from: order.status, to, ...(reason !== null && { reason }) },
    at: now,
  })
  emit({ event: STATUS_EVENT[to], entity: 'Order', id: order.id })
  const change: OrderChange = { status: to, completedAt: order.completedAt ?? now }
  return { change }
}

/** Makes a locked order of which nothing is due PAID; null, or why it cannot be. Others stay as they are. */
export async function settleFreeOrder(unit: UnitOfWork, order: Order) {
  if (order.status !== 'PENDING_PAYMENT' || amountOf(order.total) !== 0n) return null
  const moved = await changeStatus(unit, order, { to: 'PAID', restock: true, reason: 'nothing is due' })
  if ('failure' in moved) return moved.failure ?? null
  await orderRepository(unit.query).update(unit.storeId, order.id, moved.change, unit.now)
  return null
}

const SAID: Readonly<Record<OrderStatus, string>> = {
  ABANDONED: 'Abandoned',
  CANCELED: 'Canceled',
  PENDING_PAYMENT: 'Pending Payment',
  PAID: 'Paid',
}

/** A cart becomes an order: it takes its stock, and counts its promotions; or nothing, and why. */
async function take(unit: UnitOfWork, order: Order) {
  const { query, storeId } = unit
  if (!(await redeemGiftCardsAgain(unit, order)))
    return validationError([
      problem('status', 'ABANDONED or CANCELED, because gift cards do not cover their part any more', order.giftCardsDiscount),
    ])
  const lines = await orderLineRepository(query).ofOrders(storeId, [order.id])
  const wanted = lines.map(({ id, productNumber, variantNumber, quantity }) => ({
    orderLineId: id,
    productId: productNumber,
    variantId: variantNumber,
    quantity,
    preferredLocationId: order.pickupLocationNumber,
  }))
  const stock = await lockStock(
    unit,
    wanted.map(({ productId }) => productId),
  )
  const shortages = await reserveStock(unit, stock, wanted)
  if (shortages.length > 0) return insufficientStock(shortages)
  const redemption = await redeem(unit, order.id, await appliedTo(unit, order))
  if (redemption.kind === 'redeemed') return null
  const names = order.promotions.filter(({ number }) => redemption.promotionIds.includes(number)).map(({ name }) => name)
  return validationError([
    problem('status', 'ABANDONED or CANCELED, because promotions of the cart are used up', names.join(', ')),
  ])
}

async function giveBack(unit: UnitOfWork, order: Order, restock: boolean): Promise<void> {
  const { query, storeId } = unit
  await returnGiftCards(unit, order.id, null)
  if (restock) {
    const lines = await orderLineRepository(query).ofOrders(storeId, [order.id])
    await releaseStock(
      unit,
      lines.map(({ id }) => ({ orderLineId: id, quantity: null })),
    )
  }
  await unredeem(unit, order.id)
}

/** The promotions of an order, and by which coupons it has them. */
async function appliedTo({ query, storeId }: UnitOfWork, { promotions, coupons }: Order): Promise<readonly AppliedPromotion[]> {
  const known = coupons.length === 0 ? [] : await promotionRepository(query).couponsByKeys(storeId, coupons.map(couponKey))
  return promotions.map(({ number }) => ({
    promotionId: number,
    coupon: known.find(({ promotionId }) => promotionId === number) ?? null,
    // It is counted, not worked out.
    amount: 0n,
  }))
}
