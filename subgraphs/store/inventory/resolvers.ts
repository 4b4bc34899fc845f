import type { Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { encodeId } from '../../toolkit/ids.ts'
import type { Context } from '../context.ts'
import { eventsFor, type FeedEvent, rowFor } from '../feed.ts'
import { decodeId, present } from '../ids.ts'
import { adjustInventory, setInventoryLevel } from './actions.ts'

const MAX_IDS = 50

export const inventoryResolvers = {
  Query: {
    inventoryLevels: async (_, { locationIds, productIds, variantIds }, { storeId, inventory }) => {
      const which = {
        locationIds: rowsOf('locationIds', locationIds, 'Location'),
        productIds: rowsOf('productIds', productIds, 'Product'),
        variantIds: variantIds ? rowsOf('variantIds', variantIds, 'ProductVariant') : null,
      }
      return inventory.list(await storeId(), which)
    },
  },
  Mutation: {
    setInventoryLevel: (_, { input }, { write }) => write('setInventoryLevel', input, (unit) => setInventoryLevel(unit, input)),
    adjustInventory: (_, { input }, { write }) => write('adjustInventory', input, (unit) => adjustInventory(unit, input)),
  },
  Subscription: {
    inventoryLevelChanged: {
      subscribe: async (_, { locationId }, context) => {
        const only = await rowFor(locationId, 'Location', (row) => context.load.locationById.load(row))
        return eventsFor(
          context,
          'inventoryLevelChanged',
          ['inventory_level_changed'],
          (event) => event.locationId === (only ?? event.locationId),
        )
      },
      resolve: ({ payload: { inventoryLevelId } }: FeedEvent, _: unknown, { load }: Context) =>
        load.inventoryLevelById.load(inventoryLevelId ?? 0),
    },
  },
  Product: {
    inventoryLevels: ({ id }, _, { load }) => load.inventoryLevelsOfProduct.load(id),
  },
  InventoryLevel: {
    id: ({ id }) => encodeId('InventoryLevel', String(id)),
    location: ({ locationId }, _, { load }) => present(load.locationById.load(locationId), 'location'),
    locationNumber: ({ locationId }) => locationId,
    product: ({ productId }, _, { load }) => present(load.productById.load(productId), 'product'),
    productNumber: ({ productId }) => productId,
    variant: ({ variantId }, _, { load }) => (variantId === null ? null : load.productVariantById.load(variantId)),
    variantNumber: ({ variantId }) => variantId,
  },
  SetInventoryLevelSuccess: {
    inventoryLevel: ({ inventoryLevel }, _, { load }) => present(load.inventoryLevelById.load(inventoryLevel), 'stock'),
  },
  AdjustInventorySuccess: {
    inventoryLevel: ({ inventoryLevel }, _, { load }) =>
      inventoryLevel === null ? null : load.inventoryLevelById.load(inventoryLevel),
  },
} satisfies Resolvers

/** Rows of ids; an invalid id is that of nothing. */
function rowsOf(argument: string, ids: readonly string[], type: string): readonly number[] {
  if (ids.length < 1 || ids.length > MAX_IDS) throw badInput(argument, `1 to ${MAX_IDS} ids`, ids.length)
  return ids.map((id) => decodeId(id, type) ?? 0)
}
