import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import type { Reply } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Fields, fieldsOf, type Shop } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

let web: Awaited<ReturnType<typeof startWeb>>
let own: Shop
const { graph, aVisitor, signedIn } = consoleAt(() => web.url)
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())
beforeEach(async () => {
  own = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }),
  )
})

const textOf = ({ text }: Reply) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

/** Sends a form of a page with some fields filled in. */
async function send(visitor: ReturnType<typeof aVisitor>, page: string, action: string, fields: Fields) {
  return visitor.post(action, { ...fieldsOf(await visitor.get(page), action), ...fields })
}

const SETTINGS = '/console/settings'

describe('settings', () => {
  const stored = async () =>
    (
      await graph(
        own,
        '{ store { name email timezone weightUnit sendsOrderConfirmations sendsLowStockAlerts returnWindowDays currency version } }',
        {},
      )
    ).store

  test('of the store are saved, and the switches of e-mails with them', async () => {
    const { visitor } = await signedIn(own)
    const before = await stored()
    expect(before).toMatchObject({ sendsOrderConfirmations: true, sendsLowStockAlerts: true })
    // A checkbox that is off is not sent.
    const { sendsOrderConfirmations: _, sendsLowStockAlerts: __, ...form } = fieldsOf(await visitor.get(SETTINGS), SETTINGS)
    const saved = await visitor.post(SETTINGS, {
      ...form,
      name: 'Corner & Sons',
      timezone: 'Europe/Madrid',
      weightUnit: 'LB',
      returnWindowDays: '14',
    })
    expect(saved.headers.location).toBe(`${SETTINGS}?done=saved`)
    expect(await stored()).toMatchObject({
      name: 'Corner & Sons',
      timezone: 'Europe/Madrid',
      weightUnit: 'LB',
      sendsOrderConfirmations: false,
      sendsLowStockAlerts: false,
      returnWindowDays: 14,
      currency: 'EUR',
    })
    await send(visitor, SETTINGS, SETTINGS, { sendsOrderConfirmations: 'yes', sendsLowStockAlerts: 'yes' })
    expect(await stored()).toMatchObject({ sendsOrderConfirmations: true, sendsLowStockAlerts: true })
    const stale = await visitor.post(SETTINGS, { ...form, name: 'Old name' })
    expect([stale.status, textOf(stale)]).toEqual([422, expect.stringContaining('Stored now: Corner &amp; Sons')])
  })

  test.each<[string, Fields, string]>([
    ['a short name', { name: 'x' }, 'name'],
    ['an unknown time zone', { timezone: 'Mars/Base' }, 'timezone'],
    ['an address of no e-mail', { email: 'nobody' }, 'email'],
    ['a return after ten years', { returnWindowDays: '3650' }, 'returnWindowDays'],
    ['a logo that is no URL', { logo: 'javascript:alert(1)' }, 'logo'],
  ])('with %s are refused beside the field', async (_, fields, name) => {
    const { visitor } = await signedIn(own)
    const reply = await send(visitor, SETTINGS, SETTINGS, fields)
    expect([reply.status, reply.text]).toEqual([422, expect.stringContaining(`id="${name}-problem"`)])
    expect((await stored()).name).toBe('Corner shop')
  })

  test('turn payment and shipping methods off, and add a location', async () => {
    await graph(
      own,
      'mutation { createPaymentMethod(input: { name: "Bank", description: "IBAN", paymentMethodUrl: "https://pay.example.org/" }) { __typename } createShippingMethod(input: { name: "Post", type: FREE }) { __typename } }',
      {},
    )
    const { visitor } = await signedIn(own)
    const { text } = await visitor.get(SETTINGS)
    const [payment = '', shipping = ''] = [/"([^"]*edit\/payment\/\d+)"/, /"([^"]*edit\/shipping\/\d+)"/].map(
      (path) => path.exec(text)?.[1] ?? '',
    )
    for (const [path, name] of [
      [payment, 'Bank transfer'],
      [shipping, 'Parcel'],
    ] as const) {
      const { enabled: _, ...fields } = fieldsOf(await visitor.get(SETTINGS), path)
      expect((await visitor.post(path, { ...fields, name })).headers.location).toBe(`${SETTINGS}?done=saved`)
    }
    const location = { name: 'Workshop', address: 'Street 1', city: 'Lisbon', country: 'pt' }
    expect((await send(visitor, SETTINGS, `${SETTINGS}/add/location`, { ...location, country: 'Portugal' })).text).toContain(
      'id="location-country-problem"',
    )
    await send(visitor, SETTINGS, `${SETTINGS}/add/location`, location)
    const found = await graph(
      own,
      '{ paymentMethods { name enabled description } shippingMethods { name enabled } locations { name address { country } } }',
      {},
    )
    expect(found).toEqual({
      paymentMethods: [{ name: 'Bank transfer', enabled: false, description: 'IBAN' }],
      shippingMethods: [{ name: 'Parcel', enabled: false }],
      locations: [{ name: 'Workshop', address: { country: 'PT' } }],
    })
  })
})

describe('Stripe', () => {
  const methods = async () =>
    (await graph(own, '{ paymentMethods { name type hasCredentials testMode enabled } }', {})).paymentMethods
  test('is connected with a key, then with the secret of its webhook, and neither is shown', async () => {
    const { visitor } = await signedIn(own)
    const add = `${SETTINGS}/add/stripe`
    const key = 'rk_test_51Hidden'
    const refused = await send(visitor, SETTINGS, add, { name: 'Card', key: 'pk_test_51Hidden' })
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('id="stripe-key-problem"')])
    expect(refused.text).not.toContain('51Hidden')
    expect((await send(visitor, SETTINGS, add, { name: 'Card', key })).headers.location).toBe(`${SETTINGS}?done=connected`)
    const { text } = await visitor.get(SETTINGS)
    expect(text).toContain('not set up')
    expect((await methods()).at(-1)).toMatchObject({ enabled: false, hasCredentials: false })
    const [, number = ''] = /\/payments\/\d+\/(\d+)<\/code>/.exec(text) ?? []
    const path = `${SETTINGS}/edit/payment/${number}`
    await send(visitor, SETTINGS, path, { name: 'Card', enabled: 'yes', secret: 'whsec_hidden' })
    // A form without them keeps both.
    await send(visitor, SETTINGS, path, { name: 'Cards', enabled: 'yes' })
    expect((await methods()).at(-1)).toEqual({
      name: 'Cards',
      type: 'STRIPE',
      hasCredentials: true,
      testMode: true,
      enabled: true,
    })
    const page = (await visitor.get(SETTINGS)).text
    expect(page).toContain('test mode')
    expect(page).not.toMatch(/51Hidden|whsec_hidden/)
    // Of a key from before modes were kept, nobody knows.
    await web.trust.sql('UPDATE store.payment_method SET test_mode = NULL')
    expect((await visitor.get(SETTINGS)).text).toContain('unknown mode')
  })
})

describe('customers', () => {
  async function aCustomer(input: object = {}) {
    const { made } = await graph(
      own,
      'mutation ($input: CreateCustomerInput!) { made: createCustomer(input: $input) { ... on CreateCustomerSuccess { customer { number } } } }',
      { input: { email: 'ana@example.org', ...input } },
    )
    const number = String(made.customer.number)
    return { number, path: `/console/customers/${number}` }
  }
  const stored = async (number: string) =>
    (
      await graph(
        own,
        'query ($number: ID!) { customer(id: $number) { email phone status acceptsMarketing shippingAddress { name city country } billingAddress { city municipality } } }',
        { number },
      )
    ).customer

  test('are found, edited and erased', async () => {
    const { number, path } = await aCustomer({
      shippingAddress: { name: 'Ana', city: 'Lisbon', country: 'PT' },
      billingAddress: { municipality: '1106' },
    })
    await aCustomer({ email: 'eve@example.org', billingAddress: { name: HOSTILE }, status: 'PENDING' })
    const { visitor } = await signedIn(own)
    const list = await visitor.get('/console/customers?q=ana')
    expect([list.text.includes(`${path}"`), list.text.includes('eve@example.org')]).toEqual([true, false])
    const pending = await visitor.get('/console/customers?status=pending')
    expect([pending.text.includes('eve@example.org'), pending.text.includes('<script>window.ran')]).toEqual([true, false])
    expect((await send(visitor, path, path, { email: 'none' })).text).toContain('id="email-problem"')
    expect((await send(visitor, path, path, { email: 'eve@example.org' })).status).toBe(422)
    const edited = { phone: '+351 1', status: 'disabled', acceptsMarketing: 'yes', 'shipping-city': 'Porto' }
    expect((await send(visitor, path, path, edited)).headers.location).toBe(`${path}?done=saved`)
    expect(await stored(number)).toEqual({
      email: 'ana@example.org',
      phone: '+351 1',
      status: 'DISABLED',
      acceptsMarketing: true,
      shippingAddress: { name: 'Ana', city: 'Porto', country: 'PT' },
      // The form does not show it.
      billingAddress: { city: null, municipality: '1106' },
    })
    await visitor.get(path)
    expect((await visitor.post(`${path}/erase`, {})).headers.location).toBe('/console/customers?done=erased')
    expect([await stored(number), (await visitor.get(path)).status]).toEqual([null, 404])
  })
})

describe('promotions', () => {
  const NEW = '/console/promotions/new'
  const stored = async (number: string) =>
    (
      await graph(
        own,
        'query ($number: ID!) { promotion(id: $number) { name enabled discountTarget type discountAmountPercent discountAmountFix lasts beginsAt expiresAt maxTimesUsed buysAtLeast conditionPrice conditionQty customers cumulative coupons { code usageLimit } } }',
        { number },
      )
    ).promotion

  test('are added, edited, turned off and deleted', async () => {
    const { visitor } = await signedIn(own)
    expect((await visitor.get(NEW)).text).toContain('<a href="/console/promotions" aria-current="true">')
    const added = await send(visitor, NEW, NEW, {
      name: 'Summer',
      enabled: 'yes',
      amount: '15',
      expiresAt: '2030-09-01T00:00',
      conditionPrice: '20',
      coupons: 'SUMMER 100\r\n\r\nSUN',
    })
    const [, path = '', number = ''] = /^(.*\/(\d+))\?done=created/.exec(added.headers.location ?? '') ?? []
    expect(await stored(number)).toMatchObject({
      name: 'Summer',
      enabled: true,
      discountTarget: 'ORDER',
      type: 'PERCENTAGE',
      discountAmountPercent: '15',
      lasts: 'DATE',
      expiresAt: '2030-09-01T00:00:00.000Z',
      buysAtLeast: 'PRICE',
      conditionPrice: '20',
      coupons: [
        { code: 'SUMMER', usageLimit: 100 },
        { code: 'SUN', usageLimit: 0 },
      ],
    })
    const before = await stored(number)
    expect((await send(visitor, path, path, {})).headers.location).toBe(`${path}?done=saved`)
    expect(await stored(number)).toEqual(before)
    const { enabled: _, ...form } = fieldsOf(await visitor.get(path), path)
    await visitor.post(path, { ...form, type: 'fixed', amount: '5', maxTimesUsed: '10', conditionPrice: '' })
    expect(await stored(number)).toMatchObject({
      enabled: false,
      type: 'FIX',
      discountAmountFix: '5',
      lasts: 'BOTH',
      maxTimesUsed: 10,
      buysAtLeast: 'NONE',
    })
    expect((await visitor.get('/console/promotions?state=off')).text).toContain('>Summer</a>')
    expect((await visitor.get('/console/promotions?state=on')).text).toContain('No promotions found.')
    expect((await send(visitor, path, `${path}/delete`, {})).headers.location).toBe('/console/promotions?done=deleted')
    expect(await stored(number)).toBeNull()
  })

  test('keep conditions that the form does not show', async () => {
    const { made } = await graph(
      own,
      'mutation { made: createPromotion(input: { name: "Many", discountAmountPercent: 5, buysAtLeast: QTY, conditionQty: 3 }) { ... on CreatePromotionSuccess { promotion { number } } } }',
      {},
    )
    const path = `/console/promotions/${made.promotion.number}`
    const { visitor } = await signedIn(own)
    const before = await stored(String(made.promotion.number))
    await send(visitor, path, path, { name: 'Lots' })
    expect(await stored(String(made.promotion.number))).toEqual({ ...before, name: 'Lots' })
  })

  test('keep coupons whose code ends with a number, and the seconds of their end', async () => {
    const coupons = [{ code: 'SUMMER 2030' }, { code: 'VIP 7', usageLimit: 20 }, { code: 'MOST', usageLimit: 2_147_483_647 }]
    const { made } = await graph(
      own,
      'mutation ($coupons: [CouponInput!]) { made: createPromotion(input: { name: "Numbers", discountAmountPercent: 5, lasts: DATE, expiresAt: "2030-12-31T23:59:59Z", coupons: $coupons }) { ... on CreatePromotionSuccess { promotion { number } } } }',
      { coupons },
    )
    const number = String(made.promotion.number)
    const path = `/console/promotions/${number}`
    const { visitor } = await signedIn(own)
    const before = await stored(number)
    expect(before.expiresAt).toBe('2030-12-31T23:59:59.000Z')
    expect((await send(visitor, path, path, {})).headers.location).toBe(`${path}?done=saved`)
    expect(await stored(number)).toEqual(before)
  })

  test.each<[string, Fields, string]>([
    ['a coupon twice', { coupons: 'SUN\r\nsun' }, 'coupons'],
    ['a coupon for more orders than can be', { coupons: 'SUN 3000000000' }, 'coupons'],
    ['more coupons than can be', { coupons: Array.from({ length: 1_001 }, (_, index) => `C${index}`).join('\n') }, 'coupons'],
    ['no name', { name: '' }, 'name'],
    ['more than 100 percent', { amount: '101' }, 'amount'],
    ['no amount', { amount: '' }, 'amount'],
    ['an end that is no time', { expiresAt: 'soon' }, 'expiresAt'],
    ['an end before its beginning', { beginsAt: '2030-01-02T00:00', expiresAt: '2030-01-01T00:00' }, 'expiresAt'],
    ['a target of products', { discountTarget: 'CATEGORIES' }, 'discountTarget'],
  ])('with %s are refused beside the field', async (_, fields, name) => {
    const { visitor } = await signedIn(own)
    const reply = await send(visitor, NEW, NEW, { name: 'Summer', amount: '10', ...fields })
    expect([reply.status, reply.text]).toEqual([422, expect.stringContaining(`id="${name}-problem"`)])
  })
})

describe('synonyms of the search', () => {
  const SEARCH = '/console/search'

  test('are added, found by in the shop, edited and deleted', async () => {
    await graph(own, 'mutation { createProduct(input: { name: "Couch", price: "1" }) { __typename } }', {})
    const { visitor } = await signedIn(own)
    expect((await visitor.get(SEARCH)).text).toContain('No synonyms yet')
    const added = await send(visitor, SEARCH, `${SEARCH}/add`, { terms: 'Sofa\r\n\r\n couch \r\n<b>', targets: '' })
    expect(added.headers.location).toBe(`${SEARCH}?done=added`)
    const list = await visitor.get(SEARCH)
    const [, path = ''] = /href="(\/console\/search\/\d+)">Sofa, couch, &lt;b&gt;</.exec(list.text) ?? []
    const { store } = await graph(own, '{ store { code } }', {})
    const found = await visitor.get(`/shops/${store.code}/search?q=SOFA`)
    expect([found.status, textOf(found)]).toEqual([200, expect.stringContaining('Couch')])

    expect((await send(visitor, path, path, { terms: 'seat', targets: 'couch\r\nsofa' })).headers.location).toBe(
      `${path}?done=saved`,
    )
    expect(textOf(await visitor.get(SEARCH))).toContain('seat also couch, sofa')
    const stale = await send(visitor, path, path, { terms: 'a\r\nb', version: '1' })
    expect([stale.status, textOf(stale)]).toEqual([422, expect.stringContaining('Stored now: seat')])
    expect((await send(visitor, path, `${path}/delete`, {})).headers.location).toBe(`${SEARCH}?done=deleted`)
    expect([(await visitor.get(path)).status, (await visitor.get(`${SEARCH}/x`)).status]).toEqual([404, 404])
  })

  test.each<[string, Fields, string]>([
    ['one word alone', { terms: 'sofa' }, 'terms'],
    ['a word twice', { terms: 'sofa\r\nSofa' }, 'terms'],
    ['a long target', { terms: 'sofa', targets: `couch\r\n${'x'.repeat(51)}` }, 'targets'],
  ])('with %s are refused beside the field, which keeps what was typed', async (_, fields, name) => {
    const { visitor } = await signedIn(own)
    const reply = await send(visitor, SEARCH, `${SEARCH}/add`, fields)
    expect([reply.status, reply.text]).toEqual([422, expect.stringMatching(new RegExp(`${name}-problem"`))])
    expect(reply.text).toContain(fields[name])
  })
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('settings, customers and promotions fit and are accessible', async () => {
    await graph(
      own,
      'mutation { createPaymentMethod(input: { name: "Bank", paymentMethodUrl: "https://pay.example.org/" }) { __typename } createShippingMethod(input: { name: "Post", type: FREE }) { __typename } createCustomer(input: { email: "ana@example.org" }) { __typename } createPromotion(input: { name: "Summer", discountAmountPercent: 5, coupons: [{ code: "SUN" }] }) { __typename } }',
      {},
    )
    await graph(
      own,
      'mutation { createSearchSynonym(input: { terms: ["sofa", "couch"], targets: ["settee"] }) { __typename } }',
      {},
    )
    const { customers, promotions, searchSynonyms } = await graph(
      own,
      '{ searchSynonyms { nodes { number } } customers { nodes { number } } promotions { nodes { number } } }',
      {},
    )
    const { page, complaints } = await openPage(browser, { baseURL: web.url })
    await page.goto('/console')
    await page.fill('#login', own.login)
    await page.fill('#authtoken', own.authtoken)
    await page.click('.sign-in button')
    for (const [name, address] of [
      ['console-settings', SETTINGS],
      ['console-search', '/console/search'],
      ['console-search-synonym', `/console/search/${searchSynonyms.nodes[0].number}`],
      ['console-customers', '/console/customers'],
      ['console-customer', `/console/customers/${customers.nodes[0].number}`],
      ['console-promotions', '/console/promotions'],
      ['console-promotion', `/console/promotions/${promotions.nodes[0].number}`],
      ['console-promotion-new', '/console/promotions/new'],
    ] as const) {
      await page.goto(address)
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
      await look(page, name)
    }
    expect(complaints).toEqual([])
    await page.close()
  }, 120_000)
})
