import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { notFoundError } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { deletingFile } from '../file/write.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createFulfillment, deleteFulfillment, updateFulfillment } from './actions.ts'
import type { Fulfillment, FulfillmentHistoryEntry } from './fulfillment.ts'
import { tryLabel, withLabel } from './label-file.ts'
import { fulfillmentRates } from './rates.ts'

const OLDEST_FIRST: KeysetList<Fulfillment> = { name: 'fulfillments', parts: ['number'], positionOf: ({ id }) => [id] }
const OF_FULFILLMENT: KeysetList<FulfillmentHistoryEntry> = {
  name: 'fulfillmentHistory',
  parts: ['number'],
  positionOf: ({ id }) => [id],
}

/** For how long the address of a label works, as the REST contract has it. Seconds. */
const LABEL_SECONDS = 86_400

export const fulfillmentResolvers = {
  Query: {
    fulfillment: (_, { id }, context) => fulfillmentOf(id, context),
    fulfillments: async (_, { shipmentStatus, ...page }, { storeId, fulfillments }) => {
      const range = keysetRange(OLDEST_FIRST, page, LIST_SIZES)
      const [store, where] = [await storeId(), shipmentStatus ?? null]
      return keysetPage(OLDEST_FIRST, range, await fulfillments.list(store, where, range), () => fulfillments.count(store, where))
    },
    orderFulfillments: async (_, { orderId }, { load }) => {
      const order = await load.orderById.load(decodeId(orderId, 'Order') ?? 0)
      return order && load.fulfillmentsOfOrder.load(order.id)
    },
    fulfillmentLabel: async (_, { id }, context) => {
      const fulfillment = await withLabel(context, await context.storeId(), decodeId(id, 'Fulfillment') ?? 0)
      if (!fulfillment) return notFoundError('fulfillment', id)
      const label = labelIn(fulfillment)
      return label
        ? { __typename: 'FulfillmentLabelSuccess' as const, label }
        : { __typename: 'FulfillmentHasNoLabel' as const, message: 'Invalid Label.' }
    },
    fulfillmentRates: (_, { input }, context) => fulfillmentRates(context, input),
  },
  Mutation: {
    createFulfillment: async (_, { input }, context) => {
      const result = await context.write('createFulfillment', input, (unit) => createFulfillment(unit, input))
      if (result.__typename === 'CreateFulfillmentSuccess') await tryLabel(context, result.fulfillment)
      return result
    },
    updateFulfillment: async (_, { id, input }, context) => {
      const written = await deletingFile(
        context,
        context.write('updateFulfillment', { ...input, id }, (unit) => updateFulfillment(unit, id, input)),
      )
      if (written.__typename === 'UpdateFulfillmentSuccess') await tryLabel(context, written.fulfillment)
      return written
    },
    deleteFulfillment: (_, given, context) =>
      deletingFile(
        context,
        context.write('deleteFulfillment', given, (unit) => deleteFulfillment(unit, given.id, given)),
      ),
  },
  Order: {
    fulfillments: ({ id }, _, { load }) => load.fulfillmentsOfOrder.load(id),
  },
  Fulfillment: {
    ...identified('Fulfillment'),
    __resolveReference: ({ id }, context) => fulfillmentOf(id, context),
    order: ({ orderNumber }, _, { load }) => (orderNumber === null ? null : load.orderById.load(orderNumber)),
    location: ({ locationId }, _, { load }) => present(load.locationById.load(locationId), 'location'),
    label: labelIn,
    history: async ({ id }, page, { load }) => {
      const range = keysetRange(OF_FULFILLMENT, page, LIST_SIZES)
      const rows = await load.historyOfFulfillment(range).load(id)
      return keysetPage(OF_FULFILLMENT, range, rows, async () =>
        Number((await load.historyCountOfFulfillment.load(id))?.count ?? 0),
      )
    },
  },
  FulfillmentLabel: {
    url: ({ key, name }, _, { files }) => files.privateUrl(key, { name, seconds: LABEL_SECONDS }),
    expiresAt: (_, __, { now }) => new Date(now().getTime() + LABEL_SECONDS * 1000),
  },
  FulfillmentHistoryEntry: identified('FulfillmentHistoryEntry'),
  FulfillmentConnection: connectionFields,
  FulfillmentHistoryConnection: connectionFields,
  CreateFulfillmentSuccess: {
    fulfillment: ({ fulfillment }, _, { load }) => present(load.fulfillmentById.load(fulfillment), 'fulfillment'),
  },
  UpdateFulfillmentSuccess: {
    fulfillment: ({ fulfillment }, _, { load }) => present(load.fulfillmentById.load(fulfillment), 'fulfillment'),
  },
  DeleteFulfillmentSuccess: gone('Fulfillment'),
} satisfies Resolvers

function fulfillmentOf(id: string, { load }: Context): Promise<Fulfillment | null> {
  const row = decodeId(id, 'Fulfillment')
  return row === null ? Promise.resolve(null) : load.fulfillmentById.load(row)
}

function labelIn({ labelKey, labelName }: Fulfillment) {
  return labelKey === null ? null : { key: labelKey, name: labelName ?? 'label.pdf' }
}
