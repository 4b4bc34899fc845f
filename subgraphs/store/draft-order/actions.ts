import { notFoundError, problem, validationError } from '../../toolkit/validation.ts'
import type { Actor } from '../access/actor.ts'
import { amountOf, textOf } from '../amount.ts'
import { emailKey } from '../customer/customer.ts'
import { decodeId } from '../ids.ts'
import type { Versioned } from '../input.ts'
import { previewOrder } from '../order/calculation/preview.ts'
import type { QuotedOrder } from '../order/calculation/shipping.ts'
import type { OrderPlacement } from '../order/place-order.ts'
import { orderRepository } from '../order/repository.ts'
import { settleFreeOrder } from '../order/status/status-change.ts'
import { orderHistoryRepository } from '../order-history/repository.ts'
import { startPayment } from '../payment/actions.ts'
import { conflictError, staleVersion, type UnitOfWork } from '../write.ts'
import { type DraftContents, draftProblems, MAX_OPEN_DRAFTS, notOpen, orderInputOfDraft } from './draft-order.ts'
import { draftOrderRepository } from './repository.ts'

/** Contents, and the quote of their shipping that was made before the transaction. */
export type QuotedDraft = { readonly contents: DraftContents; readonly quoted: QuotedOrder | null }

export async function createDraftOrder(unit: UnitOfWork, draft: QuotedDraft) {
  const { query, storeId, now } = unit
  const drafts = draftOrderRepository(query)
  if ((await drafts.count(storeId, ['OPEN'])) >= MAX_OPEN_DRAFTS)
    return validationError([problem('contents', `of one of at most ${MAX_OPEN_DRAFTS} drafts that are OPEN`, 'one more')])
  const written = await writtenDraft(unit, draft)
  if ('failure' in written) return written.failure
  return success(await drafts.insert(storeId, written, now))
}

export async function updateDraftOrder(unit: UnitOfWork, id: string, draft: QuotedDraft, { expectedVersion }: Versioned) {
  const found = await lockOpen(unit, id, expectedVersion)
  if ('failure' in found) return found.failure
  const written = await writtenDraft(unit, draft)
  if ('failure' in written) return written.failure
  await draftOrderRepository(unit.query).update(unit.storeId, found.draft.id, written, unit.now)
  return success(found.draft.id)
}

export async function cancelDraftOrder(unit: UnitOfWork, id: string, { expectedVersion }: Versioned) {
  const found = await lockOpen(unit, id, expectedVersion)
  if ('failure' in found) return found.failure
  await draftOrderRepository(unit.query).end(unit.storeId, found.draft.id, 'CANCELED', null, unit.now)
  return success(found.draft.id)
}

/** How a draft becomes an order. */
export type DraftCompletion = Versioned & {
  readonly isPaid?: boolean | null | undefined
  readonly expectedTotal?: string | null | undefined
  /** Version of the draft that was quoted. */
  readonly quotedVersion: number
  /** Places the order by what was quoted; the same for all attempts of the transaction. */
  readonly place: OrderPlacement
  /** Payment method with a gateway; null: it is paid otherwise. */
  readonly gatewayMethodId: number | null
  readonly actor: Actor
}

/** Makes a draft an order; one that is an order already returns that one. */
export async function completeDraftOrder(unit: UnitOfWork, id: string, completion: DraftCompletion) {
  const { query, storeId, now } = unit
  const drafts = draftOrderRepository(query)
  const draft = await drafts.lock(storeId, decodeId(id, 'DraftOrder') ?? 0)
  if (!draft) return notFoundError('draft order', id)
  if (draft.orderId !== null) return { ...success(draft.id), isNew: false, order: draft.orderId, payment: null }
  if (draft.status !== 'OPEN') return notOpen(draft.status)
  const { expectedVersion, expectedTotal, quotedVersion, isPaid, actor } = completion
  const stale = staleVersion(expectedVersion, draft.version) ?? staleVersion(quotedVersion, draft.version)
  if (stale) return stale
  const input = {
    ...orderInputOfDraft(draft.contents),
    status: isPaid === true ? ('PAID' as const) : ('PENDING_PAYMENT' as const),
  }
  const placed = await completion.place(unit, input)
  if (placed.__typename !== 'CreateOrderSuccess') return placed
  const order = await orderRepository(query).lock(storeId, placed.order)
  if (!order) throw new Error('Expected the order that was just created.')
  // Given amounts of a draft without a currency are in that of the store, which may have changed.
  if (order.currency !== draft.currency)
    return conflictError(`Expected an order in ${draft.currency}, but it is in ${order.currency} now: update the draft first.`)
  if (expectedTotal != null && amountOf(expectedTotal) !== amountOf(order.total))
    return conflictError(`Expected a total of ${expectedTotal}, but it is ${textOf(amountOf(order.total))} now.`)
  const unsettled = await settleFreeOrder(unit, order)
  if (unsettled) return unsettled
  await drafts.end(storeId, draft.id, 'COMPLETED', order.id, now)
  await orderHistoryRepository(query).insert(storeId, {
    orderId: order.id,
    message: `It was draft ${draft.id}, which was completed by ${actor}.`,
    log: { event: 'draft', draft: draft.id, by: actor },
    at: now,
  })
  const isByGateway = isPaid !== true && completion.gatewayMethodId !== null && amountOf(order.total) > 0n
  const payment = isByGateway ? await startPayment(unit, order, completion.gatewayMethodId ?? 0) : null
  return { ...success(draft.id), isNew: true, order: order.id, payment }
}

const success = (draftOrder: number) => ({ __typename: 'DraftOrderSuccess' as const, draftOrder })

async function lockOpen({ query, storeId }: UnitOfWork, id: string, expectedVersion: number | null | undefined) {
  const draft = await draftOrderRepository(query).lock(storeId, decodeId(id, 'DraftOrder') ?? 0)
  if (!draft) return { failure: notFoundError('draft order', id) }
  const refusal = draft.status === 'OPEN' ? staleVersion(expectedVersion, draft.version) : notOpen(draft.status)
  return refusal ? { failure: refusal } : { draft }
}

/** What is stored of contents that can become an order, or why they cannot. */
async function writtenDraft(unit: UnitOfWork, { contents, quoted }: QuotedDraft) {
  const problems = draftProblems(contents)
  if (problems.length > 0) return { failure: validationError(problems) }
  const calculated = await previewOrder(unit, orderInputOfDraft(contents), quoted)
  if (calculated.__typename !== 'CalculatedOrder') return { failure: inContents(calculated) }
  const { id, email } = contents.customer ?? {}
  return {
    contents,
    currency: calculated.currency,
    total: calculated.total,
    emailKey: email == null ? null : emailKey(email.trim()),
    customerId: id == null ? null : decodeId(id, 'Customer'),
  }
}

/** The same failure with the paths of the input that it is about. */
function inContents(failure: ReturnType<typeof validationError> | ReturnType<typeof notFoundError>) {
  if (failure.__typename !== 'ValidationError') return failure
  const renamed = failure.errors.map(({ field, message }) => ({
    field: `contents.${field}`,
    message: message.replace(`"${field}"`, `"contents.${field}"`),
  }))
  return validationError(renamed)
}
