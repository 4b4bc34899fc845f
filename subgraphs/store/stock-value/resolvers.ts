import type { Resolvers } from '#generated/store/resolvers.ts'
import { present } from '../ids.ts'

export const stockValueResolvers = {
  Query: {
    stockValue: async (_, _args, { storeId, stockValues, load }) => {
      const store = await storeId()
      const { currency } = await present(load.storeById.load(store), 'store')
      return { currency, locations: await stockValues.byLocation(store) }
    },
  },
  LocationStockValue: {
    location: ({ locationNumber }, _, { load }) => (locationNumber === null ? null : load.locationById.load(locationNumber)),
  },
} satisfies Resolvers
