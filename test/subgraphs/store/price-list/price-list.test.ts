import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agreedApp } from '../support/app.ts'
import { storefrontShopper } from '../support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from '../support/store.ts'

let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
beforeAll(async () => {
  stack = await startStore(() => now)
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
})
afterAll(() => stack.close())

const LIST = `number version name currency active priority startsAt endsAt adjustmentPercent roundingStep roundingEnding roundingDirection
  customerCategory { name } prices { totalCount nodes { productNumber variantNumber minimumQuantity price compareAtPrice product { name } } }`
const ANSWER = `__typename ... on PriceListSuccess { priceList { id ${LIST} } } ... on DeletePriceListSuccess { number }
  ... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message currentVersion }`

type Who = Parameters<StoreStack['ask']>[0]
async function run(name: string, variables: { id?: string; input?: object }, who: Who = shop) {
  const Type = `${name[0]?.toUpperCase()}${name.slice(1)}Input`
  const [declared, passed] = [
    [variables.id !== undefined && '$id: ID!', variables.input && `$input: ${Type}!`],
    [variables.id !== undefined && 'id: $id', variables.input && 'input: $input'],
  ].map((parts) => parts.filter(Boolean).join(', '))
  const answer = name.startsWith('delete')
    ? ANSWER.replace(/\.\.\. on PriceListSuccess.*?\} \} \.\.\. on Del/s, '... on Del').replace(
        '... on ValidationError { errors { field message } }',
        '',
      )
    : ANSWER.replace('... on DeletePriceListSuccess { number }', '')
  const { data, errors } = await stack.ask(who, `mutation (${declared}) { result: ${name}(${passed}) { ${answer} } }`, variables)
  expect(errors).toBeUndefined()
  return data.result
}
const create = async (input: object, who: Who = shop) => {
  const result = await run('createPriceList', { input: { name: 'List', ...input } }, who)
  expect(result.__typename).toBe('PriceListSuccess')
  return result.priceList as { readonly id: string; readonly number: number; readonly version: number }
}
const set = (id: string, prices: object[]) => run('setPriceListPrices', { id, input: { prices } })
const fields = ({ errors }: { errors: { field: string }[] }) => errors.map(({ field }) => field)

let made = 0
/** A signed-in shopper; with a name, in a category of customers that is theirs alone. */
async function aShopper(category: string | null, store = shop) {
  made += 1
  const email = `ana${made}@example.org`
  const token = randomBytes(32).toString('base64url')
  const [account] = await stack.sql(
    `INSERT INTO customer_account (store_id, email, email_key, confirmed_at, link_requested_at, created_at, updated_at)
      VALUES ($1, $2, $2, now(), now(), now(), now()) RETURNING id`,
    [store.storeId, email],
  )
  await stack.sql(
    `INSERT INTO customer_account_session (store_id, token_hash, account_id, created_at, expires_at)
      VALUES ($1, $2, $3, now(), '2030-01-01')`,
    [store.storeId, createHash('sha256').update(token).digest(), account?.id],
  )
  if (category === null) return { token, categoryId: '', email }
  const ask = async (query: string, variables: Record<string, unknown>) => (await stack.ask(store, query, variables)).data.r
  await ask('mutation ($input: CreateCustomerInput!) { r: createCustomer(input: $input) { __typename } }', {
    input: { email: email.toUpperCase() },
  })
  const { customerCategory } = await ask(
    'mutation ($input: CreateCustomerCategoryInput!) { r: createCustomerCategory(input: $input) { ... on CreateCustomerCategorySuccess { customerCategory { id } } } }',
    { input: { name: category } },
  )
  const added = await ask(
    'mutation ($id: ID!, $input: AddCustomersToCategoryInput!) { r: addCustomersToCategory(id: $id, input: $input) { __typename } }',
    { id: customerCategory.id, input: { customers: [{ email }] } },
  )
  expect(added.__typename).toBe('AddCustomersToCategorySuccess')
  return { token, categoryId: customerCategory.id as string, email }
}

const PRICE = '{ amount compareAt }'
const SHOWN = `price ${PRICE} maximumPrice ${PRICE} quantityPrices { minimumQuantity price ${PRICE} } variants { price ${PRICE} quantityPrices { minimumQuantity price { amount } } }`
/** The product that a shopper sees, or anybody: null. */
async function seen(permalink: string, token: string | null) {
  const product = `product(permalink: $permalink) { ${SHOWN} }`
  const { data, errors } = await stack.ask(
    ANONYMOUS,
    token === null
      ? `query ($code: String!, $permalink: String!) { storefront(store: $code) { ${product} } }`
      : `query ($code: String!, $permalink: String!, $token: String!) { storefront(store: $code) { forAccount(token: $token) { ${product} } } }`,
    { code: shop.code, permalink, ...(token !== null && { token }) },
  )
  expect(errors).toBeUndefined()
  return token === null ? data.storefront.product : (data.storefront.forAccount?.product ?? null)
}
async function aProduct(name: string, input: object = {}) {
  const id = await shopper.aProduct({ name, stock: 1_000, shippingRequired: false, ...input })
  return { id, permalink: name.toLowerCase().replaceAll(' ', '-') }
}
/** Units of a cart at the prices of a shopper. */
async function cartOf(lines: object[], accountToken: string | null) {
  const { data, errors } = await stack.ask(
    ANONYMOUS,
    `mutation ($input: CreateStorefrontCartInput!) { r: createStorefrontCart(input: $input) { ... on CreateStorefrontCartSuccess { token cart { totals { subtotal discount total } problems { code } } } } }`,
    { input: { store: shop.code, lines, accountToken } },
  )
  expect(errors).toBeUndefined()
  return data.r as { token: string; cart: { totals: { subtotal: string; discount: string; total: string } } }
}
async function complete(token: string, expectedTotal: string, accountToken: string | null) {
  const { data, errors } = await stack.ask(
    ANONYMOUS,
    `mutation ($input: CompleteStorefrontCheckoutInput!) { r: completeStorefrontCheckout(input: $input) { __typename
      ... on CompleteStorefrontCheckoutSuccess { order { number total lines { total } } }
      ... on StorefrontTotalChanged { total cart { totals { total } } } ... on ConflictError { message } } }`,
    { input: { store: shop.code, token, expectedTotal, accountToken, idempotencyKey: randomBytes(8).toString('hex') } },
  )
  expect(errors).toBeUndefined()
  return data.r
}
const ready = async (token: string) =>
  shopper.update(token, { email: 'buyer@example.org', paymentMethodId: await shopper.aPaymentMethod() })

describe('a price list', () => {
  test('is created, changed and deleted with its fixed prices; each wrong row is named', async () => {
    const cup = await aProduct('Kept cup')
    const list = await create({ name: 'Resellers', adjustmentPercent: '-10', roundingStep: '1', roundingEnding: '0.99' })
    expect(
      await set(list.id, [
        { productId: cup.id, price: '8', compareAtPrice: '12' },
        { productId: cup.id, price: '7.5', minimumQuantity: 10 },
      ]),
    ).toMatchObject({
      priceList: {
        ...{ version: 2, currency: 'EUR', roundingDirection: 'NEAREST', customerCategory: null, adjustmentPercent: '-10' },
        prices: {
          totalCount: 2,
          nodes: [
            { price: '8', compareAtPrice: '12', minimumQuantity: 1, variantNumber: null, product: { name: 'Kept cup' } },
            { price: '7.5', minimumQuantity: 10 },
          ],
        },
      },
    })
    expect(await set(list.id, [{ productId: cup.id, price: '9' }])).toMatchObject({
      priceList: { prices: { totalCount: 2, nodes: [{ price: '9', compareAtPrice: null }, {}] } },
    })
    const wrong = await set(list.id, [
      { productId: cup.id, price: '9.999' },
      { productId: cup.id, price: '-1', minimumQuantity: 2 },
      { productId: cup.id, price: '5', minimumQuantity: 0 },
      { productId: cup.id, price: '5', compareAtPrice: '5', minimumQuantity: 3 },
      { productId: cup.id, price: '5', minimumQuantity: 3 },
    ])
    expect(fields(wrong)).toEqual([
      ...['prices.0.price', 'prices.1.price', 'prices.2.minimumQuantity', 'prices.3.compareAtPrice', 'prices.4'],
    ])
    const strange = await set(list.id, [
      { productId: '999999', price: '1' },
      { productId: cup.id, variantId: '999999', price: '1' },
      { productId: 'nonsense', price: '1' },
    ])
    expect(fields(strange)).toEqual(['prices.0.productId', 'prices.1.variantId', 'prices.2.productId'])
    expect(fields(await set(list.id, []))).toEqual(['prices'])
    const many = Array.from({ length: 21 }, (_, index) => ({ productId: cup.id, price: '1', minimumQuantity: index + 1 }))
    expect(fields(await set(list.id, many))).toEqual(['prices'])
    expect(await run('updatePriceList', { id: list.id, input: { expectedVersion: 1, name: 'Other' } })).toMatchObject({
      __typename: 'ConflictError',
      currentVersion: 3,
    })
    expect(
      await run('updatePriceList', { id: list.id, input: { name: 'Other', roundingStep: null, roundingEnding: null } }),
    ).toMatchObject({ priceList: { name: 'Other', roundingStep: null, roundingEnding: '0', adjustmentPercent: '-10' } })
    expect(
      await run('removePriceListPrices', { id: list.id, input: { items: [{ productId: cup.id, minimumQuantity: 10 }] } }),
    ).toMatchObject({ priceList: { prices: { totalCount: 1 } } })
    expect(await run('removePriceListPrices', { id: list.id, input: { items: [{ productId: cup.id }] } })).toMatchObject({
      priceList: { prices: { totalCount: 0 } },
    })
    expect(await run('deletePriceList', { id: list.id })).toMatchObject({ __typename: 'DeletePriceListSuccess' })
    expect(await run('deletePriceList', { id: list.id })).toMatchObject({ __typename: 'NotFoundError' })
  })

  test.each([
    [{ name: ' ' }, 'name'],
    [{ priority: 1_001 }, 'priority'],
    [{ startsAt: '2026-11-20T09:00:00Z', endsAt: '2026-11-20T09:00:00Z' }, 'endsAt'],
    [{ adjustmentPercent: '-100.0001' }, 'adjustmentPercent'],
    [{ roundingStep: '0' }, 'roundingStep'],
    [{ roundingStep: '0.005' }, 'roundingStep'],
    [{ roundingStep: '1', roundingEnding: '1' }, 'roundingEnding'],
    [{ roundingEnding: '0.99' }, 'roundingEnding'],
  ])('is refused with %j', async (input, field) => {
    expect(fields(await run('createPriceList', { input: { name: 'List', ...input } }))).toEqual([field])
  })

  test('is of one store: another one can neither read, change nor use it', async () => {
    const other = await stack.aStore({ name: 'Glass' })
    const cup = await aProduct('Own cup')
    const list = await create({ name: 'Ours', active: false })
    expect(await run('updatePriceList', { id: list.id, input: { name: 'Theirs' } }, other)).toMatchObject({
      __typename: 'NotFoundError',
    })
    const theirs = await create({ name: 'Theirs' }, other)
    expect(
      fields(await run('setPriceListPrices', { id: theirs.id, input: { prices: [{ productId: cup.id, price: '1' }] } }, other)),
    ).toEqual(['prices.0.productId'])
    const { categoryId } = await aShopper('Ours only')
    expect(await run('updatePriceList', { id: theirs.id, input: { customerCategoryId: categoryId } }, other)).toMatchObject({
      __typename: 'NotFoundError',
    })
    const { data } = await stack.ask(other, 'query ($id: ID!) { priceList(id: $id) { name } priceLists { totalCount } }', {
      id: list.id,
    })
    expect(data).toEqual({ priceList: null, priceLists: { totalCount: 1 } })
    await run('deletePriceList', { id: list.id })
  })

  test('is read and changed with the scopes of products, and its changes are in the audit log', async () => {
    const list = await create({ name: 'Audited', active: false })
    const cup = await aProduct('Audited cup')
    await set(list.id, [{ productId: cup.id, price: '3' }])
    const reader = await agreedApp(stack, shop, { scopes: ['read_products'] })
    const { errors } = await stack.ask(reader.caller, 'mutation ($id: ID!) { deletePriceList(id: $id) { __typename } }', {
      id: list.id,
    })
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN')
    const read = await stack.ask(reader.caller, 'query ($id: ID!) { priceList(id: $id) { name } }', { id: list.id })
    expect(read.data.priceList.name).toBe('Audited')
    const entries = await stack.sql(
      `SELECT noun, kind FROM audit_entry WHERE store_id = $1 AND noun LIKE 'PRICE\\_LIST%' ORDER BY id DESC LIMIT 2`,
      [shop.storeId],
    )
    expect(entries.map(({ noun, kind }) => `${kind} ${noun}`).toSorted()).toEqual([
      'CREATED PRICE_LIST',
      'CREATED PRICE_LIST_PRICE',
    ])
    await run('deletePriceList', { id: list.id })
  })

  test('has no more than its bound, also by many requests at once', async () => {
    const full = await stack.aStore({ name: 'Full' })
    await stack.sql(
      `INSERT INTO price_list (store_id, name, created_at, updated_at) SELECT $1, 'List', now(), now() FROM generate_series(1, 48)`,
      [full.storeId],
    )
    const results = await Promise.all(
      Array.from({ length: 5 }, () => run('createPriceList', { input: { name: 'One more' } }, full)),
    )
    expect(results.map((result) => result.__typename).toSorted()).toEqual([
      ...['ConflictError', 'ConflictError', 'ConflictError', 'PriceListSuccess', 'PriceListSuccess'],
    ])
  })
})

describe('the price of a shopper', () => {
  test('is that of their category, then by priority, then of the oldest list; each shopper sees their own', async () => {
    const cup = await aProduct('Group cup', { price: '20' })
    const [gold, silver, nobody] = [await aShopper('Gold'), await aShopper('Silver'), await aShopper(null)]
    const lists = [
      await create({ name: 'Everybody', adjustmentPercent: '-5', priority: 1_000 }),
      await create({ name: 'Gold', adjustmentPercent: '-30', customerCategoryId: gold.categoryId, priority: 1 }),
      await create({ name: 'Gold later', adjustmentPercent: '-60', customerCategoryId: gold.categoryId, priority: 1 }),
      await create({ name: 'Silver', adjustmentPercent: '-20', customerCategoryId: silver.categoryId }),
      await create({
        name: 'Silver, paused',
        adjustmentPercent: '-90',
        customerCategoryId: silver.categoryId,
        priority: 9,
        active: false,
      }),
      await create({
        name: 'Silver, over',
        adjustmentPercent: '-90',
        customerCategoryId: silver.categoryId,
        priority: 9,
        endsAt: now.toISOString(),
      }),
    ]
    const amounts = async () =>
      Promise.all([gold.token, silver.token, nobody.token, null].map(async (token) => (await seen(cup.permalink, token)).price))
    // Asked at once, twice: nothing of one reaches another.
    const [first, second] = await Promise.all([amounts(), amounts()])
    expect(first).toEqual([
      { amount: '14', compareAt: '20' },
      { amount: '16', compareAt: '20' },
      { amount: '19', compareAt: '20' },
      { amount: '19', compareAt: '20' },
    ])
    expect(second).toEqual(first)
    expect(await seen(cup.permalink, randomBytes(32).toString('base64url'))).toBeNull()
    // Several shoppers in one operation do not share prices either.
    const { data } = await stack.ask(
      ANONYMOUS,
      `query ($code: String!, $p: String!, $a: String!, $b: String!) { storefront(store: $code) {
        product(permalink: $p) { price { amount } }
        a: forAccount(token: $a) { product(permalink: $p) { price { amount } related { price { amount } } } }
        b: forAccount(token: $b) { product(permalink: $p) { price { amount } } } } }`,
      { code: shop.code, p: cup.permalink, a: gold.token, b: silver.token },
    )
    const { a, b, product } = data.storefront
    expect([a.product.price.amount, b.product.price.amount, product.price.amount]).toEqual(['14', '16', '19'])
    for (const { id } of lists) await run('deletePriceList', { id })
    expect((await seen(cup.permalink, gold.token)).price).toEqual({ amount: '20', compareAt: null })
  })

  test('is the one that the cart and the order have, with breaks that split lines do not reach sooner or later', async () => {
    const cup = await aProduct('Ordered cup', { price: '10', discount: '1' })
    const gold = await aShopper('Ordering')
    const list = await create({ adjustmentPercent: '-10', customerCategoryId: gold.categoryId })
    await set(list.id, [{ productId: cup.id, price: '7', minimumQuantity: 5 }])
    expect(await seen(cup.permalink, gold.token)).toMatchObject({
      price: { amount: '8.1', compareAt: '10' },
      quantityPrices: [{ minimumQuantity: 5, price: { amount: '7', compareAt: '10' } }],
    })
    const lines = (quantity: number) => [{ productId: cup.id, quantity }]
    expect((await cartOf(lines(4), null)).cart.totals).toEqual({ subtotal: '40', discount: '4', total: '36' })
    expect((await cartOf(lines(4), gold.token)).cart.totals).toEqual({ subtotal: '32.4', discount: '0', total: '32.4' })
    const { token, cart } = await cartOf(lines(5), gold.token)
    expect(cart.totals.total).toBe('35')
    await ready(token)
    // As a guest the same cart has the price of everybody: it is told, and nothing is ordered.
    expect(await complete(token, '35', null)).toMatchObject({ __typename: 'StorefrontTotalChanged', total: '45' })
    expect(await complete(token, '35', gold.token)).toMatchObject({
      __typename: 'CompleteStorefrontCheckoutSuccess',
      order: { total: '35', lines: [{ total: '35' }] },
    })
    // Programs get list prices on request alone: lines of one item count together.
    const calculated = async (input: object) =>
      (
        await stack.ask(
          shop,
          'query ($input: CreateOrderInput!) { calculateOrder(input: $input) { ... on CalculatedOrder { total lines { price } } } }',
          { input: { customer: { email: gold.email }, ...input } },
        )
      ).data.calculateOrder
    const split = { lines: [...lines(2), ...lines(3)] }
    expect((await calculated(split)).total).toBe('45')
    expect(await calculated({ ...split, applyPriceLists: true })).toEqual({
      total: '35',
      lines: [{ price: '7' }, { price: '7' }],
    })
    const given = { lines: [{ productId: cup.id, price: '3' }], applyPriceLists: true }
    expect((await calculated(given)).total).toBe('3')
    // Drafts remember it.
    const { data } = await stack.ask(
      shop,
      'mutation ($input: CreateDraftOrderInput!) { r: createDraftOrder(input: $input) { ... on DraftOrderSuccess { draftOrder { total } } } }',
      { input: { contents: { customer: { email: gold.email }, lines: lines(1), applyPriceLists: true } } },
    )
    expect(data.r.draftOrder.total).toBe('8.1')
    await run('deletePriceList', { id: list.id })
  })

  test('of a product with variants is that of its cheapest one by the list', async () => {
    const cup = await aProduct('Variant cup', { price: '10' })
    const [{ id: product } = {}] = await stack.sql('SELECT id FROM product WHERE store_id = $1 AND permalink = $2', [
      ...[shop.storeId, cup.permalink],
    ])
    const variants: string[] = []
    for (const [index, price] of ['10', '20'].entries()) {
      const [{ id } = {}] = await stack.sql(
        `INSERT INTO product_variant (store_id, product_id, price, combination, stock, created_at, updated_at) VALUES ($1, $2, $3, $4, 9, now(), now()) RETURNING id`,
        [shop.storeId, product, price, `x${index}`],
      )
      variants.push(String(id))
    }
    const list = await create({})
    expect((await seen(cup.permalink, null)).price).toEqual({ amount: '10', compareAt: null })
    await set(list.id, [{ productId: cup.id, variantId: variants[1], price: '5' }])
    expect(await seen(cup.permalink, null)).toMatchObject({
      ...{ price: { amount: '5', compareAt: '20' }, maximumPrice: { amount: '10', compareAt: null }, quantityPrices: [] },
      variants: [{ price: { amount: '10' } }, { price: { amount: '5', compareAt: '20' } }],
    })
    expect((await cartOf([{ productId: cup.id, variantId: variants[1], quantity: 2 }], null)).cart.totals.total).toBe('10')
    await run('deletePriceList', { id: list.id })
  })

  test('that changes during the checkout is told before anything is ordered', async () => {
    const cup = await aProduct('Raced cup', { price: '10' })
    const list = await create({ adjustmentPercent: '-50' })
    const { token } = await cartOf([{ productId: cup.id }], null)
    await ready(token)
    // Whoever is first: the order has the total that was agreed to, or there is none.
    const [changed, done] = await Promise.all([
      run('updatePriceList', { id: list.id, input: { adjustmentPercent: '-20' } }),
      complete(token, '5', null),
    ])
    expect(changed.__typename).toBe('PriceListSuccess')
    if (done.__typename === 'CompleteStorefrontCheckoutSuccess') expect(done.order.total).toBe('5')
    else expect(done).toMatchObject({ __typename: 'StorefrontTotalChanged', total: '8', cart: { totals: { total: '8' } } })
    const second = await cartOf([{ productId: cup.id }], null)
    await ready(second.token)
    now = new Date(now.getTime() + 60_000)
    await run('updatePriceList', { id: list.id, input: { endsAt: now.toISOString() } })
    expect(await complete(second.token, '8', null)).toMatchObject({ __typename: 'StorefrontTotalChanged', total: '10' })
    await run('deletePriceList', { id: list.id })
  })

  test('shown and ordered are the same, whatever lists were created, changed and deleted before', async () => {
    const cup = await aProduct('Random cup', { price: '12.34', discount: '0.34' })
    const gold = await aShopper('Random')
    const step = fc.record({
      kind: fc.constantFrom('create', 'fix', 'delete', 'pause'),
      pick: fc.nat({ max: 9 }),
      isOfCategory: fc.boolean(),
      percent: fc.integer({ min: -99, max: 50 }),
      cents: fc.integer({ min: 0, max: 3_000 }),
      minimumQuantity: fc.integer({ min: 1, max: 3 }),
      priority: fc.nat({ max: 3 }),
    })
    let [checked, lists]: [number, string[]] = [0, []]
    for (const history of fc.sample(fc.array(step, { minLength: 3, maxLength: 6 }), { numRuns: 6, seed: 20261126 })) {
      for (const { kind, pick, isOfCategory, percent, cents, minimumQuantity, priority } of history) {
        const id = lists[pick % Math.max(lists.length, 1)]
        if (kind === 'create' || id === undefined) {
          const ending = { roundingStep: '1', roundingEnding: '0.95', roundingDirection: 'DOWN' }
          const customerCategoryId = isOfCategory ? gold.categoryId : null
          lists.push(
            (await create({ adjustmentPercent: String(percent), priority, customerCategoryId, ...(pick > 5 && ending) })).id,
          )
        } else if (kind === 'fix') await set(id, [{ productId: cup.id, price: (cents / 100).toFixed(2), minimumQuantity }])
        else if (kind === 'pause') await run('updatePriceList', { id, input: { active: isOfCategory, adjustmentPercent: null } })
        else {
          await run('deletePriceList', { id })
          lists = lists.filter((each) => each !== id)
        }
      }
      for (const token of [gold.token, null]) {
        const shown = await seen(cup.permalink, token)
        for (const quantity of [1, 3]) {
          const { cart } = await cartOf([{ productId: cup.id, quantity }], token)
          const unit = shown.quantityPrices.findLast((each: { minimumQuantity: number }) => each.minimumQuantity <= quantity)
          const cents = Math.round(Number((unit?.price ?? shown.price).amount) * 100) * quantity
          expect(Math.round(Number(cart.totals.total) * 100)).toBe(cents)
          checked += 1
        }
      }
    }
    expect(checked).toBe(24)
    for (const id of lists) await run('deletePriceList', { id })
  })

  test('is that of all once the category of their list is deleted, together with the list', async () => {
    const cup = await aProduct('Orphan cup', { price: '10' })
    const gold = await aShopper('Orphan')
    const list = await create({ adjustmentPercent: '-50', customerCategoryId: gold.categoryId })
    expect((await seen(cup.permalink, gold.token)).price.amount).toBe('5')
    await stack.ask(shop, 'mutation ($id: ID!) { deleteCustomerCategory(id: $id) { __typename } }', { id: gold.categoryId })
    expect((await seen(cup.permalink, null)).price.amount).toBe('10')
    expect((await seen(cup.permalink, gold.token)).price.amount).toBe('10')
    expect(await run('deletePriceList', { id: list.id })).toMatchObject({ __typename: 'NotFoundError' })
  })
})
