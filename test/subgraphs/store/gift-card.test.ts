import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES } from '../../../subgraphs/store/access/scopes.ts'
import { codeKey, spread } from '../../../subgraphs/store/gift-card/gift-card.ts'
import { agreedApp } from './support/app.ts'
import { expectBalancedBooks } from './support/books.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
beforeAll(async () => {
  stack = await startStore(() => now)
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
})
afterEach(() => expectBalancedBooks(stack))
afterAll(() => stack.close())

const DISABLE = 'mutation ($id: ID!) { disableGiftCard(id: $id) { __typename } }'
/** Every operation of merchants, by its field. */
const OPERATIONS = {
  giftCard: 'query ($id: ID!) { giftCard(id: $id) { balance transactions { totalCount } } }',
  giftCards: '{ giftCards { totalCount } }',
  createGiftCard: 'mutation { createGiftCard(input: {amount: "1"}) { __typename } }',
  disableGiftCard: DISABLE,
}

const create = async (input: object) =>
  (
    await shopper.merchant(
      `mutation ($input: CreateGiftCardInput!) { outcome: createGiftCard(input: $input) { __typename
        ... on CreateGiftCardSuccess { code giftCard { id } } ... on ValidationError { field } ... on ConflictError { message } } }`,
      { input },
    )
  ).outcome
/** A minute later: an address may try codes again. */
const later = () => {
  now = new Date(now.getTime() + 60_000)
}
const aCart = async (price: string, codes: readonly string[], quantity = 1) => {
  later()
  const productId = await shopper.aProduct({ price, stock: 100, shippingRequired: false })
  const { token } = await shopper.ready([{ productId, quantity }])
  const result = await shopper.update(token, { addGiftCardCodes: codes })
  expect(result.__typename).toBe('UpdateStorefrontCartSuccess')
  return { token, cart: result.cart, productId }
}
const order = async (price: string, codes: readonly string[], total: string) => {
  const { token } = await aCart(price, codes)
  const result = await shopper.complete(token, total)
  expect(result.__typename).toBe('CompleteStorefrontCheckoutSuccess')
  return result.order as { number: number; status: string; total: string; giftCardsDiscount: string }
}
const ledger = async (id: string) =>
  (await shopper.giftCard(id)).transactions.nodes.map(({ kind, amount }: { kind: string; amount: string }) => `${kind} ${amount}`)

describe('a gift card', () => {
  test('has a random code that is shown once and stored as a hash, or an own one', async () => {
    const { code, giftCard } = await create({ amount: '25', note: 'For Ana', expiresAt: '2027-01-01T00:00:00Z' })
    expect(code).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
    expect(await shopper.giftCard(giftCard.id)).toMatchObject({
      ...{ lastFour: code.slice(-4), issued: '25', balance: '25', note: 'For Ana', disabledAt: null },
      transactions: { totalCount: 1, nodes: [{ kind: 'ISSUE', amount: '25', order: null }] },
    })
    const stored = JSON.stringify(await stack.sql('SELECT gift_card::text FROM gift_card'))
    expect(stored).not.toContain(codeKey(code))
    expect((await create({ amount: '5', code: 'christmas-2026-ana' })).code).toBe('christmas-2026-ana')
    expect(await create({ amount: '5', code: 'CHRISTMAS 2026 ANA' })).toMatchObject({ __typename: 'ConflictError' })
  })

  test.each([
    { input: { amount: '0' }, field: 'amount' },
    { input: { amount: '1.001' }, field: 'amount' },
    { input: { amount: '-1' }, field: 'amount' },
    { input: { amount: '1', code: 'short' }, field: 'code' },
    { input: { amount: '1', code: 'ÄÖÜÄÖÜÄÖÜÄÖÜ' }, field: 'code' },
    { input: { amount: '1', expiresAt: '2020-01-01T00:00:00Z' }, field: 'expiresAt' },
    { input: { amount: '1', note: 'x'.repeat(501) }, field: 'note' },
  ])('is not issued with an invalid $field: $input', async ({ input, field }) => {
    expect(await create(input)).toEqual({ __typename: 'ValidationError', field })
  })

  test('is issued, read and disabled by the merchant of its store alone', async () => {
    const { id } = await shopper.aGiftCard('5')
    const other = await stack.aStore({ name: 'Other' })
    expect((await stack.ask(other, 'query ($id: ID!) { giftCard(id: $id) { id } }', { id })).data).toEqual({ giftCard: null })
    expect((await stack.ask(other, '{ giftCards { totalCount } }')).data).toEqual({ giftCards: { totalCount: 0 } })
    expect((await stack.ask(other, DISABLE, { id })).data).toEqual({ disableGiftCard: { __typename: 'NotFoundError' } })
    expect((await shopper.giftCard(id)).disabledAt).toBeNull()
    for (const query of Object.values(OPERATIONS)) {
      const { errors } = await stack.ask(ANONYMOUS, query, { id })
      expect(errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED')
    }
  })

  test.each([
    { scopes: ['read_promotions'], may: ['giftCard', 'giftCards'] },
    { scopes: ['write_promotions'], may: ['createGiftCard', 'disableGiftCard'] },
    { scopes: SCOPES.filter((scope) => !scope.endsWith('_promotions')), may: [] },
  ])('is open to an app with $scopes for $may', async ({ scopes, may }) => {
    const { id } = await shopper.aGiftCard('5')
    const app = await agreedApp(stack, shop, { scopes })
    for (const [field, query] of Object.entries(OPERATIONS)) {
      const { data, errors } = await stack.ask(app.caller, query, { id })
      if (may.includes(field)) expect([field, errors, data[field] === null]).toEqual([field, undefined, false])
      else expect([field, errors?.[0]?.extensions.code]).toEqual([field, 'FORBIDDEN'])
    }
    expect((await shopper.giftCard(id)).disabledAt === null).toBe(!may.includes('disableGiftCard'))
  })

  test('pays a part of an order, or all of it with others, in the order in which they were entered', async () => {
    const [small, large] = [await shopper.aGiftCard('4'), await shopper.aGiftCard('50')]
    const { cart, token } = await aCart('10', [small.code.toLowerCase().replaceAll('-', ' ')])
    expect(cart).toMatchObject({
      giftCards: [{ lastFour: small.code.slice(-4), balance: '4', applied: '4' }],
      totals: { giftCards: '4', total: '6' },
      problems: [],
    })
    const both = (await shopper.update(token, { addGiftCardCodes: [large.code, small.code] })).cart
    expect(both.giftCards.map(({ applied }: { applied: string }) => applied)).toEqual(['4', '6'])
    expect(both.totals).toMatchObject({ giftCards: '10', total: '0' })
    const swapped = (await shopper.update(token, { removeGiftCardIds: [both.giftCards[0].id] })).cart
    expect(swapped.giftCards).toMatchObject([{ balance: '50', applied: '10' }])
    const back = (await shopper.update(token, { addGiftCardCodes: [small.code] })).cart
    expect(back.giftCards.map(({ applied }: { applied: string }) => applied)).toEqual(['10', '0'])

    const done = await shopper.complete(token, '0')
    expect(done.order).toMatchObject({ status: 'PAID', total: '0', giftCardsDiscount: '10' })
    expect([await ledger(large.id), await ledger(small.id)]).toEqual([['ISSUE 50', 'REDEMPTION -10'], ['ISSUE 4']])
    expect((await shopper.giftCard(large.id)).transactions.nodes[1].order).toEqual({ number: done.order.number })
  })

  test('that expired, was disabled, is empty or does not exist is not added, and keeps a cart that has it from being ordered', async () => {
    const [old, off, empty, still] = [
      await shopper.aGiftCard('5', { expiresAt: new Date(now.getTime() + 10_000).toISOString() }),
      await shopper.aGiftCard('5'),
      await shopper.aGiftCard('5'),
      await shopper.aGiftCard('5'),
    ]
    await shopper.disableGiftCard(off.id)
    await order('5', [empty.code], '0')
    const { token } = await aCart('10', [still.code])
    for (const [code, why] of [
      [old.code, 'has expired'],
      [off.code, 'is disabled'],
      [empty.code, 'has nothing left'],
      ['0000-0000-0000-0000', 'does not exist'],
      ['x', 'does not exist'],
    ] as const) {
      const refused = await shopper.update(token, { addGiftCardCodes: [code] })
      expect(refused).toMatchObject({ __typename: 'ValidationError', field: 'addGiftCardCodes.0' })
      expect(refused.message).toContain(why)
    }
    await shopper.disableGiftCard(still.id)
    const { problems, totals } = await shopper.read(token)
    expect([problems.map(({ code }: { code: string }) => code), totals.total]).toEqual([['GIFT_CARD'], '10'])
    expect((await shopper.complete(token, '10')).__typename).toBe('StorefrontCheckoutIncomplete')
  })

  test('is paid with by one of two carts that need all of it: the other reads its new total', async () => {
    const card = await shopper.aGiftCard('10')
    const carts = [await aCart('10', [card.code]), await aCart('10', [card.code]), await aCart('10', [card.code])]
    const results = await Promise.all(carts.map(({ token }) => shopper.complete(token, '0')))
    const won = results.filter(({ __typename }) => __typename === 'CompleteStorefrontCheckoutSuccess')
    expect(won).toHaveLength(1)
    for (const { __typename } of results.filter((result) => !won.includes(result)))
      expect(['StorefrontTotalChanged', 'StorefrontCheckoutIncomplete']).toContain(__typename)
    expect((await shopper.giftCard(card.id)).balance).toBe('0')
  })

  test('gets back what a canceled order took, and pays again when an abandoned order is paid late', async () => {
    const card = await shopper.aGiftCard('10')
    const canceled = await order('8', [card.code], '0')
    await shopper.cancel(canceled.number)
    expect(await ledger(card.id)).toEqual(['ISSUE 10', 'REDEMPTION -8', 'RETURN 8'])

    const late = await order('15', [card.code], '5')
    now = new Date(now.getTime() + 8 * 24 * 3_600_000)
    await stack.subgraph.runCheckoutJobs()
    expect(await shopper.merchantOrder(late.number)).toMatchObject({ status: 'ABANDONED' })
    expect((await shopper.giftCard(card.id)).balance).toBe('10')
    await shopper.pay(late.number)
    expect(await shopper.merchantOrder(late.number)).toMatchObject({ status: 'PAID' })
    expect((await shopper.giftCard(card.id)).balance).toBe('0')

    const gone = await order('15', [(await shopper.aGiftCard('4')).code], '11')
    now = new Date(now.getTime() + 8 * 24 * 3_600_000)
    await stack.subgraph.runCheckoutJobs()
    await stack.sql('UPDATE gift_card SET disabled_at = now() WHERE store_id = $1', [shop.storeId])
    await shopper.pay(gone.number)
    expect(await shopper.merchantOrder(gone.number)).toMatchObject({ status: 'ABANDONED' })
  })

  test('gets its part of a refund, and never more than it paid', async () => {
    const card = await shopper.aGiftCard('6')
    const { number } = await order('10', [card.code], '4')
    await shopper.pay(number)
    expect(await shopper.refund(number, { toGiftCards: '7' })).toMatchObject({ __typename: 'ValidationError' })
    expect(await shopper.refund(number, { toGiftCards: '2' })).toMatchObject({ refund: { amount: '0', toGiftCards: '2' } })
    expect(await shopper.refund(number, { amount: '1' })).toMatchObject({ refund: { amount: '1', toGiftCards: '0' } })
    expect(await shopper.refund(number)).toMatchObject({ refund: { amount: '3', toGiftCards: '4' }, order: { refunded: '4' } })
    expect(await shopper.refund(number)).toMatchObject({ __typename: 'ValidationError' })
    await shopper.cancel(number)
    expect(await ledger(card.id)).toEqual(['ISSUE 6', 'REDEMPTION -6', 'RETURN 2', 'RETURN 4'])
  })

  test('gets the part of units that no money is left for, when a refund names no amounts', async () => {
    const card = await shopper.aGiftCard('11')
    const { token } = await aCart('5', [card.code], 3)
    const { number } = (await shopper.complete(token, '4')).order
    await shopper.pay(number)
    const [{ number: lineId }] = (
      await shopper.merchant('query ($id: ID!) { order(id: $id) { lines { number } } }', { id: String(number) })
    ).order.lines
    const unit = { lines: [{ lineId: String(lineId), quantity: 1 }] }
    const money = (await shopper.refund(number, { ...unit, toGiftCards: '4' })).refund
    expect(money).toEqual({ amount: '1', toGiftCards: '4' })
    const both = await shopper.refund(number, unit)
    expect(both).toMatchObject({ refund: { amount: '3', toGiftCards: '2' }, order: { refunded: '4' } })
    const refused = await shopper.refund(number, { ...unit, amount: '5' })
    expect(refused.message).toContain('with "toGiftCards" up to 5')
    expect((await shopper.refund(number, unit)).refund).toEqual({ amount: '0', toGiftCards: '5' })
    expect(await ledger(card.id)).toEqual(['ISSUE 11', 'REDEMPTION -11', 'RETURN 4', 'RETURN 2', 'RETURN 5'])
  })

  test('cannot be guessed: an address has 20 attempts a minute in a shop, and others have theirs', async () => {
    const { token } = await aCart('10', [])
    const other = await stack.aStore({ name: 'Other' })
    const theirs = await storefrontShopper(stack, other).create([])
    later()
    const here = { store: shop.code, token }
    const there = { store: other.code, token: theirs.token }
    const attempt = async (count: number, cart: typeof here, address = ANONYMOUS.address) => {
      const { data, errors } = await stack.ask(
        { ...ANONYMOUS, address },
        'mutation ($input: UpdateStorefrontCartInput!) { updated: updateStorefrontCart(input: $input) { __typename } }',
        { input: { ...cart, addGiftCardCodes: Array.from({ length: count }, () => 'AAAABBBBCCCC') } },
      )
      return errors?.[0]?.extensions.code ?? data.updated.__typename
    }
    const LOOKED_UP = 'ValidationError'
    const twentyOne = async (cart: typeof here, address = ANONYMOUS.address, last = address) => [
      await attempt(10, cart, address),
      await attempt(10, cart, address),
      await attempt(1, cart, last),
    ]
    expect(await twentyOne(here)).toEqual([LOOKED_UP, LOOKED_UP, 'RATE_LIMITED'])
    expect(await twentyOne(there)).toEqual([LOOKED_UP, LOOKED_UP, 'RATE_LIMITED'])
    expect(await attempt(1, here, '192.0.2.7')).toBe(LOOKED_UP)
    // A network of IPv6 is one address.
    expect(await twentyOne(here, '2001:db8::1', '2001:db8::2')).toEqual([LOOKED_UP, LOOKED_UP, 'RATE_LIMITED'])
    expect(await attempt(1, here, '2001:db8:0:1::1')).toBe(LOOKED_UP)
    // What is no attempt goes on.
    expect((await shopper.update(token, { note: 'still open' })).__typename).toBe('UpdateStorefrontCartSuccess')
    later()
    expect(await attempt(1, here)).toBe(LOOKED_UP)
  })
})

test('an amount is spread over cards in their order', () => {
  const cards = [
    { id: 1, balance: '3' },
    { id: 2, balance: '0' },
    { id: 3, balance: '5.5' },
  ]
  expect(spread(70_000n, cards)).toEqual([
    { giftCardId: 1, amount: 30_000n },
    { giftCardId: 3, amount: 40_000n },
  ])
  expect(spread(0n, cards)).toEqual([])
})
