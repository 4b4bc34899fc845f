import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { Actor } from '../access/actor.ts'
import { fulfillmentRepository } from '../fulfillment/repository.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { inventoryRepository } from '../inventory/repository.ts'
import { releaseStock } from '../inventory/stock.ts'
import { orderLineRepository } from '../order/line/repository.ts'
import { MAX_LINES, type Order } from '../order/order.ts'
import { orderRepository } from '../order/repository.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import { staleVersion, type UnitOfWork } from '../write.ts'
import {
  MAX_RETURNS,
  newReturnLines,
  type OrderReturn,
  type OrderReturnLineInput,
  type OrderReturnStatus,
  type ReceivedLineInput,
  receivedLines,
  returnableUnits,
  textProblems,
  transitionRefusal,
} from './order-return.ts'
import { orderReturnRepository } from './repository.ts'

type Text = string | null | undefined

/** A new return, as a caller gives it. */
export type NewReturn = { readonly lines: readonly OrderReturnLineInput[]; readonly note?: Text }

/** Creates a return of a merchant, which is approved. */
export async function createOrderReturn(unit: UnitOfWork, input: NewReturn & { readonly orderId: string }, actor: Actor) {
  const order = await orderRepository(unit.query).lock(unit.storeId, decodeId(input.orderId, 'Order') ?? 0)
  if (!order) return notFoundError('order', input.orderId)
  const added = await addReturn(unit, order, { ...input, status: 'APPROVED', requestedBy: 'MERCHANT' }, actor)
  return 'failure' in added ? added.failure : { __typename: 'CreateOrderReturnSuccess' as const, orderReturn: added.id }
}

/** Adds a return to a locked order, or says why not. */
export async function addReturn(
  unit: UnitOfWork,
  order: Order,
  { lines, note, ...terms }: NewReturn & Pick<OrderReturn, 'status' | 'requestedBy'>,
  actor: Actor,
) {
  const { query, storeId, now, emit } = unit
  const problems = textProblems({ note })
  if (problems.length > 0) return { failure: validationError(problems) }
  const returns = orderReturnRepository(query)
  if ((await returns.ofOrders(storeId, [order.id])).length >= MAX_RETURNS)
    return { failure: validationError([problem('orderId', `an order with fewer than ${MAX_RETURNS} returns`, order.id)]) }
  const lineRepository = orderLineRepository(query)
  const [own, units, fulfillments] = [
    await lineRepository.ofOrders(storeId, [order.id]),
    await lineRepository.unitsInReturns(storeId, [order.id]),
    await fulfillmentRepository(query).ofOrders(storeId, [order.id]),
  ]
  const inReturns = new Map(units.map(({ lineNumber, quantity }) => [lineNumber, Number(quantity)]))
  const handedOver = fulfillments.map(({ createdAt }) => createdAt)
  const written = newReturnLines(lines, returnableUnits(order, own, { inReturns, handedOver }))
  if ('problems' in written) return { failure: validationError(written.problems) }
  const fields = { ...terms, orderId: order.id, note: note?.trim() ? note : null }
  const id = await returns.insert(storeId, fields, written.lines, now)
  await noteReturn(unit, { id, orderId: order.id }, { from: null, to: terms.status, actor })
  if (terms.requestedBy === 'CUSTOMER') emit({ event: 'order_return_requested', entity: 'Order', id: order.id })
  return { id }
}

/** Moves a return on that nothing else happens to. */
export async function moveOrderReturn(
  unit: UnitOfWork,
  id: string,
  to: Exclude<OrderReturnStatus, 'REQUESTED' | 'RECEIVED'>,
  input: Versioned & { readonly reason?: Text },
  actor: Actor,
) {
  const problems = textProblems({ reason: input.reason })
  if (problems.length > 0) return validationError(problems)
  const found = await lockReturn(unit, id, to, input)
  if ('failure' in found) return found.failure
  const { orderReturn } = found
  const reason = input.reason?.trim() ? input.reason : null
  await moved(unit, orderReturn, { to, reason, refundId: null, actor })
  return { __typename: 'OrderReturnSuccess' as const, orderReturn: orderReturn.id }
}

/** Records what arrived, and restocks or discards it. */
export async function receiveOrderReturn(
  unit: UnitOfWork,
  id: string,
  input: Versioned & { readonly lines?: readonly ReceivedLineInput[] | null | undefined },
  actor: Actor,
) {
  const { query, storeId } = unit
  const named = input.lines ?? []
  if (named.length > MAX_LINES) return validationError([problem('lines', `at most ${MAX_LINES} lines`, named.length)])
  const found = await lockReturn(unit, id, 'RECEIVED', input)
  if ('failure' in found) return found.failure
  const { orderReturn } = found
  const returns = orderReturnRepository(query)
  const checked = receivedLines(await returns.linesOf(storeId, [orderReturn.id]), named)
  if ('problems' in checked) return validationError(checked.problems)
  for (const location of new Set(checked.received.flatMap(({ locationNumber }) => locationNumber ?? []))) {
    if (!(await inventoryRepository(query).hasLocation(storeId, location))) return notFoundError('location', String(location))
  }
  await returns.receive(storeId, orderReturn.id, checked.received)
  await releaseStock(
    unit,
    checked.received.map(({ lineNumber, received, restock, locationNumber }) => ({
      orderLineId: lineNumber,
      quantity: received,
      to: restock === 'DISCARD' ? 'nowhere' : (locationNumber ?? 'origin'),
    })),
  )
  await moved(unit, orderReturn, { to: 'RECEIVED', reason: null, refundId: null, actor })
  return { __typename: 'OrderReturnSuccess' as const, orderReturn: orderReturn.id }
}

/** The return and its order, locked in the order in which everything locks them. */
export async function lockReturn(
  { query, storeId }: UnitOfWork,
  id: string,
  to: OrderReturnStatus,
  { expectedVersion }: Versioned,
) {
  const returns = orderReturnRepository(query)
  const row = decodeId(id, 'OrderReturn') ?? 0
  const orderId = await returns.orderOf(storeId, row)
  const order = orderId === null ? null : await orderRepository(query).lock(storeId, orderId)
  const orderReturn = order === null ? null : await returns.lock(storeId, row)
  if (!order || !orderReturn) return { failure: notFoundError('return', id) }
  const refusal = staleVersion(expectedVersion, orderReturn.version) ?? transitionRefusal(orderReturn.status, to)
  return refusal ? { failure: refusal } : { order, orderReturn }
}

/** Writes the new status of a locked return, with its history and events. */
export async function moved(
  unit: UnitOfWork,
  { id, orderId, status }: OrderReturn,
  {
    to,
    reason,
    refundId,
    actor,
  }: { readonly to: OrderReturnStatus; readonly reason: string | null; readonly refundId: number | null; readonly actor: Actor },
): Promise<void> {
  await orderReturnRepository(unit.query).update(unit.storeId, id, { status: to, reason, refundId }, unit.now)
  await noteReturn(unit, { id, orderId }, { from: status, to, actor, reason })
}

async function noteReturn(
  { query, storeId, now, emit }: UnitOfWork,
  { id, orderId }: Pick<OrderReturn, 'id' | 'orderId'>,
  {
    from,
    to,
    actor,
    reason = null,
  }: {
    readonly from: OrderReturnStatus | null
    readonly to: OrderReturnStatus
    readonly actor: Actor
    readonly reason?: string | null
  },
): Promise<void> {
  await orderHistoryRepository(query).insert(storeId, {
    orderId,
    message: `Return ${id} ${from === null ? 'was' : `went from ${from.toLowerCase()} to`} ${to.toLowerCase()}, by ${actor}${reason === null ? '.' : `: ${reason}`}`,
    log: { event: 'return', return: id, from, to, by: actor, ...(reason !== null && { reason }) },
    at: now,
  })
  emit({ event: 'order_return_updated', entity: 'Order', id: orderId })
}
