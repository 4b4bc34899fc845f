import type { Resolvers } from '#generated/store/resolvers.ts'
import type { Context } from '../context.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createCustomerAdditionalField, deleteCustomerAdditionalField, updateCustomerAdditionalField } from './actions.ts'

export const customerAdditionalFieldResolvers = {
  Query: {
    customerAdditionalField: async (_, { id, customerId }, { load }) => {
      const row = decodeId(id, 'CustomerAdditionalField')
      const found = row === null ? null : await load.customerAdditionalFieldById.load(row)
      return found && (customerId == null || decodeId(customerId, 'Customer') === found.customerId) ? found : null
    },
  },
  Mutation: {
    createCustomerAdditionalField: (_, { input }, { write }) =>
      write('createCustomerAdditionalField', input, (unit) => createCustomerAdditionalField(unit, input)),
    updateCustomerAdditionalField: (_, { id, customerId, input }, { write }) => {
      const given = { ...input, id, customerId }
      return write('updateCustomerAdditionalField', given, (unit) => updateCustomerAdditionalField(unit, id, given))
    },
    deleteCustomerAdditionalField: (_, given, { write }) =>
      write('deleteCustomerAdditionalField', given, (unit) => deleteCustomerAdditionalField(unit, given.id, given)),
  },
  Customer: {
    additionalFields: ({ id }, _, { load }) => load.additionalFieldsOfCustomer.load(id),
  },
  CustomerAdditionalField: {
    ...identified('CustomerAdditionalField'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'CustomerAdditionalField')
      return row === null ? null : load.customerAdditionalFieldById.load(row)
    },
    checkoutCustomField: ({ checkoutCustomFieldId }, _, { load }) =>
      present(load.checkoutCustomFieldById.load(checkoutCustomFieldId), 'checkout custom field'),
    checkoutCustomFieldNumber: ({ checkoutCustomFieldId }) => checkoutCustomFieldId,
    customer: ({ customerId }, _, { load }) => present(load.customerById.load(customerId), 'customer'),
    customerNumber: ({ customerId }) => customerId,
  },
  CreateCustomerAdditionalFieldSuccess: { customerAdditionalField: changed },
  UpdateCustomerAdditionalFieldSuccess: { customerAdditionalField: changed },
  DeleteCustomerAdditionalFieldSuccess: gone('CustomerAdditionalField'),
} satisfies Resolvers

function changed({ customerAdditionalField }: { readonly customerAdditionalField: number }, _: unknown, { load }: Context) {
  return present(load.customerAdditionalFieldById.load(customerAdditionalField), 'additional field')
}
