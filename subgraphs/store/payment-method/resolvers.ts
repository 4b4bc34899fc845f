import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createPaymentMethod, deletePaymentMethod, updatePaymentMethod } from './actions.ts'
import { isGateway, notificationPath } from './payment-method.ts'

export const paymentMethodResolvers = {
  Query: {
    paymentMethod: (_, { id }, { load }) => {
      const row = decodeId(id, 'PaymentMethod')
      return row === null ? null : load.paymentMethodById.load(row)
    },
    paymentMethods: async (_, _given, { storeId, paymentMethods }) => paymentMethods.list(await storeId()),
  },
  Mutation: {
    createPaymentMethod: (_, { input }, { write }) =>
      write('createPaymentMethod', input, (unit) => createPaymentMethod(unit, input)),
    updatePaymentMethod: (_, { id, input }, { write }) =>
      write('updatePaymentMethod', { ...input, id }, (unit) => updatePaymentMethod(unit, id, input)),
    deletePaymentMethod: (_, given, { write }) =>
      write('deletePaymentMethod', given, (unit) => deletePaymentMethod(unit, given.id, given)),
  },
  PaymentMethod: {
    ...identified('PaymentMethod'),
    notificationUrl: async ({ id, type }, _, { storeId, paymentDeps }) =>
      isGateway(type) ? `${paymentDeps.publicUrl}${notificationPath(await storeId(), id)}` : null,
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'PaymentMethod')
      return row === null ? null : load.paymentMethodById.load(row)
    },
  },
  CreatePaymentMethodSuccess: {
    paymentMethod: ({ paymentMethod }, _, { load }) => present(load.paymentMethodById.load(paymentMethod), 'payment method'),
  },
  UpdatePaymentMethodSuccess: {
    paymentMethod: ({ paymentMethod }, _, { load }) => present(load.paymentMethodById.load(paymentMethod), 'payment method'),
  },
  DeletePaymentMethodSuccess: gone('PaymentMethod'),
} satisfies Resolvers
