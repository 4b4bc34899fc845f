import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createTax, deleteTax, updateTax, updateTaxSettings } from './actions.ts'

export const taxResolvers = {
  Query: {
    tax: (_, { id }, { load }) => {
      const row = decodeId(id, 'Tax')
      return row === null ? null : load.taxById.load(row)
    },
    taxes: async (_, _given, { storeId, taxes }) => taxes.list(await storeId()),
    taxSettings: async (_, _given, { storeId, taxes }) => taxes.settings(await storeId()),
  },
  Mutation: {
    createTax: (_, { input }, { write }) => write('createTax', input, (unit) => createTax(unit, input)),
    updateTax: (_, { id, input }, { write }) => write('updateTax', { ...input, id }, (unit) => updateTax(unit, id, input)),
    deleteTax: (_, given, { write }) => write('deleteTax', given, (unit) => deleteTax(unit, given.id, given)),
    updateTaxSettings: (_, { input }, { write }) => write('updateTaxSettings', input, (unit) => updateTaxSettings(unit, input)),
  },
  Tax: {
    ...identified('Tax'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'Tax')
      return row === null ? null : load.taxById.load(row)
    },
    category: ({ categoryId }, _, { load }) => (categoryId === null ? null : load.productCategoryById.load(categoryId)),
    categoryNumber: ({ categoryId }) => categoryId,
  },
  CreateTaxSuccess: { tax: ({ tax }, _, { load }) => present(load.taxById.load(tax), 'tax') },
  UpdateTaxSuccess: { tax: ({ tax }, _, { load }) => present(load.taxById.load(tax), 'tax') },
  UpdateTaxSettingsSuccess: {
    taxSettings: async (_, _given, { storeId, taxes }) => taxes.settings(await storeId()),
  },
  DeleteTaxSuccess: gone('Tax'),
} satisfies Resolvers
