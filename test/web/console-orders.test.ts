import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import type { Reply } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Fields, fieldsOf, type Shop } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

let web: Awaited<ReturnType<typeof startWeb>>
let own: Shop
let cup: string
const { graph, aProduct, aVisitor, signedIn } = consoleAt(() => web.url)
beforeAll(async () => {
  web = await startWeb()
})
afterAll(() => web?.close())
beforeEach(async () => {
  own = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }),
  )
  cup = await aProduct(own, { name: 'Cup', price: '12.50', sku: 'CUP-1', stock: 50 })
})

const textOf = ({ text }: Reply) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

async function anOrder(input: object = {}) {
  const { made } = await graph(
    own,
    'mutation ($input: CreateOrderInput!) { made: createOrder(input: $input) { ... on CreateOrderSuccess { order { number } } } }',
    { input: { status: 'PAID', customer: { email: 'ana@example.org' }, lines: [{ productId: cup, quantity: 4 }], ...input } },
  )
  const number = String(made.order.number)
  const { visitor } = await signedIn(own)
  return { visitor, number, path: `/console/orders/${number}` }
}

const aLocation = () =>
  graph(
    own,
    'mutation { createLocation(input: { name: "Workshop", address: "Street 1", city: "Lisbon", country: "PT" }) { __typename } }',
    {},
  )

/** The order as the API has it. */
async function stored(number: string) {
  const { order } = await graph(
    own,
    'query ($number: ID!) { order(id: $number) { status refunded version fulfillmentStatus shipmentStatus trackingNumber additionalInformation refunds { amount lines { quantity } restocked reason } fulfillments { shipmentStatus trackingUrl } history(first: 50) { nodes { message } } lines { product { stock } } } }',
    { number },
  )
  return order
}

/** Sends a form of the page with some fields filled in. */
async function send(visitor: ReturnType<typeof aVisitor>, path: string, action: string, fields: Fields = {}) {
  const form = fieldsOf(await visitor.get(path), path + action)
  return visitor.post(path + action, { ...form, ...fields })
}

test('a pending order is marked as paid, once', async () => {
  const { visitor, number, path } = await anOrder({ status: 'PENDING_PAYMENT' })
  const form = fieldsOf(await visitor.get(path), `${path}/paid`)
  const fields = { ...form, paymentNotificationId: 'TRANSFER-7' }
  expect((await visitor.post(`${path}/paid`, fields)).headers.location).toBe(`${path}?done=paid`)
  expect((await visitor.post(`${path}/paid`, fields)).headers.location).toBe(`${path}?done=paid`)
  expect(await stored(number)).toMatchObject({ status: 'PAID' })
  const { text } = await visitor.get(`${path}?done=paid`)
  expect([text.includes('The order is paid.'), text.includes('TRANSFER-7'), text.includes('Mark as paid')]).toEqual([
    true,
    true,
    false,
  ])
})

test('an order is sent with its tracking, goes on to its customer, and can be taken back before', async () => {
  const { visitor, number, path } = await anOrder()
  expect(textOf(await visitor.get(path))).toContain('Goods are sent from a location. Add one in the settings')
  await aLocation()
  const misplaced = await send(visitor, path, '/shipments', { trackingCompany: 'CTT', trackingUrl: 'https://example.org/1' })
  expect([misplaced.status, misplaced.text]).toEqual([422, expect.stringContaining('id="shipments-trackingUrl-problem"')])
  const sent = await send(visitor, path, '/shipments', {
    trackingCompany: 'other',
    trackingNumber: 'PT-123',
    trackingUrl: 'https://example.org/PT-123',
  })
  expect(sent.headers.location).toBe(`${path}?done=sent`)
  expect(await stored(number)).toMatchObject({
    fulfillmentStatus: 'FULFILLED',
    trackingNumber: 'PT-123',
    fulfillments: [{ shipmentStatus: 'REQUESTED', trackingUrl: 'https://example.org/PT-123' }],
  })
  const shown = await visitor.get(path)
  const [, action = ''] = /action="[^"]*(\/shipments\/\d+)"/.exec(shown.text) ?? []
  expect((await send(visitor, path, action, { shipmentStatus: 'IN_TRANSIT' })).headers.location).toBe(`${path}?done=shipped`)
  expect(await stored(number)).toMatchObject({ shipmentStatus: 'IN_TRANSIT', trackingNumber: 'PT-123' })
  // From there it is not requested again.
  expect((await send(visitor, path, action, { shipmentStatus: 'REQUESTED' })).status).toBe(422)
  expect((await send(visitor, path, action, { shipmentStatus: 'constructor' })).status).toBe(422)

  const history = textOf(await visitor.get(path))
  expect(history).toContain('The shipment went from requested to in transit.')
  expect(history).not.toMatch(/UNFULFILLED|REQUESTED|IN_TRANSIT/)

  const other = await anOrder()
  await send(other.visitor, other.path, '/shipments')
  const [, again = ''] = /action="[^"]*(\/shipments\/\d+\/delete)"/.exec((await other.visitor.get(other.path)).text) ?? []
  expect((await send(other.visitor, other.path, again)).headers.location).toBe(`${other.path}?done=unsent`)
  expect(await stored(other.number)).toMatchObject({ fulfillmentStatus: 'UNFULFILLED', fulfillments: [] })
})

test('a parcel keeps the tracking link that its order had, whatever its carrier', async () => {
  await aLocation()
  const { visitor, number, path } = await anOrder()
  const link = 'https://carrier.example/PT-5'
  await graph(
    own,
    'mutation ($number: ID!, $link: String) { updateOrder(id: $number, input: { trackingCompany: "CTT", trackingUrl: $link }) { __typename } }',
    { number, link },
  )
  await graph(
    own,
    'mutation ($number: ID!, $location: ID!) { createFulfillment(input: { orderId: $number, type: MANUAL, locationId: $location }) { __typename } }',
    { number, location: String((await graph(own, '{ locations { number } }', {})).locations[0].number) },
  )
  const [, action = ''] = /action="[^"]*(\/shipments\/\d+)"/.exec((await visitor.get(path)).text) ?? []
  expect((await send(visitor, path, action, { shipmentStatus: 'IN_TRANSIT' })).headers.location).toBe(`${path}?done=shipped`)
  expect(await stored(number)).toMatchObject({ shipmentStatus: 'IN_TRANSIT', fulfillments: [{ trackingUrl: link }] })
  expect((await send(visitor, path, action, { trackingUrl: 'https://carrier.example/other' })).status).toBe(422)
})

test('each payment has a form of its own, and a request is made once', async () => {
  const { visitor, number, path } = await anOrder({ status: 'PENDING_PAYMENT' })
  const pay = (reference: string) =>
    web.trust.sql(
      `INSERT INTO store.payment (store_id, order_id, payment_method_id, currency, amount, authorized, status, reference, created_at, updated_at)
       SELECT store_id, id, 1, 'EUR', 50, 50, 'AUTHORIZED', $2, now(), now() FROM store."order" WHERE id = $1 ORDER BY store_id DESC LIMIT 1`,
      [number, reference],
    )
  await pay('first')
  await pay('second')
  const { text } = await visitor.get(path)
  const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  const [one = '', other = ''] = [...text.matchAll(/action="[^"]*(\/payments\/[\w-]+)"/g)].map(([, action]) => action)
  const refused = await send(visitor, path, other, { request: 'void', amount: 'all' })
  expect([refused.status, refused.text.match(/aria-invalid/g)?.length]).toEqual([422, 1])
  expect(refused.text).toContain(`id="${other.slice(1).replaceAll('/', '-')}-amount-problem"`)
  const fields = { ...fieldsOf(await visitor.get(path), path + one), request: 'void', amount: '20' }
  for (const _ of ['once', 'again'])
    expect((await visitor.post(path + one, fields)).headers.location).toBe(`${path}?done=requested`)
  const requests = await web.trust.sql(
    "SELECT kind, request.amount::float8 AS amount FROM store.payment_operation request JOIN store.payment ON payment.store_id = request.store_id AND payment.id = payment_id WHERE reference = 'first'",
  )
  expect(requests).toEqual([{ kind: 'VOID', amount: 20 }])
})

test('lines are refunded by units, once per form, and never more than were bought', async () => {
  const { visitor, number, path } = await anOrder()
  const form = fieldsOf(await visitor.get(path), `${path}/refund`)
  const [units = ''] = Object.keys(form).filter((name) => name.startsWith('units-'))
  const fields = { ...form, [units]: '1', reason: 'broken', restock: 'yes' }
  expect((await visitor.post(`${path}/refund`, fields)).headers.location).toBe(`${path}?done=refunded`)
  await visitor.post(`${path}/refund`, fields)
  expect(await stored(number)).toMatchObject({
    refunded: '12.5',
    refunds: [{ amount: '12.5', lines: [{ quantity: 1 }], restocked: true, reason: 'broken' }],
    lines: [{ product: { stock: 47 } }],
  })
  expect((await visitor.get(path)).text).toContain('At most 3.')
  const tooMany = await send(visitor, path, '/refund', { [units]: '4' })
  expect([tooMany.status, tooMany.text]).toEqual([422, expect.stringContaining('role="alert"')])
  expect((await send(visitor, path, '/refund', { [units]: 'x' })).text).toContain(`id="refund-${units}-problem"`)
  expect((await send(visitor, path, '/refund', { amount: '1000' })).text).toContain('id="refund-amount-problem"')
  expect(await stored(number)).toMatchObject({ refunded: '12.5' })
})

test('an order is canceled with a reason, a note is saved, and the history says what happened', async () => {
  const { visitor, number, path } = await anOrder()
  expect((await send(visitor, path, '/note', { additionalInformation: 'Wrap it.\r\nPlease.' })).status).toBe(303)
  expect((await send(visitor, path, '/history', { message: `Called. ${HOSTILE}` })).headers.location).toBe(`${path}?done=entered`)
  expect((await send(visitor, path, '/history', { message: ' ' })).text).toContain('id="history-message-problem"')
  expect((await send(visitor, path, '/cancel', { reason: 'changed their mind' })).headers.location).toBe(`${path}?done=canceled`)
  const order = await stored(number)
  expect(order).toMatchObject({
    status: 'CANCELED',
    additionalInformation: 'Wrap it.\nPlease.',
    lines: [{ product: { stock: 50 } }],
  })
  const { text } = await visitor.get(path)
  expect(text).toContain('Called. &lt;/script&gt;')
  expect(text).not.toContain('<script>window.ran')
  expect([text.includes('Cancel the order'), text.includes('changed their mind')]).toEqual([false, true])
})

test('units come back: a return is added, received and refunded, each once', async () => {
  await aLocation()
  const { visitor, number, path } = await anOrder()
  expect((await visitor.get(path)).text).not.toContain('Add a return')
  await send(visitor, path, '/shipments')
  const form = fieldsOf(await visitor.get(path), `${path}/returns`)
  const [units = ''] = Object.keys(form).filter((name) => name.startsWith('units-'))
  expect((await send(visitor, path, '/returns', { [units]: '9' })).status).toBe(422)
  const fields = { ...form, [units]: '2', reason: 'size', note: HOSTILE }
  for (const _ of ['once', 'again'])
    expect((await visitor.post(`${path}/returns`, fields)).headers.location).toBe(`${path}?done=returned`)
  const returned = async () =>
    (
      await graph(
        own,
        'query ($number: ID!) { order(id: $number) { refunded returns { number status note lines { quantity received restock reason } } lines { product { stock } } } }',
        { number },
      )
    ).order
  const [found, ...others] = (await returned()).returns
  expect([found, others]).toMatchObject([{ status: 'APPROVED', note: HOSTILE, lines: [{ quantity: 2, reason: 'SIZE' }] }, []])
  const list = await visitor.get('/console/returns?status=approved')
  expect(list.text).toContain(`<a href="${path}#returns">${found.number}, of order ${number}</a>`)
  expect((await visitor.get('/console/returns?status=open')).text).toContain('No returns found.')
  const at = `/returns/${found.number}`
  const restock = units.replace('units', 'restock')
  expect((await send(visitor, path, `${at}/receive`, { [units]: '1', [restock]: 'burn' })).status).toBe(422)
  expect((await send(visitor, path, `${at}/receive`, { [units]: '1' })).headers.location).toBe(`${path}?done=returned`)
  expect(await returned()).toMatchObject({
    returns: [{ status: 'RECEIVED', lines: [{ received: 1, restock: 'RESTOCK' }] }],
    lines: [{ product: { stock: 47 } }],
  })
  expect((await visitor.get('/console')).text).toContain('aria-label="1 returns to decide or refund"')
  const refund = fieldsOf(await visitor.get(path), `${path}${at}/refund`)
  for (const _ of ['once', 'again']) await visitor.post(`${path}${at}/refund`, refund)
  expect(await returned()).toMatchObject({ refunded: '12.5', returns: [{ status: 'CLOSED' }] })
  expect((await visitor.get(path)).text).not.toContain('<script>window.ran')

  await send(visitor, path, '/returns', { [units]: '1' })
  const [, second] = (await returned()).returns
  expect((await send(visitor, path, `/returns/${second.number}/move`, { move: 'toString' })).status).toBe(422)
  // Only who requested one is answered.
  expect((await send(visitor, path, `/returns/${second.number}/move`, { move: 'decline' })).status).toBe(422)
  expect((await send(visitor, path, `/returns/${second.number}/move`, { move: 'cancel', reason: 'kept' })).status).toBe(303)
  expect((await returned()).returns[1]).toMatchObject({ status: 'CANCELED' })
  const history = textOf(await visitor.get(path))
  expect(history).toContain(`Return ${found.number} went from approved to received, by merchant`)
  expect(history).not.toMatch(/APPROVED|RECEIVED|CLOSED|CANCELED/)
})

test('a change in between is not overwritten', async () => {
  const { visitor, number, path } = await anOrder()
  const forms = Object.fromEntries(
    await Promise.all(
      ['/note', '/cancel', '/refund'].map(async (action) => [action, fieldsOf(await visitor.get(path), path + action)]),
    ),
  )
  await graph(own, 'mutation ($id: ID!) { updateOrder(id: $id, input: { additionalInformation: "Theirs" }) { __typename } }', {
    id: number,
  })
  for (const [action, fields] of Object.entries(forms)) {
    const reply = await visitor.post(path + action, { ...(fields as Fields), additionalInformation: 'Ours' })
    expect([action, reply.status, textOf(reply)]).toEqual([action, 422, expect.stringContaining('Not saved')])
  }
  expect(await stored(number)).toMatchObject({ status: 'PAID', additionalInformation: 'Theirs', refunds: [] })
})

test('orders of other stores, and forms of other visits, change nothing', async () => {
  const { visitor, number, path } = await anOrder()
  const other = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Another shop', country: 'PT', isPaid: true }),
  )
  const { visitor: neighbour } = await signedIn(other)
  await neighbour.get('/console/products/new')
  for (const action of ['/paid', '/refund', '/cancel', '/note', '/history', '/shipments']) {
    const fields = { ...fieldsOf(await visitor.get(path), path + action), message: 'x', locationId: '1', version: '1' }
    expect([action, (await visitor.post(path + action, { ...fields, token: 'x'.repeat(24) })).status]).toEqual([action, 403])
    expect([action, (await neighbour.post(path + action, fields)).status]).toEqual([action, 404])
  }
  expect(await stored(number)).toMatchObject({ status: 'PAID', version: 1 })
})

test('searching orders stays within their delivery', async () => {
  const { visitor, number } = await anOrder()
  await anOrder({ status: 'PENDING_PAYMENT' })
  const list = await visitor.get('/console/orders?status=paid&delivery=unfulfilled')
  expect(fieldsOf(list, '/console/orders')).toMatchObject({ status: 'paid', delivery: 'unfulfilled' })
  const { text } = await visitor.get('/console/orders?q=cup&status=paid&delivery=unfulfilled')
  expect([...text.matchAll(/<th scope="row"><a [^>]*>(\d+)</g)].map(([, each]) => each)).toEqual([number])
  expect((await visitor.get('/console/orders?q=cup&delivery=fulfilled')).text).toContain('No orders found.')
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('an order is sent without a script, and its page fits and is accessible', async () => {
    await aLocation()
    const { number, path } = await anOrder()
    const pending = await anOrder({ status: 'PENDING_PAYMENT' })
    const { page, complaints } = await openPage(browser, { javaScriptEnabled: false, baseURL: web.url })
    await page.goto('/console')
    await page.fill('#login', own.login)
    await page.fill('#authtoken', own.authtoken)
    await page.click('.sign-in button')
    await page.goto(path)
    await page.fill('#shipments-trackingNumber', 'PT-9')
    await page.click('text="Mark as sent"')
    expect(await page.textContent('[role="status"]')).toContain('The order is marked as sent.')
    expect(await stored(number)).toMatchObject({ trackingNumber: 'PT-9', fulfillmentStatus: 'FULFILLED' })
    await page.getByText('Add a return').click()
    await page.getByLabel('Cup').last().fill('1')
    await page.getByRole('button', { name: 'Add the return' }).click()
    expect(await page.textContent('[role="status"]')).toContain('The return was saved.')
    const cookies = await page.context().cookies()
    await page.close()
    const scripted = await openPage(browser, { baseURL: web.url })
    await scripted.page.context().addCookies(cookies)
    await scripted.page.goto('/console')
    await scripted.page.locator('[aria-label="0 paid orders to send"]').waitFor()
    await anOrder()
    // Without a reload.
    await scripted.page.locator('[aria-label="1 paid orders to send"]').waitFor()
    for (const [name, address] of [
      ['console-order-sent', path],
      ['console-order-pending', pending.path],
      ['console-returns', '/console/returns'],
      ['console-orders-filtered', '/console/orders?status=paid&delivery=fulfilled'],
    ] as const) {
      await scripted.page.goto(address)
      await scripted.page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
      await look(scripted.page, name)
    }
    await scripted.page.setViewportSize({ width: 390, height: 800 })
    await scripted.page.goto('/console/orders')
    const [row] = await scripted.page.locator('tbody tr').all()
    const total = await row?.locator('.number').boundingBox()
    expect((total?.x ?? 390) + (total?.width ?? 0), 'pixels from the left to the end of the total').toBeLessThanOrEqual(390)
    const date = await row?.locator('time').boundingBox()
    await scripted.page.mouse.click((date?.x ?? 0) + 2, (date?.y ?? 0) + 2)
    await scripted.page.waitForURL(/\/console\/orders\/\d+$/)
    expect([...complaints, ...scripted.complaints]).toEqual([])
    await scripted.page.close()
  }, 120_000)
})
