import type { Resolvers } from '#generated/store/resolvers.ts'
import { gone, identified, present } from '../ids.ts'
import { createStoreCurrency, deleteStoreCurrency, updateStoreCurrency } from './actions.ts'

export const storeCurrencyResolvers = {
  Query: {
    storeCurrencies: async (_, __, { storeId, storeCurrencies }) => [...(await storeCurrencies.all(await storeId()))],
  },
  Mutation: {
    createStoreCurrency: (_, { input }, { write }) =>
      write('createStoreCurrency', input, (unit) => createStoreCurrency(unit, input)),
    updateStoreCurrency: (_, { id, input }, { write }) =>
      write('updateStoreCurrency', { ...input, id }, (unit) => updateStoreCurrency(unit, id, input)),
    deleteStoreCurrency: (_, given, { write }) =>
      write('deleteStoreCurrency', given, (unit) => deleteStoreCurrency(unit, given.id, given)),
  },
  StoreCurrency: identified('StoreCurrency'),
  StoreCurrencySuccess: {
    storeCurrency: ({ storeCurrency }, _, { load }) => present(load.storeCurrencyById.load(storeCurrency), 'currency'),
  },
  DeleteStoreCurrencySuccess: gone('StoreCurrency'),
} satisfies Resolvers
