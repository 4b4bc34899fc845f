import { connect } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { askRaw } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Shop } from './support/console.ts'
import { startWeb } from './support/site.ts'

let web: Awaited<ReturnType<typeof startWeb>>
const { graph, aProduct, aVisitor, signedIn } = consoleAt(() => web.url)
let shop: Shop
let other: Shop
beforeAll(async () => {
  web = await startWeb()
  const create = (name: string) =>
    withStores(web.trust.database.connection, (stores) => stores.create({ name, country: 'PT', isPaid: true }))
  shop = await create('Import shop')
  other = await create('Other shop')
})
afterAll(() => web?.close())

type Visitor = Awaited<ReturnType<typeof signedIn>>['visitor']

/** The token of the forms of a page. */
const tokenOf = (text: string): string => /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''

async function upload(visitor: Visitor, fields: Readonly<Record<string, string>>, file: string | null) {
  const { text } = await visitor.get('/console/imports')
  const form = new FormData()
  for (const [name, value] of Object.entries({ token: tokenOf(text), kind: 'PRODUCTS', format: 'CSV', ...fields }))
    form.append(name, value)
  if (file !== null) form.append('file', new Blob([file]), 'products.csv')
  const request = new Request('http://localhost/', { method: 'POST', body: form })
  return askRaw(web.url, '/console/imports', {
    method: 'POST',
    headers: {
      cookie: [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'content-type': request.headers.get('content-type') ?? '',
    },
    body: Buffer.from(await request.arrayBuffer()).toString('latin1'),
  })
}

async function ended(visitor: Visitor, path: string): Promise<string> {
  for (;;) {
    const { text } = await visitor.get(path)
    if (!text.includes('Cancel the import')) return text
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

describe('the page of imports', () => {
  test('takes a file, shows its progress and errors without a script, and its products are there', async () => {
    const { visitor } = await signedIn(shop)
    const reply = await upload(visitor, {}, `Handle,Title,Variant Price\ncup,Cup,5\nbowl,Bowl,-5\n${'x'.repeat(100)},X,1\n`)
    expect(reply.status).toBe(303)
    const path = String(reply.headers.location)
    expect(path).toMatch(/^\/console\/imports\/\d+$/)
    const text = await ended(visitor, path)
    expect(text).toContain('<progress max="100" value="100"')
    expect(text).toContain('<td>Variant Price</td>')
    expect(text).toContain('products.csv')
    const { products } = await graph(shop, '{ products { nodes { name } } }', {})
    expect(products.nodes.map(({ name }: { name: string }) => name)).toEqual(['Cup', 'X'])
    const list = await visitor.get('/console/imports')
    expect(list.text).toContain(`<a href="${path}">`)
    const stranger = await signedIn(other)
    expect((await stranger.visitor.get(path)).status).toBe(404)
  })

  test('takes orders of another shop, which then have their number beside ours', async () => {
    const { visitor } = await signedIn(other)
    const file = `Name,Email,Financial Status,Currency,Total,Created at,Lineitem quantity,Lineitem name,Lineitem price
#1001,ana@example.org,paid,EUR,10,2024-01-01T00:00:00Z,1,Mug,10
#1002,ana@example.org,paid,EUR,11,2024-01-01T00:00:00Z,1,Mug,10
`
    const reply = await upload(visitor, { kind: 'ORDERS', source: '<b>old</b> shop', overwrite: 'yes' }, file)
    expect(reply.status).toBe(303)
    const text = await ended(visitor, String(reply.headers.location))
    expect(text).toContain('from &lt;b&gt;old&lt;/b&gt; shop')
    expect(text).toContain('<td>Total</td>')
    const { orders } = await graph(other, '{ orders { nodes { number importedFrom { source name } } } }', {})
    expect(orders.nodes).toMatchObject([{ importedFrom: { source: '<b>old</b> shop', name: '#1001' } }])
    expect((await visitor.get('/console/orders')).text).toContain('<span class="quiet">#1001</span>')
    const order = await visitor.get(`/console/orders/${orders.nodes[0].number}`)
    expect(order.text).toContain('Imported from &lt;b&gt;old&lt;/b&gt; shop, where its number is #1001.')
  })

  test('refuses forms of other pages, without a file, with an empty one, and what is no form', async () => {
    const { visitor } = await signedIn(shop)
    expect((await upload(visitor, { token: 'guessed' }, 'Handle,Title\nevil,Evil\n')).status).toBe(403)
    for (const file of [null, '']) {
      const reply = await upload(visitor, {}, file)
      expect([reply.status, reply.text.includes('Choose a file')]).toEqual([422, true])
    }
    // Nothing of it waits for a file.
    expect((await visitor.get('/console/imports')).text).not.toContain('file is arriving')
    expect((await upload(aVisitor(), {}, 'Handle,Title\nevil,Evil\n')).status).toBe(403)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const broken = await askRaw(web.url, '/console/imports', {
      method: 'POST',
      headers: { cookie, 'content-type': 'multipart/form-data' },
      body: 'nothing',
    })
    expect(broken.status).toBe(422)
    const { products } = await graph(shop, '{ products(search: {query: "Evil"}) { totalCount } }', {})
    expect(products.totalCount).toBe(0)
  })

  test('an upload that is interrupted, or cut off inside its file, leaves no import that waits for the rest', async () => {
    const { visitor } = await signedIn(shop)
    const { text } = await visitor.get('/console/imports')
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const parts = [
      ['token"', tokenOf(text)],
      ['file"; filename="half.csv"', `Handle,Title\n${'half,Half\n'.repeat(20_000)}`],
    ]
    const body = parts.map(([name, value]) => `--x\r\ncontent-disposition: form-data; name="${name}\r\n\r\n${value}`).join('\r\n')
    const headers = { cookie, 'content-type': 'multipart/form-data; boundary=x' }
    expect((await askRaw(web.url, '/console/imports', { method: 'POST', headers, body })).status).toBe(422)
    // Nobody reads the file of a foreign form.
    const foreign = body.replace(/token"\r\n\r\n[^\r]+/, 'token"\r\n\r\nguessed')
    expect((await askRaw(web.url, '/console/imports', { method: 'POST', headers, body: foreign })).status).toBe(422)

    const { hostname, port } = new URL(web.url)
    const socket = connect(Number(port), hostname)
    socket.write(`POST /console/imports HTTP/1.1\r\nhost: ${hostname}\r\ncookie: ${cookie}\r\n`)
    socket.write(`content-type: ${headers['content-type']}\r\ncontent-length: 9000000\r\n\r\n${body}`)
    const page = async () => (await visitor.get('/console/imports')).text
    while (!(await page()).includes('file is arriving')) await new Promise((resolve) => setTimeout(resolve, 20))
    socket.destroy()
    while ((await page()).includes('file is arriving')) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await page()).toContain('half.csv')
  })

  test('sends exports to the owner only', async () => {
    const { visitor } = await signedIn(shop)
    await aProduct(shop, { name: '=1+1', price: '2' })
    const { status, headers, text } = await visitor.get('/console/exports/products.csv')
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/csv; charset=utf-8', 'no-store'])
    expect(headers['content-disposition']).toBe('attachment; filename="products.csv"')
    expect(text.startsWith('Handle,Title,')).toBe(true)
    expect(text).toContain(",'=1+1,")
    expect((await visitor.get('/console/exports/customers.jsonl')).text).toBe('')
    for (const path of ['/console/exports/stores.csv', '/console/exports/products.exe', '/console/exports/__proto__.csv'])
      expect((await visitor.get(path)).status).toBe(404)
    expect((await aVisitor().get('/console/exports/products.csv')).status).toBe(303)
  })
})

describe.skipIf(hasNoBrowser)('in a browser, the page of imports', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('is accessible and fits, light and dark, and uploads a file without a script', async () => {
    const { page, complaints } = await openPage(browser, { baseURL: web.url, javaScriptEnabled: false })
    await page.goto('/console')
    await page.fill('#login', shop.login)
    await page.fill('#authtoken', shop.authtoken)
    await page.click('.sign-in button')
    await page.goto('/console/imports')
    const buffer = Buffer.from('Handle,Title,Variant Price\nplate,Plate,5\nvase,Vase,nothing\n')
    await page.getByLabel('File of at most').setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.waitForURL(/\/console\/imports\/\d+$/)
    const path = new URL(page.url()).pathname
    const cookies = await page.context().cookies()
    await page.close()
    const scripted = await openPage(browser, { baseURL: web.url })
    await scripted.page.context().addCookies(cookies)
    await scripted.page.goto(path)
    // Without a reload.
    await scripted.page.getByText('completed').waitFor()
    for (const [name, address] of [
      ['console-imports', '/console/imports'],
      ['console-import', path],
    ] as const) {
      await scripted.page.goto(address)
      if (name === 'console-imports') await scripted.page.getByText('For orders').click()
      await look(scripted.page, name)
    }
    expect([...complaints, ...scripted.complaints]).toEqual([])
    await scripted.page.close()
  }, 120_000)
})
