import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { askRaw } from '../rest-facade/ask.ts'
import {
  closePages,
  expectAccessible,
  expectToFit,
  hasNoBrowser,
  LOOKS,
  openPage,
  sharedBrowser,
  wear,
} from './support/browser.ts'
import { HOSTILE, startWeb } from './support/site.ts'

type Shop = { readonly code: string; readonly login: string; readonly authtoken: string }

let web: Awaited<ReturnType<typeof startWeb>>
let corner: Shop
let other: Shop
let product: number
beforeAll(async () => {
  web = await startWeb()
  const create = (name: string) =>
    withStores(web.trust.database.connection, (stores) => stores.create({ name, country: 'PT', isPaid: true }))
  corner = await create('Corner shop')
  other = await create('Another shop')
  product = (await rest('POST /products.json', { product: { name: HOSTILE, price: 12.5 } })).product.id
})
afterAll(() => web?.close())

async function rest(on: string, body?: object) {
  const [method = '', path = ''] = on.split(' ')
  const { status, json } = await askRaw(web.url, `/v1${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${corner.login}:${corner.authtoken}`).toString('base64')}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  expect(status).toBe(200)
  return json
}
const anOrder = async (status: string) =>
  (
    await rest('POST /orders.json', {
      order: {
        status,
        customer: {
          email: 'ana@example.org',
          shipping_address: { name: 'Ana', surname: 'Sousa', address: 'Rua 7', country: 'PT' },
        },
        products: [{ id: product, qty: 2 }],
      },
    })
  ).order
const open = (url: string) =>
  askRaw(web.url, new URL(url).pathname, { headers: { accept: 'text/html', 'accept-encoding': 'identity' } })

test('the link of a cart shows its contents without the buyer, and is neither cached nor indexed', async () => {
  const { recovery_url, checkout_url } = await anOrder('Abandoned')
  for (const url of [recovery_url, checkout_url]) {
    const { status, headers, text } = await open(url)
    expect([status, headers['cache-control']]).toEqual([200, 'no-store'])
    expect(text).toContain('<h1>Your cart</h1>')
    expect(text).toContain('€25.00')
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(text).not.toMatch(/ana@example|Sousa|Rua 7|<img src=x|rel="canonical"/)
  }
  const [, secret = ''] = /orders\/([^/]+)/.exec(recovery_url) ?? []
  expect(secret).toHaveLength(32)
  expect(JSON.stringify(web.log.lines)).not.toContain(secret)
})

test('the link of an order shows how far it is, also when nothing is to be paid any more', async () => {
  const { id, checkout_url, recovery_url } = await anOrder('Pending Payment')
  expect(recovery_url).toBeNull()
  expect((await open(checkout_url)).text).toContain('Payment of this order is pending.')
  await rest(`PUT /orders/${id}.json`, { order: { status: 'Paid', shipment_status: 'requested' } })
  const tracked = {
    shipment_status: 'in_transit',
    tracking_company: 'Post',
    tracking_number: 'T1',
    tracking_url: 'https://track.example/T1',
  }
  const { order } = await rest(`PUT /orders/${id}.json`, { order: tracked })
  expect(order.checkout_url).toBeNull()
  const { text } = await open(checkout_url)
  for (const said of ['This order is paid.', 'in transit', 'Post T1', 'href="https://track.example/T1"'])
    expect(text).toContain(said)
})

test('the amounts of an order add up: shipping has its tax and its discount, gift cards a line of their own', async () => {
  for (const shipping of [false, true]) await rest('POST /taxes.json', { tax: { name: 'IVA', country: 'PT', tax: 23, shipping } })
  const { order } = await rest('POST /orders.json', {
    order: {
      status: 'Pending Payment',
      shipping_price: 10,
      shipping_method_name: 'Post',
      customer: { email: 'ana@example.org', shipping_address: { name: 'Ana', surname: 'S', address: 'Rua 7', country: 'PT' } },
      products: [{ id: product, qty: 2 }],
    },
  })
  expect([order.tax, order.shipping_tax, order.total]).toEqual([5.75, 2.3, 43.05])
  const amountsOf = (text: string) =>
    [...text.matchAll(/<td>(?:<strong>)?(−?)€([\d.]+)/g)].map(([, sign, amount]) => (sign ? -1 : 1) * Number(amount))
  expect(amountsOf((await open(order.checkout_url)).text)).toEqual([30.75, 12.3, 43.05])

  const { connection } = web.trust.database
  const client = new pg.Client({ ...connection })
  await client.connect()
  await client.query(
    'UPDATE store."order" SET shipping_discount = 1, gift_cards_discount = 5, total = total - 6 WHERE id = $1 AND token = $2',
    [order.id, new URL(order.checkout_url).pathname.split('/')[4]],
  )
  await client.end()
  expect(amountsOf((await open(order.checkout_url)).text)).toEqual([30.75, 11.3, -5, 37.05])
})

test('every link that an answer has leads somewhere, whatever the state of the order', async () => {
  for (const status of ['Abandoned', 'Pending Payment', 'Paid', 'Canceled']) {
    const order = await anOrder(status)
    for (const key of ['duplicate_url', 'recovery_url', 'review_url', 'checkout_url']) {
      expect(key in order).toBe(true)
      if (order[key] !== null) expect([status, key, (await open(order[key])).status]).toEqual([status, key, 200])
    }
  }
})

test('another secret, another shop and another page are nothing', async () => {
  const { pathname } = new URL((await anOrder('Abandoned')).recovery_url)
  for (const path of [
    pathname.replace('corner-shop', other.code),
    pathname.replace('/recover', '/duplicate'),
    pathname.replace(/[^/]{32}/, 'x'.repeat(32)),
    pathname.replace(/[^/]{32}/, '%00'),
    pathname.replace(/[^/]{32}/, "'%20OR%201=1"),
  ]) {
    const { status } = await askRaw(web.url, path, { headers: { accept: 'text/html' } })
    expect([path, status]).toEqual([path, 404])
  }
})

test.skipIf(hasNoBrowser)('a cart is accessible and fits', async () => {
  const browser = await sharedBrowser()
  const { page, complaints } = await openPage(browser)
  const { pathname } = new URL((await anOrder('Abandoned')).recovery_url)
  await page.goto(`${web.url}${pathname}`)
  for (const each of LOOKS) {
    await wear(page, each)
    await expectToFit(page)
    if (each.isAudited) await expectAccessible(page)
  }
  expect(await page.evaluate('window.ran')).toBeUndefined()
  expect(complaints).toEqual([])
  await closePages(browser)
})
