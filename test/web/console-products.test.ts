import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import type { Reply } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Fields, fieldsOf, type Shop } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let web: Awaited<ReturnType<typeof startWeb>>
let own: Shop
const { graph, aProduct, aVisitor, signedIn } = consoleAt(() => web.url)
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

/** The product as the API has it. */
async function stored(number: string) {
  const { product } = await graph(
    own,
    'query ($number: ID!) { product(id: $number) { name price compareAtPrice status sku stock stockUnlimited stockThreshold description permalink version categories { name } images { number } variants { number version sku price stock options { value } } } }',
    { number },
  )
  return product
}

async function aCup(input: object = {}) {
  await aProduct(own, { name: 'Cup', price: '12.50', sku: 'CUP-1', stock: 5, ...input })
  const { products } = await graph(own, '{ products(first: 1, orderBy: ID_DESC) { nodes { number } } }', {})
  const { visitor } = await signedIn(own)
  const number = String(products.nodes[0].number)
  return { visitor, number, path: `/console/products/${number}` }
}

describe('a product in the console', () => {
  test('is added by a form, once however often it is sent, and edited field by field', async () => {
    const { visitor } = await signedIn(own)
    const form = fieldsOf(await visitor.get('/console/products/new'), '/console/products/new')
    const fields = { ...form, name: 'Linen shirt', price: '39.90', sku: 'SHIRT', description: 'Soft.\r\nLight.', stock: '8' }
    const added = await visitor.post('/console/products/new', fields)
    expect([added.status, added.headers.location]).toEqual([
      303,
      expect.stringMatching(/^\/console\/products\/\d+\?done=created$/),
    ])
    const again = await visitor.post('/console/products/new', fields)
    expect(again.headers.location).toBe(added.headers.location)
    const [, path = '', number = ''] = /^(.*\/(\d+))\?/.exec(added.headers.location ?? '') ?? []
    expect(await stored(number)).toMatchObject({
      name: 'Linen shirt',
      price: '39.9',
      stock: 8,
      description: 'Soft.\nLight.',
      status: 'AVAILABLE',
    })

    const shown = await visitor.get(path)
    expect(shown.text).toContain('<h1>Linen shirt</h1>')
    const edited = { ...fieldsOf(shown, path), name: 'Linen blouse', compareAtPrice: '50', status: 'hidden', sku: '' }
    expect((await visitor.post(path, edited)).headers.location).toBe(`${path}?done=saved`)
    expect(await stored(number)).toMatchObject({
      name: 'Linen blouse',
      compareAtPrice: '50',
      status: 'DISABLED',
      sku: null,
      description: 'Soft.\nLight.',
      stock: 8,
    })
    expect(textOf(await visitor.get(`${path}?done=saved`))).toContain('The product was saved.')
  })

  test('keeps everything when its form is sent as it was shown', async () => {
    const { visitor, number, path } = await aCup({
      compareAtPrice: '15',
      brand: 'Ours',
      barcode: '12345',
      pageTitle: 'A cup',
      stockThreshold: 3,
      stockNotification: true,
      shippingRequired: false,
      description: 'A <b>cup</b>',
    })
    const before = await stored(number)
    expect((await visitor.post(path, fieldsOf(await visitor.get(path), path))).status).toBe(303)
    expect({ ...(await stored(number)), version: 0 }).toEqual({ ...before, version: 0 })
  })

  test.each<[string, Fields, string, RegExp]>([
    ['no name', { name: ' ' }, 'name', /./],
    ['a price that is no number', { price: '12,50' }, 'price', /Enter a number with a point/],
    ['no price', { price: '' }, 'price', /Enter a price/],
    ['a price below its discount', { price: '1', discount: '2' }, 'discount', /./],
    ['a compare-at price below the price', { compareAtPrice: '1' }, 'compareAtPrice', /./],
    ['a status that does not exist', { status: 'constructor' }, 'status', /Choose one of the list/],
    ['half a unit', { stockThreshold: '0.5' }, 'stockThreshold', /Enter a whole number/],
  ])('with %s is refused beside the field, and what was typed stays', async (_, change, name, problem) => {
    const { visitor, number, path } = await aCup()
    const fields = { ...fieldsOf(await visitor.get(path), path), sku: HOSTILE, ...change }
    const reply = await visitor.post(path, fields)
    expect(reply.status).toBe(422)
    const [, beside = ''] = new RegExp(`<p class="field-problem" id="${name}-problem">([^<]+)</p>`).exec(reply.text) ?? []
    expect(beside).toMatch(problem)
    expect(reply.text).toContain(`<a href="#${name}">${beside}</a>`)
    expect(reply.text).toMatch(new RegExp(` id="${name}"[^>]*aria-invalid="true" aria-describedby="${name}-problem"`))
    expect(reply.text).toContain('name="sku" value="&lt;/script&gt;')
    expect(reply.text).not.toContain('<script>window.ran')
    expect(await stored(number)).toMatchObject({ version: 1, sku: 'CUP-1' })
  })

  test('that a program changed meanwhile is not overwritten before its owner has seen both', async () => {
    const { visitor, number, path } = await aCup()
    const fields = fieldsOf(await visitor.get(path), path)
    await graph(own, 'mutation ($id: ID!) { updateProduct(id: $id, input: { price: "20" }) { __typename } }', { id: number })
    const reply = await visitor.post(path, { ...fields, name: 'Mug' })
    expect([reply.status, await stored(number)]).toMatchObject([422, { name: 'Cup', price: '20' }])
    expect(textOf(reply)).toContain('Not saved: a program, or another window, changed it')
    expect([...reply.text.matchAll(/<p class="field-stored">([^<]*)/g)].map(([, text]) => text)).toEqual([
      'Stored now: Cup',
      'Stored now: 20',
    ])
    expect((await visitor.post(path, { ...fieldsOf(reply, path), price: '20' })).status).toBe(303)
    expect(await stored(number)).toMatchObject({ name: 'Mug', price: '20' })
  })

  test('is deleted, once nothing has changed it since', async () => {
    const { visitor, number, path } = await aCup()
    const fields = fieldsOf(await visitor.get(path), `${path}/delete`)
    await graph(own, 'mutation ($id: ID!) { updateProduct(id: $id, input: { price: "20" }) { __typename } }', { id: number })
    expect((await visitor.post(`${path}/delete`, fields)).status).toBe(422)
    const fresh = fieldsOf(await visitor.get(path), `${path}/delete`)
    expect((await visitor.post(`${path}/delete`, fresh)).headers.location).toBe('/console/products?done=deleted')
    expect([await stored(number), (await visitor.get(path)).status]).toEqual([null, 404])
  })

  test('cannot be changed without the token of the session, or by another store', async () => {
    const { visitor, number, path } = await aCup()
    const fields = fieldsOf(await visitor.get(path), path)
    const other = await withStores(web.trust.database.connection, (stores) =>
      stores.create({ name: 'Another shop', country: 'PT', isPaid: true }),
    )
    const { visitor: neighbour } = await signedIn(other)
    await neighbour.get('/console/products/new')
    const { token: _, ...withoutToken } = fields
    for (const action of ['', '/stock', '/images', '/variants', '/delete']) {
      expect((await visitor.post(path + action, { ...fields, token: 'x'.repeat(24) })).status).toBe(403)
      expect((await aVisitor().post(path + action, fields)).status).toBe(403)
    }
    expect((await neighbour.post(path, withoutToken)).status).toBe(404)
    expect((await neighbour.post(`${path}/delete`, withoutToken)).status).toBe(404)
    expect(await stored(number)).toMatchObject({ version: 1 })
  })
})

describe('a form of the console', () => {
  const NEW = '/console/products/new'

  test('of more fields than any of ours is refused before they are read', async () => {
    const { visitor } = await signedIn(own)
    await visitor.get(NEW)
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`units-${index}`, '']))
    const reply = await visitor.post(NEW, many)
    expect([reply.status, reply.text.includes('<h1>Invalid form</h1>')]).toEqual([413, true])
    const { 'units-0': _, ...fewer } = many
    expect((await visitor.post(NEW, fewer)).status).toBe(422)
  })

  test('is refused before its body is read where no session sends it', async () => {
    const visitor = aVisitor()
    visitor.cookies.set('console', 'x'.repeat(200))
    // The type of the body is refused once it would be read.
    const { status, text } = await visitor.post(NEW, {}, { 'content-type': 'text/plain' })
    expect([status, text.includes('<h1>Form expired</h1>')]).toEqual([403, true])
    const { visitor: merchant } = await signedIn(own)
    expect((await merchant.post(NEW, {}, { 'content-type': 'text/plain' })).status).toBe(415)
  })
})

describe('the stock of a product in the console', () => {
  test('is added to, removed from, counted and made unlimited', async () => {
    const { visitor, number, path } = await aCup()
    const change = async (fields: Fields) => {
      const { token: _, ...form } = fieldsOf(await visitor.get(path), `${path}/stock`)
      return visitor.post(`${path}/stock`, { ...form, ...fields })
    }
    expect((await change({ change: 'add', units: '3' })).headers.location).toBe(`${path}?done=stocked`)
    expect(await stored(number)).toMatchObject({ stock: 8 })
    await change({ change: 'remove', units: '2' })
    expect(await stored(number)).toMatchObject({ stock: 6 })
    const short = await change({ change: 'remove', units: '7' })
    expect([short.status, textOf(short)]).toEqual([422, expect.stringContaining('stock')])
    await change({ change: 'set', units: '40' })
    expect(await stored(number)).toMatchObject({ stock: 40, stockUnlimited: false })
    await change({ change: 'unlimited' })
    expect(await stored(number)).toMatchObject({ stockUnlimited: true })
    for (const units of ['', '-1', 'x', '0', '1e3'])
      expect((await change({ change: 'add', units })).text).toContain('id="stock-units-problem"')
    expect((await change({ change: 'toString', units: '1' })).status).toBe(422)
  })

  test('is that of a location where the store has locations, and one click counts once', async () => {
    const { visitor, number, path } = await aCup()
    const { made } = await graph(
      own,
      'mutation ($input: CreateLocationInput!) { made: createLocation(input: $input) { ... on CreateLocationSuccess { location { number } } } }',
      { input: { name: 'Workshop', address: 'Street 1', city: 'Lisbon', country: 'PT' } },
    )
    const form = fieldsOf(await visitor.get(path), `${path}/stock`)
    await visitor.post(`${path}/stock`, { ...form, location: String(made.location.number), change: 'set', units: '9' })
    const located = fieldsOf(await visitor.get(path), `${path}/stock`)
    expect(located.location).toBe(String(made.location.number))
    for (let clicks = 0; clicks < 3; clicks += 1) await visitor.post(`${path}/stock`, { ...located, change: 'add', units: '1' })
    expect(await stored(number)).toMatchObject({ stock: 10 })
  })

  test('is low in the list and on the overview, for products and for variants', async () => {
    const { visitor } = await signedIn(own)
    const low = { stockNotification: true, stockThreshold: 5 }
    await aProduct(own, { name: 'Few cups', price: '1', stock: 5, ...low })
    await aProduct(own, { name: 'Many cups', price: '1', stock: 6, ...low })
    await aProduct(own, { name: 'Endless cups', price: '1', stockUnlimited: true, ...low })
    await aProduct(own, { name: 'Few, not watched', price: '1', stock: 0, stockThreshold: 5 })
    const variant = (value: string, stock: number) => ({ ...low, stock, options: [{ name: 'Size', value }] })
    await aProduct(own, { name: 'Few shirts', price: '1', variants: [variant('S', 50), variant('M', 0)] })
    await aProduct(own, { name: 'Many shirts', price: '1', stock: 0, ...low, variants: [variant('S', 50)] })
    const names = ({ text }: Reply) => [...text.matchAll(/<th scope="row"><a [^>]*>(.*?)<\/a><\/th>/g)].map(([, name]) => name)
    expect(names(await visitor.get('/console/products?stock=low&sort=oldest'))).toEqual(['Few cups', 'Few shirts'])
    const { text } = await visitor.get('/console')
    expect(text).toContain('<a href="/console/products?stock=low" aria-label="2 products low in stock">2</a>')
    const { products } = await graph(own, '{ products(filter: { lowStock: false }) { totalCount } }', {})
    expect(products.totalCount).toBe(4)
  })
})

test('images are added by address, moved and deleted', async () => {
  const { visitor, number, path } = await aCup()
  const about = `${path}/images`
  for (let count = 0; count < 2; count += 1) {
    await graph(own, 'mutation ($input: CreateProductImageInput!) { createProductImage(input: $input) { __typename } }', {
      input: { productId: number, url: PICTURE },
    })
  }
  const [first, second] = (await stored(number)).images.map(({ number: image }: { number: number }) => image)
  await visitor.get(path)
  expect((await visitor.post(about, { image: String(second), do: 'first' })).headers.location).toBe(`${path}?done=pictured`)
  expect((await stored(number)).images.map(({ number: image }: { number: number }) => image)).toEqual([second, first])
  await visitor.post(about, { image: String(first), do: 'delete' })
  expect((await stored(number)).images).toEqual([{ number: second }])
  const refused = await visitor.post(about, { do: 'add', url: 'http://127.0.0.1/secret' })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('id="images-url-problem"')])
  expect((await visitor.post(about, { do: 'add', url: PICTURE })).status).toBe(303)
})

test('an image is uploaded as a file; what is none, too long, elsewhere or from strangers is refused', async () => {
  const { visitor, number, path } = await aCup()
  const token = /name="token" value="([^"]+)"/.exec((await visitor.get(path)).text)?.[1] ?? ''
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (files: readonly Uint8Array<ArrayBuffer>[], { to = `${path}/images`, as = cookie, sent = token } = {}) => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ token: sent, do: 'add', url: '' })) form.set(name, value)
    for (const file of files) form.append('file', new Blob([file]), 'a.png')
    const headers = { accept: 'text/html', cookie: as }
    const reply = await fetch(web.url + to, { method: 'POST', body: form, redirect: 'manual', headers })
    return { status: reply.status, text: await reply.text() }
  }
  const png = Uint8Array.from(Buffer.from(PICTURE.split(',')[1] ?? '', 'base64'))
  expect((await send([png])).status).toBe(303)
  expect((await stored(number)).images).toHaveLength(1)
  for (const files of [[Uint8Array.from(Buffer.from('<svg onload="x">'))], [new Uint8Array(0)], []]) {
    expect(await send(files)).toMatchObject({ status: 422, text: expect.stringContaining('id="images-url-problem"') })
  }
  expect((await send([new Uint8Array(10_000_001)])).status).toBe(413)
  expect((await send([png, png])).status).toBe(413)
  // A million parts without a name: each costs more than its bytes.
  const types = { 'content-type': 'multipart/form-data; boundary=a', cookie }
  const parts = '--a\r\n\r\n\r\n'.repeat(900_000)
  expect((await fetch(`${web.url}${path}/images`, { method: 'POST', body: parts, headers: types })).status).toBe(413)
  expect((await send([png], { to: `${path}/stock` })).status).toBe(415)
  expect((await send([png], { as: '' })).status).toBe(403)
  expect((await send([png], { sent: 'another' })).status).toBe(403)
  const headers = { 'content-type': 'multipart/form-data', cookie }
  expect((await fetch(`${web.url}${path}/images`, { method: 'POST', body: 'x', headers })).status).toBe(400)
  const cut = { 'content-type': 'multipart/form-data; boundary=b', cookie }
  const half = '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nxx'
  expect((await fetch(`${web.url}${path}/images`, { method: 'POST', body: half, headers: cut })).status).toBe(400)
  expect((await stored(number)).images).toHaveLength(1)
})

test('variants are added, changed and deleted', async () => {
  const { visitor, number, path } = await aCup()
  const at = `${path}/variants`
  const form = fieldsOf(await visitor.get(path), at)
  expect((await visitor.post(at, { ...form, 'value-0': 'XL', sku: 'CUP-XL', stock: '4' })).headers.location).toBe(
    `${path}?done=varied`,
  )
  const [variant] = (await stored(number)).variants
  expect(variant).toMatchObject({ sku: 'CUP-XL', price: '12.5', stock: 4, options: [{ value: 'XL' }] })
  const edit = `${at}/${variant.number}`
  const fields = fieldsOf(await visitor.get(`${path}?variant=${variant.number}`), edit)
  const refused = await visitor.post(edit, { ...fields, price: 'much' })
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(`id="variants-${variant.number}-price-problem"`)])
  expect((await visitor.post(edit, { ...fields, price: '14', sku: 'CUP-L' })).status).toBe(303)
  expect((await stored(number)).variants[0]).toMatchObject({ sku: 'CUP-L', price: '14', stock: 4 })
  const stale = await visitor.post(edit, { ...fields, price: '15' })
  expect([stale.status, textOf(stale)]).toEqual([422, expect.stringContaining('Stored now: 14')])
  await visitor.post(edit, { do: 'delete' })
  expect((await stored(number)).variants).toEqual([])
})

test('the list is filtered by category and sorted, and its pages keep both', async () => {
  const { visitor } = await signedIn(own)
  const { made } = await graph(
    own,
    'mutation { made: createProductCategory(input: { name: "Cups" }) { ... on CreateProductCategorySuccess { category: productCategory { id number } } } }',
    {},
  )
  await aProduct(own, { name: 'A bowl', price: '1' })
  for (let n = 0; n < 51; n += 1) await aProduct(own, { name: `Cup ${n}`, price: '1', categoryIds: [made.category.id] })
  const names = ({ text }: Reply) => [...text.matchAll(/<th scope="row"><a [^>]*>(.*?)<\/a><\/th>/g)].map(([, name]) => name)
  const first = await visitor.get(`/console/products?category=${made.category.number}&sort=oldest`)
  expect([names(first).length, names(first)[0]]).toEqual([50, 'Cup 0'])
  const next = /<a href="([^"]+)" rel="next">/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect(names(await visitor.get(next))).toEqual(['Cup 50'])
  expect((await visitor.get('/console/products?category=nonsense')).text).toContain('No products found.')
})

describe.skipIf(hasNoBrowser)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await sharedBrowser()
  })
  afterAll(() => closePages(browser))

  test('products are edited without a script, and every page fits and is accessible', async () => {
    const { number, path } = await aCup({
      description: '<p>Thrown by hand.</p>',
      variants: ['S', 'M'].map((value) => ({ options: [{ name: 'Size', value }], sku: `CUP-${value}` })),
    })
    await graph(own, 'mutation ($input: CreateProductImageInput!) { createProductImage(input: $input) { __typename } }', {
      input: { productId: number, url: PICTURE },
    })
    const { page, complaints } = await openPage(browser, { javaScriptEnabled: false, baseURL: web.url })
    await page.goto('/console')
    await page.fill('#login', own.login)
    await page.fill('#authtoken', own.authtoken)
    await page.click('.sign-in button')
    await page.goto(path)
    await page.fill('#name', 'Blue cup')
    await page.fill('#compareAtPrice', '1')
    await page.click('text="Save"')
    expect(await page.textContent('#compareAtPrice-problem')).not.toBe('')
    await page.fill('#compareAtPrice', '20')
    await page.click('text="Save"')
    expect(await page.textContent('[role="status"]')).toContain('The product was saved.')
    expect(await stored(number)).toMatchObject({ name: 'Blue cup', compareAtPrice: '20' })
    const { number: variant } = (await stored(number)).variants[0]
    const cookies = await page.context().cookies()
    await page.close()

    const scripted = await openPage(browser, { baseURL: web.url })
    await scripted.page.context().addCookies(cookies)
    for (const [name, address] of [
      ['console-products', '/console/products'],
      ['console-product', `${path}?variant=${variant}`],
      ['console-product-new', '/console/products/new'],
    ] as const) {
      await scripted.page.goto(address)
      await scripted.page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
      await look(scripted.page, name)
    }
    await scripted.page.goto(path)
    await scripted.page.fill('#price', 'much')
    await scripted.page.click('text="Save"')
    await look(scripted.page, 'console-product-refused')
    await scripted.page.setViewportSize({ width: 390, height: 800 })
    await scripted.page.goto('/console/products')
    const stock = await scripted.page.locator('[data-label="Stock"]').first().boundingBox()
    expect((stock?.x ?? 390) + (stock?.width ?? 0), 'pixels from the left to the end of the stock').toBeLessThanOrEqual(390)
    await scripted.page.goto(path)
    const save = await scripted.page.getByRole('button', { name: 'Save' }).first().boundingBox()
    expect((save?.y ?? 800) + (save?.height ?? 0), 'pixels from the top to the end of the button').toBeLessThanOrEqual(800)
    expect([...complaints, ...scripted.complaints].filter((each) => !each.includes('422'))).toEqual([])
    await scripted.page.close()
  }, 120_000)
})
