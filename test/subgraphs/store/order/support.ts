import { expect } from 'vitest'
import type { Answered, StoreStack, TestStore } from '../support/store.ts'

const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message }
  ... on ConflictError { message currentVersion }`
const SHORT = '... on InsufficientStock { message items { productNumber variantNumber wanted available } }'
export const ORDER = `id number status fulfillmentStatus shipmentStatus currency subtotal tax shipping shippingTax discount shippingDiscount
  giftCardsDiscount total refunded shippingRequired shippingOption shippingMethodName shippingMethodNumber coupons
  promotions { number name amount } customer { number email phone fullname } shippingAddress { name country countryCode region city }
  billingAddress { name country countryCode } pickupAddress { pickupPlaceName city } source { createdFrom }
  lines { id number productNumber variantNumber sku name quantity price discount weight subtotal tax total taxes { name rate amount includedInPrice }
    allocations { locationNumber quantity } }
  additionalFields { number label value area } shippingTaxes { name amount } refunds { number amount reason restocked lines { lineNumber quantity amount } }
  trackingNumber trackingCompany trackingUrl additionalInformation recoveryUrl reviewUrl checkoutUrl completedAt version`

const CREATE = `mutation ($input: CreateOrderInput!) { outcome: createOrder(input: $input) { __typename
  ... on CreateOrderSuccess { order { ${ORDER} } } ${FAILURES} ${SHORT} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateOrderInput!) { outcome: updateOrder(id: $id, input: $input) { __typename
  ... on UpdateOrderSuccess { order { ${ORDER} } } ${FAILURES} ${SHORT} } }`
const PAY = `mutation ($id: ID!, $input: MarkOrderPaidInput!) { outcome: markOrderPaid(id: $id, input: $input) { __typename
  ... on MarkOrderPaidSuccess { order { ${ORDER} } } ${FAILURES} ${SHORT} } }`
const CANCEL = `mutation ($id: ID!, $input: CancelOrderInput!) { outcome: cancelOrder(id: $id, input: $input) { __typename
  ... on CancelOrderSuccess { order { ${ORDER} } } ${FAILURES} } }`
const REFUND = `mutation ($id: ID!, $input: RefundOrderInput!) { outcome: refundOrder(id: $id, input: $input) { __typename
  ... on RefundOrderSuccess { order { ${ORDER} } refund { number amount lines { lineNumber quantity amount } } } ${FAILURES} } }`

/** Orders of one shop through the graph. */
export function shopping(stack: StoreStack, shop: TestStore) {
  const resultOf = async (who: TestStore, query: string, variables: Record<string, unknown>) => {
    const { data, errors }: Answered = await stack.ask(who, query, variables)
    expect(errors).toBeUndefined()
    return data.outcome
  }
  const create = (input: Record<string, unknown>, who = shop) => resultOf(who, CREATE, { input })
  return {
    create,
    update: (id: string | number, input: Record<string, unknown>, who = shop) => resultOf(who, UPDATE, { id, input }),
    pay: (id: string | number, input: Record<string, unknown> = {}) => resultOf(shop, PAY, { id, input }),
    cancel: (id: string | number, input: Record<string, unknown> = {}) => resultOf(shop, CANCEL, { id, input }),
    refund: (id: string | number, input: Record<string, unknown> = {}) => resultOf(shop, REFUND, { id, input }),
    /** An order that has to succeed. */
    async anOrder(input: Record<string, unknown>) {
      const result = await create(input)
      expect(result).toMatchObject({ __typename: 'CreateOrderSuccess' })
      return result.order
    },
    order: async (id: string | number) =>
      (await stack.ask(shop, `query ($id: ID!) { order(id: $id) { ${ORDER} } }`, { id })).data.order,
    /** The REST id of a new product, with those of its variants. */
    async aProduct(input: Record<string, unknown> = {}) {
      const { data, errors } = await stack.ask(
        shop,
        `mutation ($input: CreateProductInput!) { createProduct(input: $input) { __typename ... on CreateProductSuccess {
          product { number variants { number } } } ... on ValidationError { errors { message } } } }`,
        { input: { name: 'Lamp', price: '10', stock: 5, ...input } },
      )
      expect([errors, data?.createProduct.__typename]).toEqual([undefined, 'CreateProductSuccess'])
      const { number, variants } = data.createProduct.product
      return { id: number as number, variants: variants.map((variant: { number: number }) => variant.number) as number[] }
    },
    async aLocation(input: Record<string, unknown> = {}) {
      const { data } = await stack.ask(
        shop,
        `mutation ($input: CreateLocationInput!) { createLocation(input: $input) { ... on CreateLocationSuccess { location { number } } } }`,
        { input: { name: 'Store room', address: 'Rua A', city: 'Porto', country: 'PT', ...input } },
      )
      return data.createLocation.location.number as number
    },
    async setStock(input: { productId: number; variantId?: number; locationId: number; stock: number }) {
      const { data } = await stack.ask(
        shop,
        'mutation ($input: SetInventoryLevelInput!) { setInventoryLevel(input: $input) { __typename } }',
        {
          input: {
            ...input,
            productId: String(input.productId),
            locationId: String(input.locationId),
            ...(input.variantId && { variantId: String(input.variantId) }),
          },
        },
      )
      expect(data.setInventoryLevel.__typename).toBe('SetInventoryLevelSuccess')
    },
    stockOf: async (productId: number) =>
      (
        await stack.ask(
          shop,
          'query ($id: ID!) { product(id: $id) { stock variants { stock } inventoryLevels { stock locationNumber } } }',
          { id: productId },
        )
      ).data.product,
    events: async () =>
      (await stack.sql(`SELECT payload FROM event WHERE topic = $1 ORDER BY number`, [`store:${shop.storeId}`])).map(
        ({ payload }) => payload as { event: string; entity: string; id: number },
      ),
  }
}
