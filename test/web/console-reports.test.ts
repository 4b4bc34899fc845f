import { afterAll, beforeAll, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Shop } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

let web: Awaited<ReturnType<typeof startWeb>>
const { graph, aProduct, aVisitor, signedIn } = consoleAt(() => web.url)
let corner: Shop
let empty: Shop
beforeAll(async () => {
  web = await startWeb()
  const create = (name: string) =>
    withStores(web.trust.database.connection, (stores) => stores.create({ name, country: 'PT', isPaid: true }))
  corner = await create('Corner shop')
  empty = await create('Empty shop')
  await graph(corner, 'mutation { updateTaxSettings(input: { pricesIncludeTax: false }) { __typename } }', {})
  await graph(corner, 'mutation { createTax(input: { name: "VAT", rate: "10" }) { __typename } }', {})
  await graph(corner, 'mutation { createStoreCurrency(input: { code: "USD", rate: "2" }) { __typename } }', {})
  const cup = await aProduct(corner, { name: 'Cup', price: '12.50', costPerItem: '4', stock: 9 })
  const hostile = await aProduct(corner, { name: HOSTILE, price: '1', stock: 3 })
  const formula = await aProduct(corner, { name: '=1+1', price: '2', stock: 5 })
  await order({ lines: [{ productId: cup, quantity: 2 }], shippingPrice: '3' })
  await order({ lines: [{ productId: hostile }, { productId: formula, quantity: 2 }] })
  await order({ lines: [{ productId: cup }], currency: 'USD' })
})
afterAll(() => web?.close())

async function order(input: object): Promise<void> {
  const { made } = await graph(
    corner,
    'mutation ($input: CreateOrderInput!) { made: createOrder(input: $input) { __typename } }',
    {
      input: { status: 'PAID', ...input },
    },
  )
  expect(made.__typename).toBe('CreateOrderSuccess')
}

const rowsOf = (text: string, id: string): readonly (readonly string[])[] => {
  const section = text.split(`<section aria-labelledby="${id}">`)[1]?.split('</section>')[0] ?? ''
  const body = /<tbody>([\s\S]*?)<\/tbody>/.exec(section)?.[1] ?? ''
  return body
    .split('</tr>')
    .slice(0, -1)
    .map((row) => [...row.matchAll(/<t[hd][^>]*>([\s\S]*?)<\/t[hd]>/g)].map(([, cell = '']) => cell))
}

test('the page has products, sources, taxes and stock as plot and table, in one currency', async () => {
  const { visitor } = await signedIn(corner)
  const { status, text } = await visitor.get('/console/reports')
  expect([status, text.includes(HOSTILE)]).toEqual([200, false])
  expect(rowsOf(text, 'products').filter(([label]) => !label?.includes('&lt;'))).toEqual([
    ['Cup', '2', '€25.00', '€2.50', '0', '€0.00'],
    ['=1+1', '2', '€4.00', '€0.40', '0', '€0.00'],
    ['Shipping, and refunds without lines', '0', '€3.00', '€0.00', '0', '€0.00'],
  ])
  expect(rowsOf(text, 'sources')).toEqual([[expect.any(String), '2', '2', '0', '€36.00', '€33.00', '€0.00']])
  expect(rowsOf(text, 'taxes')).toEqual([['VAT 10 %', '', '', '€30.00', '€3.00']])
  expect(rowsOf(text, 'stock')).toEqual([['no location', '11', '5', '€24.00', '€83.00']])
  expect([...text.matchAll(/<svg [^>]*role="img"/g)]).toHaveLength(4)
  expect(text).toContain('<title>Cup: €25.00</title>')

  const dollars = await visitor.get('/console/reports?currency=USD&period=today')
  expect(rowsOf(dollars.text, 'products')[0]).toEqual(['Cup', '1', '$25.00', '$2.50', '0', '$0.00'])
  expect(rowsOf((await visitor.get('/console/reports?period=yesterday')).text, 'products')).toEqual([])
  expect((await visitor.get('/console/reports?period=ever')).status).toBe(400)
})

test('each report is a file for its owner only, with the rows of its page', async () => {
  const { visitor } = await signedIn(corner)
  const page = await visitor.get('/console/reports?currency=EUR&period=today')
  const links = [...page.text.matchAll(/<a href="([^"]+\.csv[^"]*)" download>/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  )
  expect(links.map((href) => new URL(href, web.url).pathname)).toEqual(
    ['products', 'sources', 'taxes', 'stock'].map((name) => `/console/reports/${name}.csv`),
  )
  const files = await Promise.all(links.map((href) => visitor.get(href)))
  for (const { status, headers } of files)
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/csv; charset=utf-8', 'no-store'])
  const lines = files.map(({ text }) => text.trimEnd().split('\r\n'))
  expect(lines[0]?.[0]).toBe('productCount,productNumber,name,units,net,tax,refundedUnits,refunded,currency')
  expect(lines[0]?.[1]).toMatch(/^1,\d+,Cup,2,25,2\.5,0,0,EUR$/)
  // A spreadsheet would calculate it.
  expect(lines[0]?.[2]).toMatch(/^1,\d+,'=1\+1,2,4,0\.4,0,0,EUR$/)
  expect(lines[0]?.at(-1)).toBe('0,,Shipping,0,3,0,0,0,EUR')
  expect(lines[1]?.[0]).toBe(
    'sourceCount,createdFrom,createdFromAppCode,sourceName,medium,campaign,ordersPlaced,ordersPaid,ordersCanceled,gross,net,refunded,currency',
  )
  expect(lines[2]).toEqual([
    'taxCount,name,country,region,rate,fixed,onShipping,net,amount,currency',
    '1,VAT,,,10,false,false,30,3,EUR',
  ])
  expect(lines[3]).toEqual(['locationNumber,location,units,unitsWithoutCost,cost,price,currency', ',,11,5,24,83,EUR'])

  const stranger = await aVisitor().get('/console/reports/products.csv')
  expect([stranger.status, stranger.headers.location]).toEqual([303, '/console'])
  expect((await visitor.get('/console/reports/products.csv?period=ever')).status).toBe(400)
})

test('a shop that sold nothing has no rows', async () => {
  const { visitor } = await signedIn(empty)
  const { status, text } = await visitor.get('/console/reports')
  expect([status, [...text.matchAll(/<p>None yet\.<\/p>/g)].length]).toEqual([200, 4])
  expect((await visitor.get('/console/reports/taxes.csv')).text.trimEnd().split('\r\n')).toHaveLength(1)
})

test.skipIf(hasNoBrowser)('the page fits and is accessible, also without anything to report', async () => {
  const browser = await sharedBrowser()
  for (const [shop, name] of [
    [corner, 'console-reports'],
    [empty, 'console-reports-empty'],
  ] as const) {
    const { page } = await openPage(browser)
    await page.goto(`${web.url}/console`)
    await page.getByLabel('Login').fill(shop.login)
    await page.getByLabel('Authtoken').fill(shop.authtoken)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('link', { name: 'Reports' }).click()
    await page.waitForURL('**/console/reports')
    await look(page, name)
  }
  await closePages(browser)
})
