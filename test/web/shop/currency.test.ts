import { afterAll, beforeAll, expect, test } from 'vitest'
import { askRaw } from '../../rest-facade/ask.ts'
import { consoleAt, type Fields, fieldsOf, setCookies } from '../support/console.ts'
import { aFilledShop, type FilledShop } from '../support/shop.ts'
import { startWeb } from '../support/site.ts'

const SHOP = '/shops/corner-shop'
const CURRENCIES = '/console/currencies'
const ADDRESS = { name: 'Ana', surname: 'Sousa', address: 'Rua 1', city: 'Lisbon', country: 'PT', email: 'ana@example.org' }

let web: Awaited<ReturnType<typeof startWeb>>
let shop: FilledShop
const { aVisitor, signedIn } = consoleAt(() => web.url)
beforeAll(async () => {
  web = await startWeb()
  shop = await aFilledShop(web, 'Corner shop')
})
afterAll(() => web?.close())

/** The values of radio buttons of this name, by the text beside them. */
const choices = (text: string, name: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`<input type="radio" name="${name}" value="([^"]*)"[^>]*> (?:<span>)?([^<]*)`, 'g'))].map(
      ([, value = '', label = '']) => [label.trim(), value],
    ),
  )
const hidden = (text: string, name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

test('a merchant adds a currency, changes its rate and deletes it; each wrong field is named', async () => {
  const { visitor } = await signedIn(shop)
  const page = await visitor.get(CURRENCIES)
  expect(page.text).toContain('No other currencies yet')
  expect(page.text).toContain('<a href="/console/settings" aria-current="true">')
  expect((await visitor.get('/console/settings')).text).toContain(`href="${CURRENCIES}"`)
  const fields = fieldsOf(page, `${CURRENCIES}/add`)
  for (const [name, value, problem] of [
    ['code', 'EUR', 'another currency than EUR'],
    ['code', 'QQQ', 'ISO 4217'],
    ['rate', '0', 'above 0'],
    ['rate', 'much', 'Enter'],
    ['roundingEnding', '0.5', 'whole minor units'],
  ] as const) {
    const refused = await visitor.post(`${CURRENCIES}/add`, { ...fields, code: 'JPY', rate: '160', [name]: value })
    expect([name, value, refused.status, refused.text.includes(problem)]).toEqual([name, value, 422, true])
  }
  const add = async (more: Fields) =>
    (await visitor.post(`${CURRENCIES}/add`, { ...fieldsOf(await visitor.get(CURRENCIES), `${CURRENCIES}/add`), ...more }))
      .headers.location
  expect(await add({ code: 'chf', rate: '0.9' })).toBe(`${CURRENCIES}?done=added`)
  expect(await add({ code: 'JPY', rate: '150' })).toBe(`${CURRENCIES}?done=added`)
  const { text } = await visitor.get(CURRENCIES)
  expect(text).toContain('150 JPY for 1 EUR')
  const [franc = '', yen = ''] = [...text.matchAll(/action="(\/console\/currencies\/\d+)"/g)].map(([, path]) => path)
  expect((await visitor.post(yen, { ...fieldsOf(await visitor.get(CURRENCIES), yen), rate: '160' })).headers.location).toBe(
    `${CURRENCIES}?done=saved`,
  )
  const removal = fieldsOf(await visitor.get(CURRENCIES), `${franc}/delete`)
  expect((await visitor.post(`${franc}/delete`, removal)).headers.location).toBe(`${CURRENCIES}?done=deleted`)
  expect((await visitor.get(CURRENCIES)).text).not.toContain('CHF')
})

test('a shopper chooses a currency without a script: pages, cart, checkout, order and REST have the same sums', async () => {
  const visitor = aVisitor()
  const before = await visitor.get(`${SHOP}/products/blue-cup`)
  expect(before.text).toContain('€12.30')
  expect(before.text).toContain(`action="${SHOP}/currency"`)
  expect(before.headers['cache-control']).toContain('public')
  await visitor.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity: '2' })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('€24.60')
  const chosen = await visitor.post(`${SHOP}/currency`, { currency: 'JPY' })
  expect([chosen.status, chosen.headers.location]).toEqual([303, SHOP])
  const product = await visitor.get(`${SHOP}/products/blue-cup`)
  expect(product.text).toContain('¥1,968')
  expect(product.text).not.toContain('€')
  expect(product.text).toContain('aria-label="Show prices in JPY" aria-pressed="true"><strong>JPY</strong>')
  expect(product.text).toContain('aria-label="Show prices in EUR" aria-pressed="false">EUR<')
  expect(product.headers).toMatchObject({ 'cache-control': 'no-store' })
  expect((await visitor.get(`${SHOP}/search`)).text).toContain('¥1,968')
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('¥3,936')

  expect((await visitor.post(`${SHOP}/checkout/address`, ADDRESS)).status).toBe(303)
  const { Post = '' } = choices((await visitor.get(`${SHOP}/checkout`)).text, 'delivery')
  await visitor.post(`${SHOP}/checkout/delivery`, { delivery: Post })
  const { text } = await visitor.get(`${SHOP}/checkout`)
  expect(text).toContain('Place order and pay ¥5,216')
  const consent = /name="(answer\.[^"]+)"/.exec(text)?.[1] ?? ''
  const placed = await visitor.post(`${SHOP}/checkout/order`, {
    ...{ key: hidden(text, 'key'), expected: hidden(text, 'expected'), [consent]: 'true' },
    payment: choices(text, 'payment')['Bank transfer'] ?? '',
  })
  expect(placed.headers.location).toMatch(/orders\/[\w-]{32}$/)
  const order = (await visitor.get(placed.headers.location ?? '')).text
  expect(order).toContain('¥5,216')
  const number = /Your order (\d+)/.exec(order)?.[1] ?? ''
  const rest = await askRaw(web.url, `/v1/orders/${number}.json`, {
    headers: { authorization: `Basic ${Buffer.from(`${shop.login}:${shop.authtoken}`).toString('base64')}` },
  })
  expect(JSON.parse(rest.text).order).toMatchObject({ currency: 'JPY', total: 5216, shipping: 1280, tax: 736 })

  // Sales of the console are of one currency.
  await shop.merchant('mutation ($id: ID!) { markOrderPaid(id: $id, input: {}) { __typename } }', { id: number })
  const { visitor: merchant } = await signedIn(shop)
  const euros = (await merchant.get('/console')).text
  expect(euros).toContain('href="/console?currency=JPY"')
  expect(euros).not.toContain('¥5,216')
  expect((await merchant.get('/console?currency=JPY')).text).toContain('¥5,216')
  expect((await merchant.get('/console/sales.csv?currency=JPY')).text).toMatch(/,1,1,0,5216,4480,0,JPY\r\n$/)
})

test('the currency is in a cookie of the shop; another site cannot set it, and nonsense changes nothing', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const send = (body: string, headers: Record<string, string> = {}, path = `${SHOP}/currency`) =>
    askRaw(web.url, path, { method: 'POST', headers: { ...form, ...headers }, body })
  expect(setCookies(await send('currency=JPY'))).toEqual([
    'currency=JPY; Path=/shops/corner-shop; Max-Age=31536000; HttpOnly; SameSite=Lax',
  ])
  for (const body of ['currency=yen', 'currency=', 'currency=JPY%0d%0aX', '']) expect(setCookies(await send(body))).toEqual([])
  expect((await send('currency=JPY', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await send('currency=JPY', {}, '/shops/no;shop/currency')).status).toBe(404)
  // Back to the page of the shop that the form was on, and never elsewhere.
  const back = async (referer: string) => (await send('currency=JPY', { referer })).headers.location
  expect(await back(`${web.url}${SHOP}/collections/cups?sort=name`)).toBe(`${SHOP}/collections/cups?sort=name`)
  expect(await back(`https://evil.example${SHOP}/search`)).toBe(`${SHOP}/search`)
  for (const referer of [
    'https://evil.example/',
    '//evil.example',
    `${web.url}/shops/corner-shop2/x`,
    `${web.url}${SHOP}/cart/add`,
  ])
    expect(await back(referer)).toBe(SHOP)
  // One that the shop does not have any more shows prices of the store.
  const gone = await askRaw(web.url, SHOP, { headers: { cookie: 'currency=GBP' } })
  expect([gone.status, gone.text.includes('€12.30')]).toEqual([200, true])
})

test('a cart in the only other currency, which was deleted, is changed to that of the store', async () => {
  const other = await aFilledShop(web, 'Last currency')
  const at = '/shops/last-currency'
  const { r } = await other.merchant(
    'mutation { r: createStoreCurrency(input: { code: "JPY", rate: "160" }) { ... on StoreCurrencySuccess { storeCurrency { id } } } }',
    {},
  )
  const visitor = aVisitor()
  await visitor.post(`${at}/cart/add`, { permalink: 'blue-cup', quantity: '1' })
  await visitor.post(`${at}/currency`, { currency: 'JPY' })
  const cart = await visitor.get(`${at}/cart`)
  expect(cart.text).toContain('¥1,968')
  expect(cart.text).toContain('Cookies for your cart and your currency only.')
  const { id } = r.storeCurrency
  await other.merchant('mutation ($id: ID!) { deleteStoreCurrency(id: $id) { __typename } }', { id })
  const left = (await visitor.get(`${at}/cart`)).text
  expect(left).toContain('a currency of the shop (EUR)')
  expect(left).toContain('name="currency" value="EUR"')
  await visitor.post(`${at}/currency`, { currency: 'EUR' })
  expect((await visitor.get(`${at}/cart`)).text).toContain('€12.30')
})

test('a feed is in each currency of the shop, and leads to pages and a cart of the same prices', async () => {
  const feed = async (path: string) => {
    const { status, text } = await askRaw(web.url, `${SHOP}${path}`)
    const [, item = ''] = /<item>((?:(?!<item>).)*<title>(?:Blue cup|Chávena azul)<.*?)<\/item>/s.exec(text) ?? []
    const tag = (name: string) => new RegExp(`<${name}>([^<]*)<`).exec(item)?.[1]
    return { status, price: tag('g:price'), link: tag('link')?.slice(web.url.length).replaceAll('&amp;', '&') ?? '' }
  }
  const product = `${SHOP}/products/blue-cup`
  expect(await feed('/feed.xml')).toEqual({ status: 200, price: '12.30 EUR', link: product })
  expect(await feed('/feed/EUR.xml')).toEqual({ status: 200, price: '12.30 EUR', link: `${product}?currency=EUR` })
  const yen = await feed('/feed/JPY.xml')
  expect(yen).toEqual({ status: 200, price: '1968 JPY', link: `${product}?currency=JPY` })
  expect(await feed('/feed/pt-JPY.xml')).toMatchObject({ status: 200, link: `${product}?language=pt&currency=JPY` })
  expect((await feed('/collections/cups/feed/JPY.xml')).price).toBe('1968 JPY')
  for (const none of ['/feed/GBP.xml', '/feed/pt-GBP.xml', '/feed/.xml'])
    expect([none, (await feed(none)).status]).toEqual([none, 404])
  for (const language of ['/feed/jpy.xml', '/feed/-JPY.xml', '/feed/xx-JPY.xml'])
    expect([language, (await feed(language)).status]).toEqual([language, 400])

  const visitor = aVisitor()
  await visitor.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity: '1' })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('€12.30')
  const listed = await visitor.get(yen.link)
  expect(listed.text).toContain('¥1,968')
  expect(listed.text).toContain('"priceCurrency":"JPY"')
  expect(listed.text).toContain('<input type="hidden" name="currency" value="JPY">')
  // Looking alone changes nothing.
  expect((await visitor.get(product)).text).toContain('€12.30')
  await visitor.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity: '1', currency: 'JPY' })
  expect((await visitor.get(`${SHOP}/cart`)).text).toContain('¥3,936')
  expect((await visitor.get(product)).text).toContain('¥1,968')
  // A currency that the shop does not have, or nonsense, is as none.
  for (const currency of ['GBP', 'yen', '"><b']) {
    const { status, text } = await askRaw(web.url, `${product}?currency=${encodeURIComponent(currency)}`)
    expect([currency, [200, 400].includes(status), text.includes('name="currency" value="JPY">')]).toEqual([
      currency,
      true,
      false,
    ])
    const other = aVisitor()
    await other.post(`${SHOP}/cart/add`, { permalink: 'blue-cup', quantity: '1', currency })
    expect((await other.get(`${SHOP}/cart`)).text).toContain('€12.30')
  }
})
