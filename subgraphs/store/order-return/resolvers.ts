import type { Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { actorOf } from '../access/actor.ts'
import { shopAt } from '../cart/resolvers.ts'
import type { Context, Loaders } from '../context.ts'
import { accountOfSession, noSession } from '../customer-account/actions.ts'
import type { AccountOrder } from '../customer-account/customer-account.ts'
import { decodeId, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import type { ReturnMailKind } from '../mail/jobs.ts'
import { runPayment } from '../payment/run.ts'
import { createOrderReturn, moveOrderReturn, type NewReturn, receiveOrderReturn } from './actions.ts'
import { type OrderReturn, returnableUnits, returnableUntil } from './order-return.ts'
import { type ReturnRefundInput, refundOrderReturn } from './refund.ts'
import { requestOrderReturn } from './request.ts'
import { writeAboutReturn } from './return-mail.ts'

const RETURNS: KeysetList<OrderReturn> = { name: 'orderReturns', parts: ['number'], positionOf: ({ id }) => [id] }

type MoveInput = Parameters<typeof moveOrderReturn>[3] & { readonly idempotencyKey?: string | null | undefined }

/** A mutation that changes the status and nothing else. */
const moving =
  (field: string, to: Parameters<typeof moveOrderReturn>[2]) =>
  async (_: unknown, { id, input }: { readonly id: string; readonly input: MoveInput }, { access, write, mail }: Context) => {
    const actor = actorOf(await access())
    return write(field, { ...input, id }, async (unit) => {
      const result = await moveOrderReturn(unit, id, to, input, actor)
      const kind = MAIL_OF[to]
      if (kind && result.__typename === 'OrderReturnSuccess') await writeAboutReturn(unit, mail, kind, result.orderReturn)
      return result
    })
  }

const MAIL_OF: { readonly [Status in OrderReturn['status']]?: ReturnMailKind } = {
  APPROVED: 'return-approved',
  DECLINED: 'return-declined',
}

export const orderReturnResolvers = {
  Query: {
    orderReturn: (_, { id }, { load }) => load.orderReturnById.load(decodeId(id, 'OrderReturn') ?? 0),
    orderReturns: async (_, { status, ...page }, { storeId, orderReturns }) => {
      const range = keysetRange(RETURNS, page, LIST_SIZES)
      const [store, which] = [await storeId(), status ?? null]
      return keysetPage(RETURNS, range, await orderReturns.list(store, which, range), () => orderReturns.count(store, which))
    },
  },
  Mutation: {
    createOrderReturn: async (_, { input }, { access, write }) => {
      const actor = actorOf(await access())
      return write('createOrderReturn', input, (unit) => createOrderReturn(unit, input, actor))
    },
    approveOrderReturn: moving('approveOrderReturn', 'APPROVED'),
    declineOrderReturn: moving('declineOrderReturn', 'DECLINED'),
    cancelOrderReturn: moving('cancelOrderReturn', 'CANCELED'),
    closeOrderReturn: moving('closeOrderReturn', 'CLOSED'),
    receiveOrderReturn: async (_, { id, input }, { access, write }) => {
      const actor = actorOf(await access())
      return write('receiveOrderReturn', { ...input, id }, (unit) => receiveOrderReturn(unit, id, input, actor))
    },
    refundOrderReturn: (_, { id, input }, context) => refund(context, id, input),
    requestStorefrontReturn: (_, { input }, context) => request(context, input),
  },
  Order: { returns: ({ id }, _, { load }) => load.returnsOfOrder.load(id) },
  OrderReturn: {
    ...identified('OrderReturn'),
    order: ({ orderId }, _, { load }) => present(load.orderById.load(orderId), 'order'),
    lines: ({ id }, _, { load }) => load.linesOfReturn.load(id),
    refund: ({ refundId }, _, { load }) => (refundId === null ? null : load.orderRefundById.load(refundId)),
  },
  OrderReturnLine: { lineId: ({ lineNumber }) => encodeId('OrderLine', String(lineNumber)) },
  OrderReturnConnection: connectionFields,
  CreateOrderReturnSuccess: {
    orderReturn: ({ orderReturn }, _, { load }) => present(load.orderReturnById.load(orderReturn), 'return'),
  },
  OrderReturnSuccess: {
    orderReturn: ({ orderReturn }, _, { load }) => present(load.orderReturnById.load(orderReturn), 'return'),
  },
  RequestStorefrontReturnSuccess: {
    orderReturn: async ({ storeId, orderReturn }, _, { loadOfStore }) => ({
      ...(await present(loadOfStore(storeId).orderReturnById.load(orderReturn), 'return')),
      storeId,
    }),
  },
  CustomerAccountOrder: {
    returnableUntil: ({ storeId, id }, _, { loadOfStore }) => untilOf(loadOfStore(storeId), storeId, id),
    returnableLines: returnableLines,
    returns: async ({ storeId, id }, _, { loadOfStore }) =>
      (await loadOfStore(storeId).returnsOfOrder.load(id)).map((each) => ({ ...each, storeId })),
  },
  StorefrontReturn: {
    number: ({ id }) => id,
    // Other reasons are notes of the merchant.
    reason: ({ status, reason }) => (status === 'DECLINED' || status === 'CANCELED' ? reason : null),
    lines: async ({ storeId, id, orderId }, _, { loadOfStore }) => {
      const load = loadOfStore(storeId)
      const [own, lines] = await Promise.all([load.linesOfReturn.load(id), load.linesOfOrder.load(orderId)])
      const names = new Map(lines.map((line) => [line.id, line.name]))
      return own.map(({ lineNumber, quantity }) => ({
        id: encodeId('OrderLine', String(lineNumber)),
        name: names.get(lineNumber) ?? '',
        quantity,
      }))
    },
  },
} satisfies Resolvers

async function untilOf(load: Loaders, storeId: number, orderId: number): Promise<Date | null> {
  const [order, store, fulfillments] = await Promise.all([
    present(load.orderById.load(orderId), 'order'),
    present(load.storeById.load(storeId), 'store'),
    load.fulfillmentsOfOrder.load(orderId),
  ])
  const handedOver = fulfillments.map(({ createdAt }) => createdAt)
  return returnableUntil(order, handedOver, store.returnWindowDays)
}

async function returnableLines({ storeId, id }: AccountOrder, _: unknown, { loadOfStore, now }: Context) {
  const load = loadOfStore(storeId)
  const until = await untilOf(load, storeId, id)
  if (until === null || until <= now()) return []
  const [order, lines, returned, fulfillments] = await Promise.all([
    present(load.orderById.load(id), 'order'),
    load.linesOfOrder.load(id),
    load.unitsInReturns.load(id),
    load.fulfillmentsOfOrder.load(id),
  ])
  const inReturns = new Map(returned.map(({ lineNumber, quantity }) => [lineNumber, Number(quantity)]))
  const handedOver = fulfillments.map(({ createdAt }) => createdAt)
  const units = returnableUnits(order, lines, { inReturns, handedOver })
  return lines.flatMap(({ id: line, name }) => {
    const quantity = units.get(line) ?? 0
    return quantity > 0 ? [{ id: encodeId('OrderLine', String(line)), name, quantity }] : []
  })
}

async function refund(
  context: Context,
  id: string,
  input: ReturnRefundInput & { readonly idempotencyKey?: string | null | undefined },
) {
  const actor = actorOf(await context.access())
  const result = await context.write('refundOrderReturn', { ...input, id }, async (unit) => {
    const refunded = await refundOrderReturn(unit, id, input, actor)
    const kind = input.exchangeLines?.length ? 'return-exchanged' : 'return-refunded'
    if (refunded.__typename === 'OrderReturnSuccess') await writeAboutReturn(unit, context.mail, kind, refunded.orderReturn)
    return refunded
  })
  // After the transaction: a request to a foreign server must not hold locks.
  if (result.__typename === 'OrderReturnSuccess' && result.payments.length > 0) {
    for (const payment of result.payments) await runPayment(context.paymentDeps, await context.storeId(), payment)
    context.forgetLoaded()
  }
  return result
}

type RequestInput = NewReturn & {
  readonly store: string
  readonly token: string
  readonly order: number
  readonly idempotencyKey: string
}

async function request(context: Context, { store, token, idempotencyKey, ...input }: RequestInput) {
  if (!/^[\x20-\x7e]{1,100}$/.test(idempotencyKey))
    throw badInput('input.idempotencyKey', '1 to 100 printable ASCII characters', idempotencyKey)
  const shop = await shopAt(context, store)
  const account = shop && (await accountOfSession(context.customerAccounts, shop.store.id, token, context.now()))
  if (!account) return noSession
  const { storeId } = account
  // Keys of shoppers are apart from those of the merchant, and of other accounts.
  const keyed = { ...input, idempotencyKey: `account ${account.id} ${idempotencyKey}` }
  return {
    ...(await context.writeTo(storeId, 'requestStorefrontReturn', keyed, async (unit) => {
      const requested = await requestOrderReturn(unit, account, input)
      if (requested.__typename === 'RequestStorefrontReturnSuccess')
        await writeAboutReturn(unit, context.mail, 'return-requested', requested.orderReturn)
      return requested
    })),
    storeId,
  }
}
