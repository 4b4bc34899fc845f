import type { Resolvers } from '#generated/store/resolvers.ts'
import { identified, present } from '../ids.ts'
import { refundOrder } from './actions.ts'

export const orderRefundResolvers = {
  Mutation: {
    refundOrder: (_, { id, input }, { write }) => write('refundOrder', { ...input, id }, (unit) => refundOrder(unit, id, input)),
  },
  Order: {
    refunds: ({ id }, _, { load }) => load.refundsOfOrder.load(id),
  },
  OrderRefund: {
    ...identified('OrderRefund'),
    lines: ({ id }, _, { load }) => load.linesOfRefund.load(id),
  },
  RefundOrderSuccess: {
    order: ({ order }, _, { load }) => present(load.orderById.load(order), 'order'),
    refund: ({ refund }, _, { load }) => present(load.orderRefundById.load(refund), 'refund'),
  },
} satisfies Resolvers
