import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import type { Context } from '../context.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createCheckoutCustomField, deleteCheckoutCustomField, updateCheckoutCustomField } from './actions.ts'
import type { CheckoutCustomField } from './checkout-custom-field.ts'

const ALL: KeysetList<CheckoutCustomField> = {
  name: 'checkoutCustomFields',
  parts: ['number', 'number'],
  positionOf: ({ position, id }) => [position, id],
}

export const checkoutCustomFieldResolvers = {
  Query: {
    checkoutCustomField: (_, { id }, { load }) => {
      const row = decodeId(id, 'CheckoutCustomField')
      return row === null ? null : load.checkoutCustomFieldById.load(row)
    },
    checkoutCustomFields: async (_, page, { storeId, checkoutCustomFields }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ALL, range, await checkoutCustomFields.list(store, range), () => checkoutCustomFields.count(store))
    },
  },
  Mutation: {
    createCheckoutCustomField: (_, { input }, { write }) =>
      write('createCheckoutCustomField', input, (unit) => createCheckoutCustomField(unit, input)),
    updateCheckoutCustomField: (_, { id, input }, { write }) =>
      write('updateCheckoutCustomField', { ...input, id }, (unit) => updateCheckoutCustomField(unit, id, input)),
    deleteCheckoutCustomField: (_, given, { write }) =>
      write('deleteCheckoutCustomField', given, (unit) => deleteCheckoutCustomField(unit, given.id, given)),
  },
  CheckoutCustomField: {
    ...identified('CheckoutCustomField'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'CheckoutCustomField')
      return row === null ? null : load.checkoutCustomFieldById.load(row)
    },
  },
  CheckoutCustomFieldConnection: connectionFields,
  CreateCheckoutCustomFieldSuccess: { checkoutCustomField: changed },
  UpdateCheckoutCustomFieldSuccess: { checkoutCustomField: changed },
  DeleteCheckoutCustomFieldSuccess: gone('CheckoutCustomField'),
} satisfies Resolvers

function changed({ checkoutCustomField }: { readonly checkoutCustomField: number }, _: unknown, { load }: Context) {
  return present(load.checkoutCustomFieldById.load(checkoutCustomField), 'checkout custom field')
}
