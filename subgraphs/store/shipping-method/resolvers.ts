import type { Resolvers, ShippingQuotesInput } from '#generated/store/resolvers.ts'
import { badInput, notFound } from '../../../platform/graphql/errors.ts'
import { amountOf, textOf } from '../amount.ts'
import type { Context } from '../context.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createShippingMethod, deleteShippingMethod, updateShippingMethod } from './actions.ts'
import { type QuoteRequest, shippingQuotes } from './quotes.ts'
import { refreshServices } from './refresh-services.ts'

const MAX_LINES = 500
const MAX_UNITS = 1_000_000

export const shippingMethodResolvers = {
  Query: {
    shippingMethod: (_, { id }, { load }) => {
      const row = decodeId(id, 'ShippingMethod')
      return row === null ? null : load.shippingMethodById.load(row)
    },
    shippingMethods: async (_, { enabled }, { storeId, shippingMethods }) =>
      shippingMethods.list(await storeId(), enabled ?? null),
    shippingQuotes: async (_, { input }, context) => shippingQuotes(context, await storeOf(context), requestOf(input)),
  },
  Mutation: {
    createShippingMethod: async (_, { input }, context) => {
      const result = await context.write('createShippingMethod', input, (unit) => createShippingMethod(unit, input))
      // After the transaction: a request to a foreign server must not hold locks.
      if (result.__typename === 'CreateShippingMethodSuccess') {
        await refreshServices(context, await storeOf(context), result.shippingMethod)
      }
      return result
    },
    updateShippingMethod: async (_, { id, input }, context) => {
      const written = await context.write('updateShippingMethod', { ...input, id }, (unit) =>
        updateShippingMethod(unit, id, input),
      )
      if (written.__typename === 'UpdateShippingMethodSuccess') {
        await refreshServices(context, await storeOf(context), written.shippingMethod)
      }
      return written
    },
    deleteShippingMethod: (_, given, { write }) =>
      write('deleteShippingMethod', given, (unit) => deleteShippingMethod(unit, given.id, given)),
  },
  ShippingMethod: {
    ...identified('ShippingMethod'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'ShippingMethod')
      return row === null ? null : load.shippingMethodById.load(row)
    },
    hasFreeShippingMinimum: ({ freeShippingFrom }) => freeShippingFrom !== null,
    services: ({ id }, _, { load }) => load.servicesOfShippingMethod.load(id),
  },
  ShippingService: identified('ShippingService'),
  ShippingQuote: {
    shippingMethod: ({ shippingMethod }, _, { load }) => present(load.shippingMethodById.load(shippingMethod), 'shipping method'),
    price: ({ price }) => textOf(price),
  },
  CreateShippingMethodSuccess: {
    shippingMethod: ({ shippingMethod }, _, { load }) => present(load.shippingMethodById.load(shippingMethod), 'shipping method'),
  },
  UpdateShippingMethodSuccess: {
    shippingMethod: ({ shippingMethod }, _, { load }) => present(load.shippingMethodById.load(shippingMethod), 'shipping method'),
  },
  DeleteShippingMethodSuccess: gone('ShippingMethod'),
} satisfies Resolvers

async function storeOf({ storeId, stores }: Context) {
  const id = await storeId()
  const [store] = await stores.findByIds([id])
  if (!store) throw notFound('store', String(id))
  return store
}

/** Throws BAD_USER_INPUT for lines, units and amounts out of range. */
function requestOf({ lines, country, region, municipality, postal, city, distance }: ShippingQuotesInput): QuoteRequest {
  if (lines.length < 1 || lines.length > MAX_LINES) throw badInput('input.lines', `1 to ${MAX_LINES} lines`, lines.length)
  const amount = (field: string, text: string) => {
    if (text.startsWith('-')) throw badInput(field, '0 or more', text)
    return amountOf(text)
  }
  return {
    lines: lines.map(({ price, quantity, weight, requiresShipping, name, sku }, index) => {
      const at = `input.lines.${index}`
      if (quantity < 1 || quantity > MAX_UNITS) throw badInput(`${at}.quantity`, `1 to ${MAX_UNITS}`, quantity)
      return {
        quantity,
        price: amount(`${at}.price`, price),
        weight: amount(`${at}.weight`, weight ?? '1'),
        requiresShipping: requiresShipping ?? true,
        name: name ?? null,
        sku: sku ?? null,
      }
    }),
    destination: {
      country: country ?? null,
      region: region ?? null,
      municipality: municipality ?? null,
      postal: postal ?? null,
    },
    city: city ?? null,
    distance: distance == null ? null : amount('input.distance', distance),
  }
}
