import type { Resolvers } from '#generated/store/resolvers.ts'
import { actorOf } from '../access/actor.ts'
import { amountOf, textOf } from '../amount.ts'
import type { Context } from '../context.ts'
import { present } from '../ids.ts'
import type { Order } from '../order/order.ts'
import { balanceOf, type OrderBalanceInput, payOrderBalance, refundOrderBalance } from '../order-refund/balance.ts'
import { refundThroughGateway } from '../payment/actions.ts'
import { runPayment } from '../payment/run.ts'
import { editOrder } from './actions.ts'

export const orderEditResolvers = {
  Mutation: {
    editOrder: async (_, { id, input }, { access, write }) => {
      const actor = actorOf(await access())
      return write('editOrder', { ...input, id }, (unit) => editOrder(unit, id, input, actor))
    },
    payOrderBalance: async (_, { id, input }, { access, write }) => {
      const actor = actorOf(await access())
      return write('payOrderBalance', { ...input, id }, (unit) => payOrderBalance(unit, id, input, actor))
    },
    refundOrderBalance: (_, { id, input }, context) => refund(context, id, input),
  },
  Order: {
    balanceDue: async (order, _, context) => {
      const balance = await balanceNow(order, context)
      return textOf(balance > 0n ? balance : 0n)
    },
    refundDue: async (order, _, context) => {
      const balance = await balanceNow(order, context)
      return textOf(balance < 0n ? -balance : 0n)
    },
  },
  ShopOrder: {
    balanceDue: async ({ storeId, number }, _, { loadOfStore }) => {
      const load = loadOfStore(storeId)
      const balance = await balanceNow(await present(load.orderById.load(number), 'order'), { load })
      return textOf(balance > 0n ? balance : 0n)
    },
  },
  EditOrderSuccess: { order: ({ order }, _, { load }) => present(load.orderById.load(order), 'order') },
  OrderBalanceSuccess: { order: ({ order }, _, { load }) => present(load.orderById.load(order), 'order') },
} satisfies Resolvers

const balanceNow = async (order: Order, { load }: Pick<Context, 'load'>) =>
  balanceOf(order, amountOf((await load.ledgerSumsOfOrder.load(order.id))?.paid ?? '0'))

async function refund(
  context: Context,
  id: string,
  input: OrderBalanceInput & {
    readonly throughGateway?: boolean | null | undefined
    readonly idempotencyKey?: string | null | undefined
  },
) {
  const actor = actorOf(await context.access())
  const result = await context.write('refundOrderBalance', { ...input, id }, async (unit) => {
    const booked = await refundOrderBalance(unit, id, input, actor)
    if (booked.__typename !== 'OrderBalanceSuccess' || input.throughGateway !== true) return { ...booked, payments: [] }
    const requested = await refundThroughGateway(unit, booked.order, booked.amount)
    return 'failure' in requested ? requested.failure : { ...booked, payments: requested.payments }
  })
  // After the transaction: a request to a foreign server must not hold locks.
  if (result.__typename === 'OrderBalanceSuccess' && result.payments.length > 0) {
    for (const payment of result.payments) await runPayment(context.paymentDeps, await context.storeId(), payment)
    context.forgetLoaded()
  }
  return result
}
