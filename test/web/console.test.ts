import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createHttpServer } from '../../platform/http/server.ts'
import { parseProxies } from '../../platform/http/trusted-proxies.ts'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { sealOf } from '../../web/frame/seal.ts'
import { startSite } from '../../web/serve.ts'
import { recordingLog } from '../gateway/support/graph.ts'
import { askRaw, type Reply } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Fields, type Shop, setCookies } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let web: Awaited<ReturnType<typeof startWeb>>
const { graph, aProduct, aVisitor, signedIn } = consoleAt(() => web.url)
let corner: Shop
let other: Shop
beforeAll(async () => {
  web = await startWeb()
  const { connection } = web.trust.database
  const create = (name: string) => withStores(connection, (stores) => stores.create({ name, country: 'PT', isPaid: true }))
  corner = await create('Corner shop')
  other = await create('Another shop')
  const cup = await aProduct(corner, { name: 'Cup', price: '12.50', sku: 'CUP-1' })
  await graph(corner, 'mutation ($input: CreateProductImageInput!) { createProductImage(input: $input) { __typename } }', {
    input: { productId: cup, url: PICTURE },
  })
  await aProduct(corner, { name: 'Hidden bowl', price: '3', status: 'DISABLED' })
  await aProduct(corner, { name: HOSTILE, price: '0.0001' })
  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      aProduct(corner, { name: `Plate number ${n}`, price: String(n), stockUnlimited: n % 2 === 0 }),
    ),
  )
  for (const status of ['PAID', 'PENDING_PAYMENT']) await anOrder(corner, { status, lines: [{ productId: cup, quantity: 2 }] })
  await aProduct(other, { name: 'Secret of another shop', price: '1', status: 'NOT_AVAILABLE' })
})
afterAll(() => web?.close())

async function anOrder(shop: Shop, input: object): Promise<void> {
  const { made } = await graph(shop, 'mutation ($input: CreateOrderInput!) { made: createOrder(input: $input) { __typename } }', {
    input,
  })
  expect(made.__typename).toBe('CreateOrderSuccess')
}

/** The same site once more, where 127.0.0.1 is a reverse proxy. */
async function behindProxy() {
  const { client } = web.gateway
  const site = await startSite(client, { publicUrl: 'http://atrium.example', hasExplorer: false, hasSchema: false })
  const app = createHttpServer({ log: recordingLog().log, isProxy: parseProxies(['127.0.0.1']) })
  await site.serve(app)
  return { url: await app.listen({ port: 0, host: '127.0.0.1' }), close: () => app.close() }
}

describe('a shop page', () => {
  test.each(['/shops/nothing', '/shops/%00', "/shops/'%20OR%201=1"])('%s is no shop', async (path) => {
    expect((await askRaw(web.url, path, { headers: { accept: 'text/html' } })).status).toBe(404)
  })

  test('is in the sitemap if it sells something', async () => {
    const empty = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Nothing to sell', country: 'PT', isPaid: true }),
    )
    const { text: index } = await askRaw(web.url, '/sitemap.xml')
    expect(index).toContain(`<loc>${web.url}/sitemap/shops/1.xml</loc>`)
    const { text } = await askRaw(web.url, '/sitemap/shops/1.xml')
    const listed = [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, url = '']) => url)
    expect(listed).toContain(`${web.url}/shops/${corner.code}`)
    expect(listed).not.toContain(`${web.url}/shops/${empty.code}`)
    for (const url of listed) expect([url, (await fetch(url)).status]).toEqual([url, 200])
    expect((await askRaw(web.url, '/sitemap/shops/2.xml')).status).toBe(404)
  })

  test('is where the graph says, and so is the console', async () => {
    const { store } = await graph(corner, '{ store { url } }', {})
    expect((await fetch(store.url)).status).toBe(200)
    expect((await fetch(`${web.url}/console`)).status).toBe(200)
  })
})

describe('signing in to the console', () => {
  test('opens the store of the credentials, by a cookie that only our own pages send and no script reads', async () => {
    const { visitor, reply } = await signedIn(corner)
    const [cookie = ''] = setCookies(reply)
    expect(cookie).toMatch(/^console=[\w-]+; Path=\/; Max-Age=28800; HttpOnly; SameSite=Strict$/)
    const opened = Buffer.from(visitor.cookies.get('console') ?? '', 'base64url').toString('latin1')
    expect(opened + cookie).not.toContain(corner.authtoken)
    const { text, headers } = await visitor.get('/console')
    expect(text).toContain('<h1>Corner shop</h1>')
    expect(text).toMatch(/63 products<\/a>, 62 on sale/)
    expect(text).not.toContain(corner.authtoken)
    expect(headers['cache-control']).toBe('no-store')
  })

  test('where we are reached by https, the cookie belongs to this host and to https', async () => {
    const site = await startSite(web.gateway.client, {
      publicUrl: 'https://atrium.example',
      hasExplorer: false,
      hasSchema: false,
    })
    const app = createHttpServer({ log: recordingLog().log })
    await site.serve(app)
    const form = await app.inject({ url: '/console' })
    const [visit] = form.cookies
    expect(visit).toMatchObject({ name: '__Host-console-visit', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' })
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(form.body) ?? []
    const { statusCode, cookies } = await app.inject({
      method: 'POST',
      url: '/console/sign-in',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: `__Host-console-visit=${visit?.value}` },
      payload: new URLSearchParams({ token, login: corner.login, authtoken: corner.authtoken }).toString(),
    })
    expect(statusCode).toBe(303)
    expect(cookies[0]).toMatchObject({ name: '__Host-console', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' })
    await app.close()
  })

  test('behind a proxy, X-Forwarded-Proto is trusted from it only', async () => {
    const behind = await behindProxy()
    const said = { 'x-forwarded-proto': 'https' }
    const [cookie = ''] = setCookies(await askRaw(behind.url, '/console', { headers: said }))
    expect(cookie).toMatch(/^__Host-console-visit=.*; Secure$/)
    const [plain = ''] = setCookies(await askRaw(behind.url, '/console', { headers: said, localAddress: '127.0.0.2' }))
    expect(plain).toMatch(/^console-visit=.*; SameSite=Strict$/)
    await behind.close()
  })

  test.each<[string, Fields]>([
    ['a wrong authtoken', { authtoken: 'x'.repeat(32) }],
    ['the authtoken of another store', {}],
    ['nothing', { login: '', authtoken: '' }],
    ['markup', { login: HOSTILE, authtoken: HOSTILE }],
    ['no character at all', { login: '\0', authtoken: '\0' }],
  ])('with %s is refused, without a cookie', async (_, fields) => {
    const visitor = aVisitor()
    await visitor.get('/console')
    const reply = await visitor.post('/console/sign-in', { login: corner.login, authtoken: other.authtoken, ...fields })
    expect([reply.status, setCookies(reply)]).toEqual([401, []])
    expect(reply.text).toContain('The login or the authtoken is wrong')
    expect(reply.text).not.toContain('<script>window.ran')
    expect(reply.text).not.toContain(other.authtoken)
    expect((await visitor.get('/console/products')).headers.location).toBe('/console')
  })

  test('is refused to a form that is not of this visit', async () => {
    const visitor = aVisitor()
    const { login, authtoken } = corner
    expect((await visitor.post('/console/sign-in', { login, authtoken })).status).toBe(403)
    await visitor.get('/console')
    expect((await visitor.post('/console/sign-in', { login, authtoken, token: 'x'.repeat(24) })).status).toBe(403)
    expect(visitor.cookies.has('console')).toBe(false)
  })

  test.each([
    ['no form', 'application/json', '{}', 415],
    ['a long form', 'application/x-www-form-urlencoded', `login=${'x'.repeat(10_000)}`, 413],
  ])('%s is refused with a page', async (_, type, body, status) => {
    const reply = await askRaw(web.url, '/console/sign-in', { method: 'POST', headers: { 'content-type': type }, body })
    expect([reply.status, reply.text.includes('<h1>Invalid form</h1>')]).toEqual([status, true])
  })
})

describe('a session', () => {
  test('shows its own store only, whatever the parameters', async () => {
    const { visitor } = await signedIn(corner)
    for (const path of ['/console', '/console/products', '/console/products?q=secret', '/console/access']) {
      const { status, text } = await visitor.get(path)
      expect([path, status, text.includes('Secret of another shop') || text.includes('Another shop')]).toEqual([path, 200, false])
    }
    const { visitor: neighbour } = await signedIn(other)
    expect((await neighbour.get('/console/products')).text).toContain('Secret of another shop')
  })

  test('lists products by words, status and pages', async () => {
    const { visitor } = await signedIn(corner)
    const rows = ({ text }: Reply) => [...text.matchAll(/<th scope="row"><a [^>]*>(.*?)<\/a><\/th>/g)].map(([, name]) => name)
    expect(rows(await visitor.get('/console/products?q=cup-1'))).toEqual(['Cup'])
    expect(rows(await visitor.get('/console/products?q=&status=hidden'))).toEqual(['Hidden bowl'])
    const first = await visitor.get('/console/products?status=on-sale')
    const next = /<a href="([^"]+)" rel="next">/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await visitor.get(next)
    expect([rows(first).length, rows(second).length]).toEqual([50, 12])
    expect((await visitor.get('/console/products?q=zzzzz')).text).toContain('No products found.')
  })

  test('lists orders by words and status', async () => {
    const { visitor } = await signedIn(corner)
    const count = ({ text }: Reply) => [...text.matchAll(/<th scope="row">/g)].length
    const all = await visitor.get('/console/orders')
    expect([count(all), all.text.includes('€25.00')]).toEqual([2, true])
    expect(count(await visitor.get('/console/orders?status=paid&q='))).toBe(1)
    expect((await visitor.get('/console/orders?status=cart')).text).toContain('No orders found.')
    expect(count(await visitor.get('/console/orders?q=cup'))).toBe(2)
    const { visitor: neighbour } = await signedIn(other)
    expect((await neighbour.get('/console/orders')).text).toContain('No orders yet.')
  })

  test('the overview shows sales and what waits, each number with a link to as many rows', async () => {
    const { visitor } = await signedIn(corner)
    const { text } = await visitor.get('/console')
    expect(text).toContain('<dt>today, 1 paid order of 2</dt><dd>€25.00</dd>')
    expect([...text.matchAll(/<rect [^>]*><title>/g)]).toHaveLength(30)
    expect(text).toMatch(/aria-label="Gross sales by day: at most €25\.00, on /)
    const links = [...text.matchAll(/<a href="([^"]+)" aria-label="(\d+) ([^"]+)">/g)].map(([, href = '', count, label]) => ({
      href: href.replaceAll('&amp;', '&'),
      count,
      label,
    }))
    expect(links.map(({ count, label }) => `${count} ${label}`)).toEqual([
      '1 paid orders to send',
      '1 orders to be paid',
      '0 returns to decide or refund',
      '0 products low in stock',
      '0 failing webhooks',
    ])
    for (const { href } of links.slice(0, 2)) expect((await visitor.get(href)).text).toContain('>1 order, the newest first.')
    for (const { href } of links.slice(2)) expect([href, (await visitor.get(href)).status]).toEqual([href, 200])
    expect((await visitor.get('/console/orders?status=paid&delivery=fulfilled')).text).toContain('No orders found.')

    const { visitor: begun } = await signedIn(
      await withStores(web.trust.database.connection, (stores) => stores.create({ name: 'Empty', country: 'PT', isPaid: true })),
    )
    const { text: empty } = await begun.get('/console')
    expect([empty.includes('First steps'), empty.includes('No orders in 30 days.'), text.includes('First steps')]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('the days of sales are a file for its owner only', async () => {
    const { visitor } = await signedIn(corner)
    const { status, headers, text } = await visitor.get('/console/sales.csv')
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/csv; charset=utf-8', 'no-store'])
    const [head, ...rows] = text.trimEnd().split('\r\n')
    expect(head).toBe('day,ordersPlaced,ordersPaid,ordersCanceled,gross,net,refunded,currency')
    expect(rows).toHaveLength(30)
    expect(rows.at(-1)).toMatch(/^\d{4}-\d\d-\d\d,2,1,0,25,25,0,EUR$/)
    const stranger = await aVisitor().get('/console/sales.csv')
    expect([stranger.status, stranger.headers.location]).toEqual([303, '/console'])
  })

  test('a row of a list leads to its page: the amounts of an order add up, and other stores have none of it', async () => {
    const { visitor } = await signedIn(corner)
    const linkIn = ({ text }: Reply) => /<th scope="row"><a href="([^"]+)">/.exec(text)?.[1] ?? ''
    const orderPath = linkIn(await visitor.get('/console/orders?status=paid'))
    const { status, text } = await visitor.get(orderPath)
    expect([status, text.includes('>Cup</a>'), text.includes('€12.50')]).toEqual([200, true, true])
    const sums = /<tfoot>([\s\S]*?)<\/tfoot>/.exec(text)?.[1] ?? ''
    const [total, ...parts] = [...sums.matchAll(/<td class="number">(?:<strong>)?(−?)€([\d.]+)/g)]
      .map(([, sign, amount]) => (sign ? -1 : 1) * Number(amount))
      .toReversed()
    expect([total, parts.length > 0]).toEqual([25, true])
    expect(parts.reduce((sum, each) => sum + each, 0)).toBeCloseTo(25)
    const productPath = linkIn(await visitor.get('/console/products?q=cup-1'))
    expect((await visitor.get(productPath)).text).toContain('<h1>Cup</h1>')
    const { visitor: neighbour } = await signedIn(other)
    for (const path of [orderPath, productPath, '/console/orders/0', '/console/orders/x', '/console/products/99999999999'])
      expect([path, (await neighbour.get(path)).status]).toEqual([path, 404])
  })

  test('a merchant whose session ended, as by a restart without CONSOLE_SECRET, is told so', async () => {
    const visitor = aVisitor()
    visitor.cookies.set('console', 'sealed-by-a-process-that-is-gone')
    expect((await visitor.get('/console')).text).toContain('You are signed out: the session was ended')
    // Once: the cookie is taken back.
    expect((await visitor.get('/console')).text).not.toContain('You are signed out')
    expect((await aVisitor().get('/console')).text).not.toContain('You are signed out')
  })

  test.each(['status=nonsense', 'after=nonsense', `q=${'x'.repeat(300)}`])('refuses ?%.20s with a page', async (query) => {
    const { visitor } = await signedIn(corner)
    for (const list of ['products', 'orders']) expect((await visitor.get(`/console/${list}?${query}`)).status).toBe(400)
  })

  test('ends when its owner signs out, and by no form from elsewhere', async () => {
    const { visitor } = await signedIn(corner)
    await visitor.get('/console')
    expect((await visitor.post('/console/sign-out', { token: 'x'.repeat(24) })).status).toBe(403)
    expect((await visitor.get('/console')).text).toContain('<h1>Corner shop</h1>')
    expect((await visitor.post('/console/sign-out', {})).headers.location).toBe('/console')
    expect((await visitor.get('/console')).text).toContain('<h1>Store console</h1>')
  })

  test.each(['', 'x', 'AAAA'.repeat(30), '%00', '"'])('is not made by the cookie %j', async (value) => {
    const { status, text } = await askRaw(web.url, '/console', { headers: { cookie: `console=${value}` } })
    expect([status, text.includes('<h1>Store console</h1>')]).toEqual([200, true])
  })

  test('shows a new authtoken once, continues with it, and ends the sessions of the previous one', async () => {
    const own = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Lost keys', country: 'PT', isPaid: true }),
    )
    const { visitor } = await signedIn(own)
    const { visitor: elsewhere } = await signedIn(own)
    await visitor.get('/console/access')
    expect((await visitor.post('/console/access', { understood: 'yes', token: 'x'.repeat(24) })).status).toBe(403)
    expect((await visitor.post('/console/access', {})).headers.location).toBe('/console/access')
    await signedIn(own)
    const { status, text } = await visitor.post('/console/access', { understood: 'yes' })
    const [, authtoken = ''] = /<dt>Authtoken<\/dt><dd><code>([\w-]{32})<\/code>/.exec(text) ?? []
    expect([status, authtoken === own.authtoken]).toEqual([200, false])
    await signedIn({ login: own.login, authtoken })
    expect((await visitor.get('/console')).text).toContain('<h1>Lost keys</h1>')
    expect((await visitor.get('/console/access')).text).not.toContain(authtoken)
    // A judgement holds for a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const ended = await elsewhere.get('/console')
    expect([ended.status, ended.text.includes('The authtoken has been reset'), elsewhere.cookies.has('console')]).toEqual([
      401,
      true,
      false,
    ])
  })

  test('shows a new authtoken also where no session can begin', async () => {
    const own = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Full disk', country: 'PT', isPaid: true }),
    )
    const { visitor } = await signedIn(own)
    await visitor.get('/console/access')
    await web.trust.sql('ALTER TABLE store.console_session ADD CONSTRAINT full_disk CHECK (false) NOT VALID')
    const { status, text } = await visitor
      .post('/console/access', { understood: 'yes' })
      .finally(() => web.trust.sql('ALTER TABLE store.console_session DROP CONSTRAINT full_disk'))
    const [, authtoken = ''] = /<dt>Authtoken<\/dt><dd><code>([\w-]{32})<\/code>/.exec(text) ?? []
    expect([status, text.includes('Sign in again with the new one.')]).toEqual([200, true])
    await signedIn({ login: own.login, authtoken })
  })

  test('a copy of its cookie opens nothing once the owner has signed out, in whatever process, and other sessions go on', async () => {
    const secret = 'a secret of thirty-two characters'
    const copies = await Promise.all(
      [1, 2].map(async () => {
        const options = { publicUrl: 'http://atrium.example', hasExplorer: false, hasSchema: false, consoleSecret: secret }
        const app = createHttpServer({ log: recordingLog().log })
        await (await startSite(web.gateway.client, options)).serve(app)
        const url = await app.listen({ port: 0, host: '127.0.0.1' })
        return { ...consoleAt(() => url), close: () => app.close() }
      }),
    )
    const [one, two] = copies as [(typeof copies)[0], (typeof copies)[0]]
    const { visitor } = await one.signedIn(corner)
    const { visitor: other } = await one.signedIn(corner)
    const thief = two.aVisitor()
    thief.cookies.set('console', visitor.cookies.get('console') ?? '')
    expect((await thief.get('/console/access')).text).toContain('<h1>Access</h1>')

    await visitor.get('/console')
    // A form of nobody ends nothing.
    expect((await visitor.post('/console/sign-out', { token: 'x'.repeat(24) })).status).toBe(403)
    expect((await thief.get('/console/access')).status).toBe(200)
    const cookie = visitor.cookies.get('console') ?? ''
    expect((await visitor.post('/console/sign-out', {})).headers.location).toBe('/console')
    expect(visitor.cookies.has('console')).toBe(false)

    for (const copy of copies) {
      const late = copy.aVisitor()
      const keep = () => late.cookies.set('console', cookie)
      keep()
      expect((await late.get('/console/orders')).headers.location).toBe('/console')
      keep()
      expect((await late.get('/console')).text).toContain('<h1>Store console</h1>')
      keep()
      expect((await late.post('/console/access', { understood: 'yes' })).status).toBe(403)
      keep()
      expect((await late.post('/console/apps/revoke', { number: '1' })).status).toBe(403)
    }
    expect((await other.get('/console/orders')).status).toBe(200)
    for (const copy of copies) await copy.close()
  })

  test('lives in the database as a hash, ends with its time, belongs to one store, and is one of a hundred at most', async () => {
    const own = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Many browsers', country: 'PT', isPaid: true }),
    )
    const BEGIN = 'mutation { begun: beginConsoleSession { secret expiresAt } }'
    const OPEN = 'query ($secret: String!) { isOpen: isConsoleSessionOpen(secret: $secret) }'
    const END = 'mutation ($secret: String!) { wasOpen: endConsoleSession(secret: $secret) }'
    const isOpen = async (secret: string, shop = own) => (await graph(shop, OPEN, { secret })).isOpen
    const { begun: first } = await graph(own, BEGIN, {})
    expect(first.secret).toMatch(/^[\w-]{43}$/)
    expect(Date.parse(first.expiresAt) - Date.now()).toBeGreaterThan(7.9 * 3_600_000)
    expect([await isOpen(first.secret), await isOpen(first.secret, other), await isOpen('')]).toEqual([true, false, false])
    expect((await graph(other, END, { secret: first.secret })).wasOpen).toBe(false)

    const rows = async () => web.trust.sql('SELECT hash, expires_at FROM store.console_session ORDER BY created_at, hash')
    expect(JSON.stringify(await rows())).not.toContain(first.secret)
    const { begun: second } = await graph(own, BEGIN, {})
    for (let n = 0; n < 99; n += 1) await graph(own, BEGIN, {})
    expect([await isOpen(first.secret), await isOpen(second.secret)]).toEqual([false, true])
    expect([(await graph(own, END, { secret: second.secret })).wasOpen, await isOpen(second.secret)]).toEqual([true, false])
    expect((await graph(own, END, { secret: second.secret })).wasOpen).toBe(false)

    const { begun: third } = await graph(own, BEGIN, {})
    await web.trust.sql('UPDATE store.console_session SET expires_at = now()')
    expect(await isOpen(third.secret)).toBe(false)
    await graph(own, BEGIN, {})
    expect((await rows()).length).toBe(1)
  })

  test('what is sealed is read with the same secret, for the same purpose, until it ends, and unchanged', () => {
    const secret = 'a secret of thirty-two characters'
    const text = sealOf(secret).close('a', { login: 'x' }, 1_000)
    expect(sealOf(secret).open('a', text, 999)).toEqual({ login: 'x' })
    expect(sealOf(secret).open('a', text, 1_000)).toBeNull()
    expect(sealOf(secret).open('b', text, 999)).toBeNull()
    expect(sealOf(null).open('a', text, 999)).toBeNull()
    const bytes = Buffer.from(text, 'base64url')
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      expect(sealOf(secret).open('a', changed.toString('base64url'), 999)).toBeNull()
    }
  })
})

test('every page has the policy of the others, and no script inside', async () => {
  const { visitor } = await signedIn(corner)
  const paths = [`/shops/${corner.code}`, '/console', '/console/orders', '/console/products', '/console/access']
  for (const path of paths) {
    const { headers, text } = await visitor.get(path)
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect(text).not.toMatch(/<script(?! type="application\/ld\+json"|(?: type="module")? src="\/assets\/)/)
    expect(text.match(/<h1\b/g)).toHaveLength(1)
  }
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('an owner signs in, looks around, gets another authtoken and signs out, without JavaScript', async () => {
    const own = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Without script', country: 'CL', isPaid: true }),
    )
    await aProduct(own, { name: HOSTILE, price: '1990', sku: 'X'.repeat(60) })
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${web.url}/console`)
    await page.getByLabel('Login').fill(own.login)
    await page.getByLabel('Authtoken').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').filter({ hasText: 'The login or the authtoken is wrong' }).waitFor()
    await page.getByLabel('Authtoken').fill(own.authtoken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Without script' }).waitFor()
    await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Products' }).click()
    await page.getByRole('rowheader', { name: 'window.ran' }).waitFor()
    await page.getByLabel('Status').selectOption('hidden')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('No products found.').waitFor()
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByRole('checkbox').check()
    await page.getByRole('button', { name: 'Reset the authtoken' }).click()
    await page.getByText('it is shown only once').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { level: 1, name: 'Store console' }).waitFor()
    expect(complaints.filter((each) => !/status of 401/.test(each))).toEqual([])
    await context.close()
  })

  test('every page of the console is accessible and fits', async () => {
    const { page, complaints } = await openPage(browser)
    await page.goto(`${web.url}/console`)
    await look(page, 'console-sign-in')
    await page.getByLabel('Login').fill(corner.login)
    await page.getByLabel('Authtoken').fill(corner.authtoken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Console' }).waitFor()
    const credentials = Buffer.from(`${corner.login}:${corner.authtoken}`).toString('base64')
    await fetch(`${web.url}/v1/store/languages.json`, { headers: { authorization: `Basic ${credentials}` } })
    await page.reload()
    await look(page, 'console-overview')
    expect(await page.evaluate('document.cookie')).toBe('')
    await page.goto(`${web.url}/console/products`)
    await look(page, 'console-products')
    await page.goto(`${web.url}/console/orders`)
    await look(page, 'console-orders')
    await page.locator('tbody a').first().click()
    await page.getByRole('heading', { name: 'Customer' }).waitFor()
    await look(page, 'console-order')
    await page.goto(`${web.url}/console/products?q=cup`)
    await page.locator('tbody a').first().click()
    await page.getByRole('heading', { level: 1, name: 'Cup' }).waitFor()
    await look(page, 'console-product')
    await page.goto(`${web.url}/console/access`)
    await look(page, 'console-access')
    expect(await page.evaluate('window.ran')).toBeUndefined()
    expect(complaints).toEqual([])
    await page.close()
  })
})

// Last: from here on, nobody at this address may guess for a while.
test('guessing is rate-limited, whatever address is claimed, and per client behind a proxy', async () => {
  const visitor = aVisitor()
  await visitor.get('/console')
  let last: Reply | null = null
  for (let n = 0; n < 70 && last?.status !== 429; n += 1) {
    last = await visitor.post(
      '/console/sign-in',
      { login: corner.login, authtoken: `guess ${n}` },
      { 'x-forwarded-for': `203.0.113.${n}` },
    )
  }
  expect([last?.status, Number(last?.headers['retry-after']) > 0]).toEqual([429, true])
  expect(last?.text).toContain('Too many wrong credentials from this address')

  const behind = await behindProxy()
  const guess = async (address: string) => {
    const form = await askRaw(behind.url, '/console')
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(form.text) ?? []
    const [cookie = ''] = setCookies(form)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address, cookie }
    const body = new URLSearchParams({ token, login: corner.login, authtoken: 'guess' }).toString()
    return (await askRaw(behind.url, '/console/sign-in', { method: 'POST', headers, body })).status
  }
  // Starting that one took some seconds, after each of two of which one more guess is free.
  let free = 0
  while ((await guess('127.0.0.1')) !== 429) expect(++free).toBeLessThan(20)
  expect(await guess('203.0.113.7')).toBe(401)
  await behind.close()
})
