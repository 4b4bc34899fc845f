import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { cancelInventoryTransfer, createInventoryTransfer, receiveInventoryTransfer, sendInventoryTransfer } from './actions.ts'
import type { InventoryTransfer } from './inventory-transfer.ts'

const LIST: KeysetList<InventoryTransfer> = { name: 'inventoryTransfers', parts: ['number'], positionOf: ({ id }) => [id] }

export const inventoryTransferResolvers = {
  Query: {
    inventoryTransfer: (_, { id }, { load }) => load.inventoryTransferById.load(decodeId(id, 'InventoryTransfer') ?? 0),
    inventoryTransfers: async (_, { status, ...page }, { storeId, inventoryTransfers }) => {
      const range = keysetRange(LIST, page, LIST_SIZES)
      const [store, which] = [await storeId(), status ?? null]
      const rows = await inventoryTransfers.list(store, which, range)
      return keysetPage(LIST, range, rows, () => inventoryTransfers.count(store, which))
    },
  },
  Mutation: {
    createInventoryTransfer: (_, { input }, { write }) =>
      write('createInventoryTransfer', input, (unit) => createInventoryTransfer(unit, input)),
    sendInventoryTransfer: (_, { id, input }, { write }) =>
      write('sendInventoryTransfer', { ...input, id }, (unit) => sendInventoryTransfer(unit, id, input)),
    receiveInventoryTransfer: (_, { id, input }, { write }) =>
      write('receiveInventoryTransfer', { ...input, id }, (unit) => receiveInventoryTransfer(unit, id, input)),
    cancelInventoryTransfer: (_, { id, input }, { write }) =>
      write('cancelInventoryTransfer', { ...input, id }, (unit) => cancelInventoryTransfer(unit, id, input)),
  },
  InventoryTransfer: {
    ...identified('InventoryTransfer'),
    source: ({ sourceId }, _, { load }) => (sourceId === null ? null : load.locationById.load(sourceId)),
    destination: ({ destinationId }, _, { load }) => (destinationId === null ? null : load.locationById.load(destinationId)),
    lines: ({ id }, _, { load }) => load.linesOfInventoryTransfer.load(id),
  },
  InventoryTransferLine: {
    ...identified('InventoryTransferLine'),
    product: ({ productId }, _, { load }) => load.productById.load(productId),
    productNumber: ({ productId }) => productId,
    variant: ({ variantId }, _, { load }) => (variantId === null ? null : load.productVariantById.load(variantId)),
    variantNumber: ({ variantId }) => variantId,
  },
  InventoryTransferConnection: connectionFields,
  InventoryTransferSuccess: {
    inventoryTransfer: ({ inventoryTransfer }, _, { load }) =>
      present(load.inventoryTransferById.load(inventoryTransfer), 'inventory transfer'),
  },
} satisfies Resolvers
