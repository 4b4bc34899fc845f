import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { ConfirmedAccount } from '../customer-account/customer-account.ts'
import { fulfillmentRepository } from '../fulfillment/repository.ts'
import { orderRepository } from '../order/repository.ts'
import { storeRepository } from '../store/repository.ts'
import type { UnitOfWork } from '../write.ts'
import { addReturn, type NewReturn } from './actions.ts'
import { returnableUntil } from './order-return.ts'

/** Requests a return of an order of an account, while the shop takes returns of it. */
export async function requestOrderReturn(
  unit: UnitOfWork,
  account: ConfirmedAccount,
  { order: number, ...input }: NewReturn & { readonly order: number },
) {
  const { query, storeId, now } = unit
  const orders = orderRepository(query)
  const order = (await orders.isOfAccount(storeId, number, account.id)) ? await orders.lock(storeId, number) : null
  if (!order) return notFoundError('order', String(number))
  const [[store], fulfillments] = await Promise.all([
    storeRepository(query).findByIds([storeId]),
    fulfillmentRepository(query).ofOrders(storeId, [order.id]),
  ])
  const handedOver = fulfillments.map(({ createdAt }) => createdAt)
  const until = returnableUntil(order, handedOver, store?.returnWindowDays ?? 0)
  if (until === null || until <= now) {
    const reason =
      until === null ? 'an order that can be returned' : `an order that could be returned until ${until.toISOString()}`
    return validationError([problem('order', reason, number)])
  }
  const added = await addReturn(unit, order, { ...input, status: 'REQUESTED', requestedBy: 'CUSTOMER' }, 'customer')
  return 'failure' in added ? added.failure : { __typename: 'RequestStorefrontReturnSuccess' as const, orderReturn: added.id }
}
