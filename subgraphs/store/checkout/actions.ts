import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import { amountOf } from '../amount.ts'
import type { ShoppingCart } from '../cart/cart.ts'
import { orderInputOf } from '../cart/order-input.ts'
import { cartRepository } from '../cart/repository.ts'
import type { CheckoutCustomField } from '../checkout-custom-field/checkout-custom-field.ts'
import type { MailJobs } from '../mail/jobs.ts'
import { type OrderPlacement, placeOrder } from '../order/place-order.ts'
import { orderRepository } from '../order/repository.ts'
import { changeStatus, settleFreeOrder } from '../order/status/status-change.ts'
import { startPayment } from '../payment/actions.ts'
import type { Shopper } from '../storefront/shopper.ts'
import { conflictError, type UnitOfWork } from '../write.ts'

/** What a checkout is completed with; the cart as it was when it was calculated. */
export type Checkout = {
  readonly cart: ShoppingCart
  readonly tokenHash: Buffer
  readonly expectedTotal: string
  /** Places the order by what was quoted; the same for all attempts of the transaction. */
  readonly place: OrderPlacement
  readonly fields: readonly CheckoutCustomField[]
  /** Payment method with a gateway; null: it is paid otherwise. */
  readonly gatewayMethodId: number | null
  /** Until when an unpaid order reserves its stock; null: without end. */
  readonly payUntil: Date | null
  /** What confirms the order; null: no e-mails are sent. */
  readonly mail: Pick<MailJobs, 'add'> | null
  /** Whether one more confirmation may be sent to this address. */
  readonly mayConfirm: (email: string) => Promise<boolean>
  /** Whose account the order belongs to, at whose prices; null: it is one of a guest. */
  readonly shopper: Shopper | null
}

/**
 * Makes a cart an order, in one transaction: all of it, or nothing. A cart that is an order already
 * has that one, also when another request completed it.
 */
export async function completeCheckout(unit: UnitOfWork, checkout: Checkout) {
  const { query, storeId, now } = unit
  const carts = cartRepository(query)
  const cart = await carts.lockByToken(storeId, checkout.tokenHash)
  if (!cart) return notFoundError('cart', '')
  if (cart.orderId !== null) return completed(cart.orderId, cart.payUntil)
  if (cart.updatedAt.getTime() !== checkout.cart.updatedAt.getTime())
    return conflictError('The cart was changed while it was being ordered: read it again.')

  const orders = orderRepository(query)
  const { shopper, fields } = checkout
  const input = orderInputOf(cart.contents, cart.contents.lines, { status: 'PENDING_PAYMENT', fields, shopper })
  const placed = await checkout.place(unit, input)
  if (placed.__typename === 'InsufficientStock') return { __typename: 'SoldOut' as const }
  if (placed.__typename !== 'CreateOrderSuccess') return placed
  const order = await orders.lock(storeId, placed.order)
  if (!order) throw new Error('Expected the order that was just created.')
  if (amountOf(order.total) !== amountOf(checkout.expectedTotal))
    return { __typename: 'TotalChanged' as const, total: order.total }

  const isFree = amountOf(order.total) === 0n
  if (isFree) {
    const failure = await settleFreeOrder(unit, order)
    if (failure) return failure.__typename === 'ValidationError' ? failure : { __typename: 'SoldOut' as const }
  }
  if (cart.abandonedOrderId !== null) await orders.setRecoveredFrom(storeId, order.id, cart.abandonedOrderId)
  const payUntil = isFree ? null : checkout.payUntil
  if (!isFree && checkout.gatewayMethodId !== null) await startPayment(unit, order, checkout.gatewayMethodId)
  await carts.setOrdered(storeId, cart.id, { orderId: order.id, payUntil }, now)
  if (shopper !== null) await orders.setCustomerAccount(storeId, order.id, shopper.accountId)
  const { mail, mayConfirm } = checkout
  if (mail !== null && (await mayConfirm(cart.contents.email ?? '')))
    await mail.add(unit, { kind: 'order-confirmation', subjectId: order.id })
  return completed(order.id, payUntil)
}

const completed = (orderId: number, payUntil: Date | null) => ({
  __typename: 'CompleteStorefrontCheckoutSuccess' as const,
  order: orderId,
  payUntil: payUntil?.toISOString() ?? null,
})

/** Frees what an order reserves that was not paid in time; one that was paid stays. */
export async function expireOrder(unit: UnitOfWork, orderId: number) {
  const { query, storeId, now, emit } = unit
  const orders = orderRepository(query)
  const order = await orders.lock(storeId, orderId)
  if (order?.status === 'PENDING_PAYMENT') {
    const moved = await changeStatus(unit, order, { to: 'ABANDONED', restock: true, reason: 'it was not paid in time' })
    if ('failure' in moved) throw new Error(`Expected an order to be abandoned, got ${JSON.stringify(moved.failure)}.`)
    await orders.update(storeId, order.id, moved.change, now)
    emit({ event: 'order_updated', entity: 'Order', id: order.id })
  }
  await cartRepository(query).setNoExpiry(storeId, orderId)
  return { __typename: 'ExpireOrderSuccess' as const }
}

/** Shows a cart that its shopper left to the merchant, as an order with status ABANDONED. */
export async function abandonCart(
  unit: UnitOfWork,
  {
    cartId,
    idleSince,
    fields,
  }: { readonly cartId: number; readonly idleSince: Date; readonly fields: readonly CheckoutCustomField[] },
  lines: (cart: ShoppingCart) => Promise<ShoppingCart['contents']['lines']>,
) {
  const { query, storeId } = unit
  const carts = cartRepository(query)
  const cart = await carts.lock(storeId, cartId)
  if (cart?.status !== 'OPEN' || cart.abandonedOrderId !== null || cart.updatedAt >= idleSince) return UNCHANGED
  const own = await lines(cart)
  // Nothing of it is for sale any more.
  if (own.length === 0) return UNCHANGED
  const { couponCodes, giftCards, shippingMethodId, pickupLocationId, paymentMethodId, ...contents } = cart.contents
  const input = orderInputOf(
    { ...contents, couponCodes: [], giftCards: [], shippingMethodId: null, pickupLocationId: null, paymentMethodId: null },
    own,
    // The link to it may be passed on: it has the prices of everybody.
    { status: 'ABANDONED', fields, shopper: null },
  )
  const placed = await placeOrder(input, null)(unit)
  if (placed.__typename === 'CreateOrderSuccess') await carts.setAbandoned(storeId, cart.id, placed.order)
  return placed
}

const UNCHANGED = validationError([problem('cart', 'open, idle and with something for sale', 'another one')])
