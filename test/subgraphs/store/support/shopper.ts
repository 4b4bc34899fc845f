import { expect } from 'vitest'
import { ANONYMOUS, type StoreStack, type TestStore } from './store.ts'

const ORDER = 'number status total giftCardsDiscount lines { name quantity total } payment { status redirectUrl }'
const CART = `lines { id quantity name total product { name } } note email shippingAddress { city country } couponCodes
  giftCards { id lastFour balance applied } totals { subtotal discount tax shippingTotal giftCards total promotions } shippingRates { shippingMethodId name price }
  problems { code message lineId } order { ${ORDER} }`
const FAILURES = '... on ValidationError { field message } ... on NotFoundError { message } ... on ConflictError { message }'

/** What shoppers do in a shop, without credentials, and what its merchant prepares for them. */
export function storefrontShopper(stack: StoreStack, shop: TestStore) {
  const answer = async (who: TestStore | typeof ANONYMOUS, query: string, variables: object) => {
    const { data, errors } = await stack.ask(who, query, variables as Record<string, unknown>)
    expect(errors).toBeUndefined()
    return data
  }
  const merchant = (query: string, variables: object = {}) => answer(shop, query, variables)
  const made = async (name: string, input: object) => {
    const Name = `${name[0]?.toUpperCase()}${name.slice(1)}`
    const { outcome: result } = await merchant(
      `mutation ($input: Create${Name}Input!) { outcome: create${Name}(input: $input) { __typename ... on Create${Name}Success { ${name} { id } } ... on ValidationError { message } } }`,
      { input },
    )
    expect(result.__typename).toBe(`Create${Name}Success`)
    return result[name].id as string
  }
  const change = async (field: string, type: string, input: object, more = '') =>
    (
      await answer(
        ANONYMOUS,
        `mutation ($input: ${type}Input!) { outcome: ${field}(input: $input) { __typename ... on ${type}Success { ${more} } ${FAILURES}
          ${field === 'completeStorefrontCheckout' ? `... on StorefrontTotalChanged { message total cart { ${CART} } } ... on StorefrontCheckoutIncomplete { message problems { code message lineId } }` : ''} } }`,
        { input: { store: shop.code, ...input } },
      )
    ).outcome
  const shopper = {
    merchant,
    aProduct: (input: object = {}) => made('product', { name: 'Lamp', price: '10', stock: 5, ...input }),
    aTax: (input: object) => made('tax', input),
    aShippingMethod: async (price: string) => {
      const { outcome: result } = await merchant(
        'mutation ($input: CreateShippingMethodInput!) { outcome: createShippingMethod(input: $input) { __typename ... on CreateShippingMethodSuccess { shippingMethod { id } } ... on ValidationError { message } } }',
        { input: { type: 'FLAT', name: 'Post', fees: [{ type: 'FIXED', value: price }] } },
      )
      expect(result).toMatchObject({ __typename: 'CreateShippingMethodSuccess' })
      return result.shippingMethod.id as string
    },
    aPaymentMethod: async (name = 'Bank transfer', description = 'Transfer it to PT50.') => {
      const [{ id } = {}] = await stack.sql(
        `INSERT INTO payment_method (store_id, type, name, description, created_at, updated_at) VALUES ($1, 'MANUAL', $2, $3, now(), now()) RETURNING id`,
        [shop.storeId, name, description],
      )
      const { paymentMethod } = await merchant('query ($id: ID!) { paymentMethod(id: $id) { id } }', { id: String(id) })
      return paymentMethod.id as string
    },
    aGateway: (input: object) => made('paymentMethod', { name: 'Card', ...input }),
    aCheckoutField: (input: object) => made('checkoutCustomField', input),
    async aCoupon(code: string, percent: number, usageLimit = 0) {
      const { outcome: result } = await merchant(
        'mutation ($input: CreatePromotionInput!) { outcome: createPromotion(input: $input) { __typename ... on ValidationError { message } } }',
        {
          input: {
            ...{ name: code, discountTarget: 'ORDER', type: 'PERCENTAGE', discountAmountPercent: String(percent) },
            coupons: [{ code, usageLimit }],
          },
        },
      )
      expect(result.__typename).toBe('CreatePromotionSuccess')
    },
    async aGiftCard(amount: string, input: object = {}) {
      const { outcome: result } = await merchant(
        `mutation ($input: CreateGiftCardInput!) { outcome: createGiftCard(input: $input) { __typename
          ... on CreateGiftCardSuccess { code giftCard { id number } } ... on ValidationError { message } ... on ConflictError { message } } }`,
        { input: { amount, ...input } },
      )
      expect(result).toMatchObject({ __typename: 'CreateGiftCardSuccess' })
      return { code: result.code as string, id: result.giftCard.id as string, number: result.giftCard.number as number }
    },
    giftCard: async (id: string) =>
      (
        await merchant(
          'query ($id: ID!) { giftCard(id: $id) { lastFour currency issued balance note disabledAt transactions { totalCount nodes { kind amount order { number } } } } }',
          { id },
        )
      ).giftCard,
    disableGiftCard: (id: string) =>
      merchant(
        'mutation ($id: ID!) { disableGiftCard(id: $id) { __typename ... on DisableGiftCardSuccess { giftCard { disabledAt } } } }',
        { id },
      ),
    refund: async (number: number, input: object = {}) =>
      (
        await merchant(
          `mutation ($id: ID!, $input: RefundOrderInput!) { outcome: refundOrder(id: $id, input: $input) { __typename
            ... on RefundOrderSuccess { refund { amount toGiftCards } order { refunded } } ... on ValidationError { message } } }`,
          { id: String(number), input },
        )
      ).outcome,
    cancel: (number: number) =>
      merchant('mutation ($id: ID!) { cancelOrder(id: $id, input: {}) { __typename } }', { id: String(number) }),
    updateProduct: (id: string, input: object) =>
      merchant('mutation ($id: ID!, $input: UpdateProductInput!) { updateProduct(id: $id, input: $input) { __typename } }', {
        id,
        input,
      }),
    stockOf: async (id: string) =>
      (await merchant('query ($id: ID!) { product(id: $id) { stock } }', { id })).product.stock as number,
    merchantOrder: async (number: number) =>
      (
        await merchant(
          `query ($id: ID!) { order(id: $id) { status total refunded customer { email } shippingAddress { city } additionalInformation source { createdFrom }
            additionalFields { label value area } recoveredFromNumber } }`,
          { id: String(number) },
        )
      ).order,
    abandoned: async () =>
      (
        await merchant(
          '{ orders(filter: {status: [ABANDONED]}, first: 250) { nodes { number total customer { email } recoveryUrl completedAt } } }',
        )
      ).orders.nodes.filter(({ completedAt }: { completedAt: string | null }) => completedAt === null),
    pay: (number: number) =>
      merchant('mutation ($id: ID!) { markOrderPaid(id: $id, input: {}) { __typename } }', { id: String(number) }),
    events: async () =>
      (await stack.sql('SELECT payload FROM event WHERE topic = $1 ORDER BY number', [`store:${shop.storeId}`])).map(
        ({ payload }) => payload as { event: string; id: number },
      ),
    create: (lines: object[]) => change('createStorefrontCart', 'CreateStorefrontCart', { lines }, `token cart { ${CART} }`),
    update: (token: string, input: object) =>
      change('updateStorefrontCart', 'UpdateStorefrontCart', { token, ...input }, `cart { ${CART} }`),
    /** A cart with everything that an order without shipping needs. */
    async ready(lines: object[]) {
      const { token } = await shopper.create(lines)
      const { cart } = await shopper.update(token, {
        email: 'buyer@example.org',
        paymentMethodId: await shopper.aPaymentMethod(),
      })
      return { token: token as string, cart }
    },
    read: async (token: string) =>
      (
        await answer(
          ANONYMOUS,
          `query ($store: String!, $token: String!) { storefront(store: $store) { cart(token: $token) { ${CART} } } }`,
          {
            store: shop.code,
            token,
          },
        )
      ).storefront.cart,
    complete: (token: string, expectedTotal: string, idempotencyKey = 'once') =>
      change(
        'completeStorefrontCheckout',
        'CompleteStorefrontCheckout',
        { token, expectedTotal, idempotencyKey },
        `order { ${ORDER} } secret paymentInstructions payUntil`,
      ),
    recover: async (secret: string) =>
      (
        await answer(
          ANONYMOUS,
          `mutation ($store: String!, $secret: String!) { outcome: recoverStorefrontCart(store: $store, secret: $secret) { __typename
            ... on RecoverStorefrontCartSuccess { token cart { ${CART} } } ... on NotFoundError { message } ... on ConflictError { message } } }`,
          { store: shop.code, secret },
        )
      ).outcome,
  }
  return shopper
}
