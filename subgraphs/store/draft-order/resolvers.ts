import type { Resolvers } from '#generated/store/resolvers.ts'
import { transaction } from '../../../platform/database/transaction.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import { actorOf } from '../access/actor.ts'
import type { Context } from '../context.ts'
import { decodeId, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { previewOrder } from '../order/calculation/preview.ts'
import { type QuotedOrder, quoteOrder } from '../order/calculation/shipping.ts'
import { orderPlacement } from '../order/place-order.ts'
import { orderRepository } from '../order/repository.ts'
import { runPayment } from '../payment/run.ts'
import { cancelDraftOrder, completeDraftOrder, createDraftOrder, type DraftCompletion, updateDraftOrder } from './actions.ts'
import { type DraftContents, type DraftOrder, orderInputOfDraft } from './draft-order.ts'

const DRAFTS: KeysetList<DraftOrder> = { name: 'draftOrders', parts: ['number'], positionOf: ({ id }) => [id] }

export const draftOrderResolvers = {
  Query: {
    draftOrder: (_, { id }, { load }) => load.draftOrderById.load(decodeId(id, 'DraftOrder') ?? 0),
    draftOrders: async (_, { status, ...page }, { storeId, draftOrders }) => {
      const range = keysetRange(DRAFTS, page, LIST_SIZES)
      const [store, which] = [await storeId(), status ?? null]
      return keysetPage(DRAFTS, range, await draftOrders.list(store, which, range), () => draftOrders.count(store, which))
    },
    calculateDraftOrder: async (_, { id }, context) => {
      const draft = await context.load.draftOrderById.load(decodeId(id, 'DraftOrder') ?? 0)
      if (!draft) return notFoundError('draft order', id)
      const storeId = await context.storeId()
      const quoted = await quoteOf(context, draft.contents)
      return transaction(context.database, (query) =>
        previewOrder({ query, storeId, now: context.now() }, orderInputOfDraft(draft.contents), quoted),
      )
    },
  },
  Mutation: {
    createDraftOrder: async (_, { input }, context) => {
      const { contents } = input
      const quoted = await quoteOf(context, contents)
      return context.write('createDraftOrder', input, (unit) => createDraftOrder(unit, { contents, quoted }))
    },
    updateDraftOrder: async (_, { id, input }, context) => {
      const { contents } = input
      const quoted = await quoteOf(context, contents)
      return context.write('updateDraftOrder', { ...input, id }, (unit) =>
        updateDraftOrder(unit, id, { contents, quoted }, input),
      )
    },
    cancelDraftOrder: (_, { id, input }, { write }) =>
      write('cancelDraftOrder', { ...input, id }, (unit) => cancelDraftOrder(unit, id, input)),
    completeDraftOrder: (_, { id, input }, context) => complete(context, id, input),
  },
  DraftOrder: {
    ...identified('DraftOrder'),
    order: ({ orderId }, _, { load }) => (orderId === null ? null : load.orderById.load(orderId)),
    invoiceUrl: async ({ orderId }, _, { load, access, publicUrl }) => {
      const order = orderId === null ? null : await load.orderById.load(orderId)
      return order && `${publicUrl}/shops/${(await access()).storeCode}/orders/${order.token}`
    },
  },
  DraftOrderConnection: connectionFields,
  DraftOrderSuccess: {
    draftOrder: ({ draftOrder }, _, { load }) => present(load.draftOrderById.load(draftOrder), 'draft order'),
  },
} satisfies Resolvers

/** Rate of the shipping method of contents: not in a transaction. */
const quoteOf = async (context: Context, contents: DraftContents): Promise<QuotedOrder | null> =>
  quoteOrder(
    context,
    { query: context.database, storeId: await context.storeId(), now: context.now() },
    orderInputOfDraft(contents),
  )

async function complete(
  context: Context,
  id: string,
  input: Pick<DraftCompletion, 'isPaid' | 'expectedTotal' | 'expectedVersion'> & {
    readonly sendsConfirmation?: boolean | null | undefined
    readonly idempotencyKey?: string | null | undefined
  },
) {
  const storeId = await context.storeId()
  const actor = actorOf(await context.access())
  const draft = await context.load.draftOrderById.load(decodeId(id, 'DraftOrder') ?? 0)
  if (!draft) return notFoundError('draft order', id)
  const { paymentMethodId } = draft.contents
  const quoted = draft.orderId === null ? await quoteOf(context, draft.contents) : null
  const method = paymentMethodId == null ? null : decodeId(paymentMethodId, 'PaymentMethod')
  const gateway = method === null ? null : await context.payments.access(storeId, method, context.secrets)
  const completion = {
    ...input,
    quotedVersion: draft.version,
    place: orderPlacement(quoted),
    gatewayMethodId: gateway && method,
    actor,
  }
  const { mail, mailLimits } = context
  const result = await context.write('completeDraftOrder', { ...input, id }, async (unit) => {
    const completed = await completeDraftOrder(unit, id, completion)
    if (completed.__typename !== 'DraftOrderSuccess' || !completed.isNew || input.sendsConfirmation !== true || mail === null)
      return completed
    // A draft can name its customer by id alone.
    const [order] = await orderRepository(unit.query).findByIds(storeId, [completed.order])
    const email = order?.customer?.email ?? null
    if (email !== null && (await mailLimits.mayConfirmOrder(storeId, email)))
      await mail.add(unit, { kind: 'order-confirmation', subjectId: completed.order })
    return completed
  })
  // After the transaction: a request to a foreign server must not hold locks.
  if (result.__typename === 'DraftOrderSuccess' && result.payment !== null) {
    await runPayment(context.paymentDeps, storeId, result.payment)
    context.forgetLoaded()
  }
  return result
}
