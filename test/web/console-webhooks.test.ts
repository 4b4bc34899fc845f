import { createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import type { Reply } from '../rest-facade/ask.ts'
import { type HttpServer, startHttpServer } from '../support/http-server.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Shop } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

type Received = { readonly headers: IncomingHttpHeaders; readonly body: string }

let web: Awaited<ReturnType<typeof startWeb>>
let receiver: HttpServer
let own: Shop
const { graph, aProduct, signedIn } = consoleAt(() => web.url)
const received: Received[] = []
let status = 200

beforeAll(async () => {
  web = await startWeb()
  receiver = await startHttpServer({
    '*': (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        response.writeHead(status).end(status === 200 ? 'thanks' : `<b>not now</b>${HOSTILE}`)
      })
    },
  })
})
afterAll(async () => {
  await web?.close()
  await receiver?.close()
})
beforeEach(async () => {
  own = await aStore('Corner shop')
  status = 200
  received.length = 0
})

const aStore = (name: string): Promise<Shop> =>
  withStores(web.trust.database.connection, (stores) => stores.create({ name, country: 'PT', isPaid: true }))
const address = (path = '/told') => `${receiver.url}${path}`
const textOf = ({ text }: Reply) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

/** An owner who has one webhook for new products. */
async function withWebhook() {
  const { visitor } = await signedIn(own)
  await visitor.get('/console/webhooks')
  const { status: code, headers } = await visitor.post('/console/webhooks', {
    event: 'PRODUCT_CREATED',
    url: address(),
    name: 'Stock',
  })
  const path = headers.location?.split('?')[0] ?? ''
  expect([code, path]).toEqual([303, expect.stringMatching(/^\/console\/webhooks\/\d+$/)])
  return { visitor, path }
}

/** The page of a webhook as soon as it holds this. */
async function shows(visitor: Awaited<ReturnType<typeof signedIn>>['visitor'], path: string, words: RegExp): Promise<Reply> {
  let reply = await visitor.get(path)
  await expect
    .poll(
      async () => {
        reply = await visitor.get(path)
        return textOf(reply)
      },
      { timeout: 15_000 },
    )
    .toMatch(words)
  return reply
}

test('a webhook is created, listed, sent events, tested, paused, resumed and deleted, each by a form', async () => {
  const { visitor, path } = await withWebhook()
  expect(textOf(await visitor.get(`${path}?done=created`))).toContain('The webhook was created')
  expect(textOf(await visitor.get('/console/webhooks'))).toMatch(/Product created Stock http:\/\/127\.0\.0\.1:\d+\/told active/)

  await aProduct(own, { name: 'Cup', price: '1' })
  const delivered = await shows(visitor, path, /1 delivery,.*delivered/)
  expect(textOf(delivered)).toMatch(/Product \d+ .* 200 thanks/)
  expect(delivered.text).toContain('&quot;name&quot;:&quot;Cup&quot;')

  expect((await visitor.post(`${path}/test`, {})).headers.location).toBe(`${path}?done=tested`)
  await shows(visitor, path, /2 deliveries,.*delivered.*delivered.*/)
  expect(received.map(({ headers }) => headers['atrium-test'])).toEqual([undefined, 'true'])

  expect((await visitor.post(`${path}/pause`, {})).headers.location).toBe(`${path}?done=paused`)
  expect(textOf(await visitor.get(path))).toMatch(/State paused/)
  await aProduct(own, { name: 'Plate', price: '1' })
  await shows(visitor, path, /3 deliveries,.*waiting/)
  expect((await visitor.post(`${path}/resume`, {})).headers.location).toBe(`${path}?done=resumed`)
  await shows(visitor, `${path}?status=delivered`, /3 deliveries,/)

  expect((await visitor.post(`${path}/delete`, {})).headers.location).toBe('/console/webhooks?done=deleted')
  expect(textOf(await visitor.get('/console/webhooks?done=deleted'))).toMatch(/was deleted.*No webhooks yet/)
  expect((await visitor.get(path)).status).toBe(404)
})

test('a failure is shown with the response of the receiver, and can be sent again with the same bytes', async () => {
  const { visitor, path } = await withWebhook()
  status = 503
  await visitor.post(`${path}/test`, {})
  const failed = await shows(visitor, `${path}?status=failed`, /1 delivery,.*failed/)
  expect(textOf(failed)).toContain('not now')
  expect(failed.text).not.toContain('<script>window.ran')
  const [, delivery = ''] = /name="delivery" value="([^"]+)"/.exec(failed.text) ?? []
  status = 200
  expect((await visitor.post(`${path}/replay`, { delivery })).headers.location).toBe(`${path}?done=replayed`)
  const again = await shows(visitor, path, /1 delivery,.*delivered/)
  expect([...again.text.matchAll(/<tr><th scope="row">\d/g)]).toHaveLength(2)
  const [first, second] = received
  expect([second?.body, second?.headers['atrium-delivery-id']]).toEqual([first?.body, first?.headers['atrium-delivery-id']])
})

test('another secret signs from now on, and the old one beside it for as long as was chosen', async () => {
  const { visitor, path } = await withWebhook()
  const secretIn = ({ text }: Reply) => /<summary>Show the secret<\/summary><p><code>([^<]+)</.exec(text)?.[1] ?? ''
  const old = secretIn(await visitor.get('/console/webhooks'))
  expect((await visitor.post('/console/webhooks/secret', { overlap: '24' })).headers.location).toBe(
    '/console/webhooks?done=rotated',
  )
  const page = await visitor.get('/console/webhooks?done=rotated')
  const fresh = secretIn(page)
  expect(textOf(page)).toMatch(/The secret was rotated.*The previous secret also signs until/)
  expect([fresh.length, fresh === old]).toEqual([old.length, false])
  await visitor.post(`${path}/test`, {})
  await shows(visitor, path, /1 delivery,.*delivered/)
  const [{ headers, body } = { headers: {}, body: '' }] = received
  const signed = (secret: string) => createHmac('sha256', secret).update(body).digest('base64')
  expect(headers).toMatchObject({ 'jumpseller-hmac-sha256': signed(fresh), 'atrium-previous-hmac-sha256': signed(old) })
  await visitor.post('/console/webhooks/secret', { overlap: '0' })
  expect(textOf(await visitor.get('/console/webhooks'))).not.toContain('The previous secret')
})

test.each([
  ['an address that is private', { url: 'http://10.0.0.1/hook' }, /at a public address/],
  ['an address with a user', { url: 'https://me:secret@shop.example/' }, /without a user/],
  ['no address', { url: '' }, /an http or https URL/],
  ['markup', { url: HOSTILE, name: HOSTILE }, /an http or https URL/],
  ['a long address', { url: `https://shop.example/${'x'.repeat(2_100)}` }, /at most 2000/],
  ['a long name', { name: 'x'.repeat(101) }, /Expected &quot;name&quot; to be 1 to 100/],
  ['an event that does not exist', { event: '__proto__' }, /Choose an event/],
  ['nothing', { event: '', url: '', name: '' }, /Choose an event/],
])('%s is refused with the form as it was typed, and creates nothing', async (_, fields, problem) => {
  const { visitor } = await signedIn(own)
  await visitor.get('/console/webhooks')
  const reply = await visitor.post('/console/webhooks', {
    event: 'ORDER_PAID',
    url: 'https://shop.example/hook',
    name: 'Mine',
    ...fields,
  })
  expect(reply.status).toBe(422)
  expect(textOf(reply)).toMatch(problem)
  expect(textOf(reply)).not.toContain('me:secret')
  expect(textOf(reply)).toContain('No webhooks yet.')
  expect(reply.text).not.toContain('<script>window.ran')
  if (!('name' in fields)) expect(reply.text).toContain('name="name" value="Mine"')
})

test('events of returns are offered, and named in words', async () => {
  const { visitor } = await signedIn(own)
  const { text } = await visitor.get('/console/webhooks')
  const offered = [...text.matchAll(/<option value="([A-Z_]+)"[^>]*>([^<]+)</g)].map(([, event = '', label]) => [event, label])
  const { events } = await graph(own, '{ events: __type(name: "WebhookEvent") { enumValues { name } } }', {})
  expect(offered.map(([event]) => event).sort()).toEqual(events.enumValues.map(({ name }: { name: string }) => name).sort())
  expect(offered.filter(([event, label]) => event === label)).toEqual([])
  const { headers } = await visitor.post('/console/webhooks', { event: 'ORDER_RETURN_REQUESTED', url: address() })
  expect((await visitor.get(headers.location ?? '')).text).toContain('<h1>Return requested by a customer</h1>')
  for (const event of ['toString', 'ORDER_EATEN'])
    expect((await visitor.post('/console/webhooks', { event, url: address() })).status).toBe(422)
})

test('the same webhook is not created twice', async () => {
  const { visitor } = await withWebhook()
  const reply = await visitor.post('/console/webhooks', { event: 'PRODUCT_CREATED', url: address() })
  expect([reply.status, textOf(reply)]).toEqual([422, expect.stringContaining('that no other webhook has')])
})

test('nothing of another store can be seen or changed, and no form from elsewhere changes anything', async () => {
  const { visitor, path } = await withWebhook()
  await visitor.post(`${path}/test`, {})
  const page = await shows(visitor, path, /1 delivery,.*delivered/)
  const [, delivery = ''] = /name="delivery" value="([^"]+)"/.exec(page.text) ?? []
  const { visitor: neighbour } = await signedIn(await aStore('Neighbour'))
  await neighbour.get('/console')
  expect((await neighbour.get(path)).status).toBe(404)
  for (const word of ['pause', 'resume', 'test', 'delete', 'replay'])
    expect([word, (await neighbour.post(`${path}/${word}`, { delivery })).status]).toEqual([word, 404])
  for (const word of ['', '/secret']) {
    const strange = await visitor.post(`/console/webhooks${word}`, {
      token: 'x'.repeat(24),
      overlap: '0',
      event: 'ORDER_PAID',
      url: address('/b'),
    })
    expect(strange.status).toBe(403)
  }
  expect((await visitor.post(`${path}/delete`, { token: '' })).status).toBe(403)
  const { webhookSubscriptions: left } = await graph(own, '{ webhookSubscriptions { totalCount nodes { pausedAt } } }', {})
  expect(left).toEqual({ totalCount: 1, nodes: [{ pausedAt: null }] })
  expect(received).toHaveLength(1)
})

test.each(['0', '01', '999999', 'x', '%00', '1%27', '99999999999', "'%20OR%201=1"])(
  '/console/webhooks/%s is nothing',
  async (number) => {
    const { visitor } = await signedIn(own)
    await visitor.get('/console')
    expect((await visitor.get(`/console/webhooks/${number}`)).status).toBe(404)
    expect((await visitor.post(`/console/webhooks/${number}/pause`, {})).status).toBe(404)
  },
)

test.each(['status=nonsense', 'after=nonsense', 'done=nonsense'])('a page of a webhook refuses ?%s', async (query) => {
  const { visitor, path } = await withWebhook()
  expect((await visitor.get(`${path}?${query}`)).status).toBe(400)
})

test('the overview shows which addresses use the rate limits of this store, and of no other', async () => {
  const headers = { authorization: `Basic ${Buffer.from(`${own.login}:${own.authtoken}`).toString('base64')}` }
  for (let n = 0; n < 3; n += 1) expect((await fetch(`${web.url}/v1/store/languages.json`, { headers })).status).toBe(200)
  const { visitor } = await signedIn(own)
  expect(textOf(await visitor.get('/console'))).toMatch(/Used in this minute Address Requests 127\.0\.0\.1 3 of 800/)
  const { visitor: neighbour } = await signedIn(await aStore('Neighbour'))
  expect(textOf(await neighbour.get('/console'))).toContain('No requests yet.')
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('an owner sets up a webhook, tries it, mends it and deletes it, without JavaScript and in every look', async () => {
    const { page, complaints } = await openPage(browser, { javaScriptEnabled: false })
    await page.goto(`${web.url}/console`)
    await page.getByLabel('Login').fill(own.login)
    await page.getByLabel('Authtoken').fill(own.authtoken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Webhooks' }).click()
    await page.getByLabel('Event').selectOption('Product created')
    await page.getByLabel('URL', { exact: true }).fill(address('/broken'))
    status = 503
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('status').filter({ hasText: 'The webhook was created' }).waitFor()
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByRole('status').filter({ hasText: 'The test delivery is scheduled' }).waitFor()
    const failed = page.locator('summary', { hasText: 'failed' })
    while ((await failed.count()) === 0) await page.goto(page.url().split('?')[0] ?? '')
    await failed.click()
    await page.getByRole('cell', { name: '503' }).waitFor()
    status = 200
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('status').filter({ hasText: 'The delivery is scheduled again' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('The webhook is paused').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('The webhook was resumed').waitFor()
    await page.locator('summary', { hasText: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete this webhook' }).click()
    await page.getByText('The webhook was deleted').waitFor()
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the result of a delivery appears by itself, and what was opened stays open', async () => {
    const { path } = await withWebhook()
    const { page, complaints } = await openPage(browser)
    await page.goto(`${web.url}/console`)
    await page.getByLabel('Login').fill(own.login)
    await page.getByLabel('Authtoken').fill(own.authtoken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.goto(web.url + path)
    await page.evaluate('window.isSamePage = true')
    await aProduct(own, { name: 'Cup', price: '1' })
    await page.locator('summary', { hasText: 'delivered' }).first().click()
    // A click focuses: nothing is renewed under it.
    await page.evaluate('document.activeElement.blur()')
    await aProduct(own, { name: 'Bowl', price: '1' })
    await page.getByText('2 deliveries').waitFor()
    expect(await page.evaluate('[...document.querySelectorAll("details.delivery")].map(({ open }) => open)')).toEqual([
      false,
      true,
    ])
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('every page of webhooks is accessible and fits', async () => {
    const { path, visitor } = await withWebhook()
    status = 503
    await visitor.post(`${path}/test`, {})
    await shows(visitor, path, /1 delivery,.*failed/)
    status = 200
    for (const name of ['Cup', HOSTILE]) await aProduct(own, { name, price: '1' })
    await shows(visitor, path, /3 deliveries,.*delivered.*delivered/)
    await visitor.post(`${path}/pause`, {})
    await aProduct(own, { name: 'Plate', price: '1' })
    await visitor.post('/console/webhooks', { event: 'ORDER_PAID', url: `https://shop.example/${'long'.repeat(40)}` })
    await visitor.post('/console/webhooks/secret', { overlap: '168' })

    const { page, complaints } = await openPage(browser)
    await page.goto(`${web.url}/console`)
    await page.getByLabel('Login').fill(own.login)
    await page.getByLabel('Authtoken').fill(own.authtoken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.goto(`${web.url}/console/webhooks`)
    await page.getByText('Show the secret').click()
    await look(page, 'console-webhooks')
    await page.getByLabel('URL', { exact: true }).fill('https://me:secret@shop.example/')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('alert').waitFor()
    await look(page, 'console-webhooks-refused')
    await page.goto(`${web.url}${path}?done=paused`)
    await look(page, 'console-webhook')
    for (const summary of await page.locator('.delivery > summary, .confirm > summary').all()) await summary.click()
    await look(page, 'console-webhook-open')
    await page.goto(`${web.url}/console/webhooks/999999`)
    await look(page, 'console-nothing')
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(complaints.filter((each) => !/status of (404|422)/.test(each))).toEqual([])
    await page.close()
  })
})
