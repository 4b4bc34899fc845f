import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

async function rest(on: string, body?: object, shop = corner) {
  const [method = '', path = ''] = on.split(' ')
  const { status, json } = await askRaw(web.url, `/v1${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${shop.login}:${shop.authtoken}`).toString('base64')}`,
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

describe('the demo shop', () => {
  let demo: Shop
  let article: number
  const place = async (status: string): Promise<number> => {
    const order = { status, customer: { email: 'ana@example.org' }, products: [{ id: article, qty: 3 }] }
    return (await rest('POST /orders.json', { order }, demo)).order.id
  }
  const sql = async (text: string) => {
    const client = new pg.Client({ ...web.trust.database.connection })
    await client.connect()
    await client.query(text)
    await client.end()
  }
  const home = async () => {
    web.later(60)
    return (await askRaw(web.url, '/', { headers: { accept: 'text/html', 'accept-encoding': 'identity' } })).text
  }
  beforeAll(async () => {
    demo = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Demo', country: 'PT', isPaid: true }),
    )
    article = (await rest('POST /products.json', { product: { name: 'Cup', price: 12.5 } }, demo)).product.id
    await place('Pending Payment')
  })

  test('shows its last order on the home page, without its customer, only where the installation set it up', async () => {
    expect(await home()).toContain('Recorded events of one order')
    await sql("UPDATE store.store SET is_sample = true WHERE code = 'demo'")
    const text = await home()
    expect(text.replaceAll(/<[^>]+>/g, '').replaceAll('&quot;', '"')).toMatch(
      /Last order in Demo, .* UTC.*"status":"PENDING_PAYMENT","total":"37\.5"/s,
    )
    expect(text).not.toMatch(/ana@example|Recorded events/)
  })

  test.skipIf(hasNoBrowser)('sends its orders to an open home page as they arrive, but no carts', async () => {
    const { page, complaints } = await openPage(await sharedBrowser(), { baseURL: web.url })
    await page.goto('/')
    const box = page.locator('[data-orders]')
    await box.getByText('Live', { exact: true }).waitFor()
    await place('Abandoned')
    await place('Paid')
    await box.locator('[data-event]').nth(1).waitFor()
    expect(await box.locator('[data-event]').count()).toBe(2)
    expect(await box.locator('[data-event]').first().innerText()).toMatch(
      /^event: next\ndata: \{"data":\{"sampleOrderUpdated":\{"status":"PAID","total":"37\.5","updatedAt":"[^"]+"\}\}\}/,
    )
    expect(complaints).toEqual([])
    await page.close()
    await expect.poll(() => web.gateway.subscriptions()).toBe(0)
  })

  test.skipIf(hasNoBrowser)('sends them to a home page that was refused once, which tries again', async () => {
    const { page } = await openPage(await sharedBrowser(), { baseURL: web.url })
    let requests = 0
    await page.route('**/sample-orders', async (route) => {
      requests += 1
      await sql(`UPDATE store.store SET is_sample = ${requests > 1} WHERE code = 'demo'`)
      await route.continue()
    })
    await page.goto('/')
    await expect.poll(() => requests).toBe(2)
    await expect.poll(() => web.gateway.subscriptions()).toBe(1)
    await place('Paid')
    const shown = page.locator('[data-orders] [data-event]')
    await shown.first().waitFor()
    // The refusal is not shown.
    expect((await shown.allInnerTexts()).filter((text) => !text.includes('"status"'))).toEqual([])
    await page.close()
    await expect.poll(() => web.gateway.subscriptions()).toBe(0)
  })

  test.skipIf(hasNoBrowser)('counts failures from the last connection that worked', async () => {
    await sql("UPDATE store.store SET is_sample = true WHERE code = 'demo'")
    const streams: ServerResponse[] = []
    const proxy = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(':\n\n')
      streams.push(response)
    })
    await once(proxy.listen(0, '127.0.0.1'), 'listening')
    // A server that listens on a port has an address of this type.
    const { port } = proxy.address() as AddressInfo
    const { page } = await openPage(await sharedBrowser(), { baseURL: web.url })
    await page.clock.install()
    await page.route('**/sample-orders', (route) => route.continue({ url: `http://127.0.0.1:${port}/` }))
    await page.goto('/')
    const live = page.locator('[data-orders] [data-live]')
    // More often than there are pauses, each time after the first of them.
    for (let count = 1; count <= 6; count++) {
      await expect.poll(() => streams.length).toBe(count)
      await live.getByText('Live').waitFor()
      await page.clock.fastForward(20_000)
      streams.at(-1)?.destroy()
      await expect.poll(() => live.textContent()).toBe('')
      await page.clock.fastForward(2000)
    }
    await page.close()
    proxy.closeAllConnections()
    proxy.close()
  })

  test('sends its orders to anonymous visitors, also through proxies, while the page is open', async () => {
    const pages = Array.from({ length: 3 }, () => new AbortController())
    const responses = await Promise.all(
      pages.map(({ signal }) => {
        // None of it is passed on.
        const headers = { cookie: 'session=nonsense', authorization: 'Bearer nonsense', 'x-login-key': 'nonsense' }
        return fetch(`${web.url}/sample-orders`, { signal, headers })
      }),
    )
    const readers = responses.map(({ status, headers, body }) => {
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
      // Proxies neither store nor hold back what is sent, and no other site may read it.
      expect([headers.get('cache-control'), headers.get('x-accel-buffering')]).toEqual(['no-store', 'no'])
      expect([headers.get('set-cookie'), headers.get('access-control-allow-origin')]).toEqual([null, null])
      return body?.pipeThrough(new TextDecoderStream()).getReader()
    })
    await expect.poll(() => web.gateway.subscriptions()).toBe(3)
    await place('Paid')
    for (const reader of readers) {
      let text = ''
      while (!text.includes('"PAID"')) text += (await reader?.read())?.value ?? ''
      expect(text).toMatch(/^:\n\nevent: next\ndata: \{"data":\{"sampleOrderUpdated":\{"status":"PAID"/)
      expect(text).not.toContain('ana@example.org')
    }
    for (const page of pages) page.abort()
    await expect.poll(() => web.gateway.subscriptions()).toBe(0)
  })

  test('that got an owner shows none of them, and neither does any other shop', async () => {
    const subscribe = (store: string) => ({
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: `subscription { sampleOrderUpdated(store: ${JSON.stringify(store)}) { status } }` }),
    })
    const refused = async () => {
      for (const store of ['demo', corner.code, '\u0000', 'x'.repeat(5000)]) {
        const { text } = await askRaw(web.url, '/graphql', subscribe(store))
        expect([store.slice(0, 9), text]).toEqual([store.slice(0, 9), expect.stringContaining('"NOT_FOUND"')])
      }
      expect((await askRaw(web.url, '/sample-orders')).text).toMatch(
        /^:\n\nevent: next\ndata: .*"NOT_FOUND".*\n\nevent: complete/,
      )
      expect(await home()).toContain('Recorded events of one order')
    }
    const stream = await fetch(`${web.url}/graphql`, subscribe('demo'))
    let text = ''
    const parts = stream.body?.pipeThrough(new TextDecoderStream()).getReader()
    const read = async (): Promise<boolean> => {
      const { value, done } = (await parts?.read()) ?? { done: true }
      text += value ?? ''
      return !done
    }
    // A stream that is open already sends what comes, until there is an owner.
    while (!text.includes('"PAID"') && (await Promise.all([read(), place('Paid')]))[0]);
    const shown = text.match(/event: next/g)?.length
    await withStores(web.trust.database.connection, (stores) => stores.setOwner('demo', 'somebody'))
    await place('Paid')
    while (await read());
    expect(text.slice(text.lastIndexOf('event: next'))).toContain('"NOT_FOUND"')
    expect(shown).toBeGreaterThan(0)
    await refused()
    // Whoever buys there did so at a shop with an owner, who may be gone.
    await withStores(web.trust.database.connection, (stores) => stores.disown('somebody', null))
    await refused()
  })
})
