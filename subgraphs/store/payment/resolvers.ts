import type { Resolvers } from '#generated/store/resolvers.ts'
import { encodeId } from '../../toolkit/ids.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import { textOf } from '../amount.ts'
import type { Context } from '../context.ts'
import { decodeId, present } from '../ids.ts'
import { requestPaymentOperation, retryPayment } from './actions.ts'
import { openAmount, type PaymentOperationKind, paidBack } from './payment.ts'
import { runPayment } from './run.ts'

export const paymentResolvers = {
  Order: { payments: ({ id }, _, { load }) => load.paymentsOfOrder.load(id) },
  ShopOrder: {
    paymentInstructions: ({ storeId, number }, _, context) => paymentInstructions(context, storeId, number),
    payment: async ({ storeId, number }, _, { loadOfStore }) =>
      (await loadOfStore(storeId).paymentsOfOrder.load(number)).at(-1) ?? null,
  },
  Payment: {
    id: ({ id }) => encodeId('Payment', String(id)),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'Payment')
      return row === null ? null : load.paymentById.load(row)
    },
    refunded: (payment) => textOf(paidBack(payment)),
    open: (payment) => openAmount(payment),
    paymentMethodNumber: ({ paymentMethodId }) => paymentMethodId,
  },
  ShopPayment: { redirectUrl: ({ status, redirectUrl }) => (status === 'REQUIRES_ACTION' ? redirectUrl : null) },
  PaymentOperationSuccess: { payment: ({ payment }, _, { load }) => present(load.paymentById.load(payment), 'payment') },
  RetryStorefrontPaymentSuccess: {
    order: ({ storeId, order }, _, { shops }) => present(shops.orderById(storeId, order), 'order'),
  },
  Mutation: {
    retryStorefrontPayment: (_, { input }, context) => retry(context, input),
    capturePayment: (_, { id, input }, context) => request(context, 'CAPTURE', id, input),
    voidPayment: (_, { id, input }, context) => request(context, 'VOID', id, input),
    refundPayment: (_, { id, input }, context) => request(context, 'REFUND', id, input),
  },
} satisfies Resolvers

/**
 * Instructions to the shopper for paying an order; null: nothing is due, or its method has none.
 */
export async function paymentInstructions({ loadOfStore }: Context, storeId: number, orderId: number): Promise<string | null> {
  const load = loadOfStore(storeId)
  const { status, paymentMethodNumber } = await present(load.orderById.load(orderId), 'order')
  if (status !== 'PENDING_PAYMENT' || paymentMethodNumber === null) return null
  return (await load.paymentMethodById.load(paymentMethodNumber))?.description ?? null
}

async function retry(context: Context, { store, secret }: { readonly store: string; readonly secret: string }) {
  const order = await context.shops.orderByLink(store, secret)
  if (order === null) return notFoundError('order', secret)
  const { paymentMethodNumber } = await present(context.loadOfStore(order.storeId).orderById.load(order.number), 'order')
  const gateway =
    paymentMethodNumber === null ? null : await context.payments.access(order.storeId, paymentMethodNumber, context.secrets)
  const result = await context.writeTo(order.storeId, 'retryStorefrontPayment', {}, (unit) =>
    retryPayment(unit, order.number, gateway && paymentMethodNumber),
  )
  if (result.__typename === 'RetryStorefrontPaymentSuccess') {
    await runPayment(context.paymentDeps, order.storeId, result.payment)
    context.forgetLoaded()
  }
  return result
}

async function request(
  context: Context,
  kind: Exclude<PaymentOperationKind, 'AUTHORIZE'>,
  id: string,
  input: { readonly amount?: string | null | undefined; readonly idempotencyKey?: string | null | undefined },
) {
  const result = await context.write(`payment ${kind}`, { ...input, id }, (unit) =>
    requestPaymentOperation(unit, kind, id, input),
  )
  // After the transaction: a request to a foreign server must not hold locks.
  if (result.__typename === 'PaymentOperationSuccess') {
    await runPayment(context.paymentDeps, await context.storeId(), result.payment)
    context.forgetLoaded()
  }
  return result
}
