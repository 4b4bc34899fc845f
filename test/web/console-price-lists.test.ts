import { afterAll, beforeAll, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, fieldsOf, type Shop } from './support/console.ts'
import { startWeb } from './support/site.ts'

const LISTS = '/console/price-lists'

let web: Awaited<ReturnType<typeof startWeb>>
const { signedIn, aProduct, graph } = consoleAt(() => web.url)
let shop: Shop
beforeAll(async () => {
  web = await startWeb()
  shop = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }),
  )
  await aProduct(shop, { name: 'Cup', price: '12.50', sku: 'CUP 1' })
  await aProduct(shop, { name: 'Mug', price: '12.50', sku: 'MUG' })
  await aProduct(shop, { name: 'Large mug', price: '12.50', sku: 'MUG 12' })
  await graph(shop, 'mutation { createCustomerCategory(input: {name: "Resellers"}) { __typename } }', {})
})
afterAll(() => web?.close())

test('a price list is added, changed, given fixed prices by SKU and deleted', async () => {
  const { visitor } = await signedIn(shop)
  expect((await visitor.get(LISTS)).text).toContain('No price lists yet')
  const fields = fieldsOf(await visitor.get(`${LISTS}/new`), `${LISTS}/new`)
  expect(fields).toMatchObject({ customerCategoryId: 'all', roundingEnding: '0', roundingDirection: 'nearest', priority: '0' })
  const options = (await visitor.get(`${LISTS}/new`)).text
  const [, category = ''] = /<option value="(\d+)">Resellers/.exec(options) ?? []
  for (const [name, value, problem] of [
    ['adjustmentPercent', '-101', '-100 to 1000'],
    ['adjustmentPercent', 'much', 'such as -10'],
    ['roundingEnding', '0.99', 'less than the step'],
    ['customerCategoryId', '', 'Choose one'],
    ['startsAt', 'soon', 'a day and a time'],
  ] as const) {
    const refused = await visitor.post(`${LISTS}/new`, { ...fields, name: 'Trade', [name]: value })
    expect([name, refused.status, refused.text.includes(problem)]).toEqual([name, 422, true])
  }
  const made = await visitor.post(`${LISTS}/new`, {
    ...fields,
    ...{ name: 'Trade', customerCategoryId: category, adjustmentPercent: '-10', roundingEnding: '0.99', roundingStep: '1' },
  })
  const at = String(made.headers.location).replace('?done=created', '')
  expect(at).toMatch(/^\/console\/price-lists\/\d+$/)
  const prices = fieldsOf(await visitor.get(at), `${at}/prices`)
  for (const [lines, problem] of [
    ['CUP 1', 'of one item'],
    ['CUP 1 cheap', 'a stock keeping unit and a price'],
    ['CUP 1 7.505', 'whole minor units'],
    ['MUG 12 9', 'can be of “MUG”, or of “MUG 12”'],
  ] as const) {
    const refused = await visitor.post(`${at}/prices`, { ...prices, lines })
    expect([lines, refused.status, refused.text.includes(problem)]).toEqual([lines, 422, true])
  }
  const set = await visitor.post(`${at}/prices`, { ...prices, lines: 'CUP 1 8.50\r\nCUP 1 7 10\r\nMUG 12 9 1\r\nMUG 12.00 9' })
  expect(set.headers.location).toBe(`${at}?done=priced`)
  const shown = (await visitor.get(at)).text
  for (const text of ['10 % less', '4 prices', '€8.50', '€9.00', '€12.00', '€7.00', '€12.50']) expect(shown).toContain(text)
  // The form shows what is stored: saved as it is, nothing changes.
  const saved = await visitor.post(at, fieldsOf(await visitor.get(at), at))
  expect(saved.headers.location).toBe(`${at}?done=saved`)
  const { priceLists } = await graph(
    shop,
    '{ priceLists { nodes { name adjustmentPercent roundingEnding roundingStep customerCategoryNumber prices { totalCount } } } }',
    {},
  )
  expect(priceLists.nodes).toEqual([
    {
      ...{ name: 'Trade', adjustmentPercent: '-10', roundingEnding: '0.99', roundingStep: '1' },
      ...{ customerCategoryNumber: Number(category), prices: { totalCount: 4 } },
    },
  ])
  const stale = await visitor.post(at, { ...fieldsOf(await visitor.get(at), at), version: '1' })
  expect([stale.status, stale.text.includes('Not saved')]).toEqual([422, true])
  const remove = { product: '1', variant: '', minimum: '10' }
  const [, product = ''] = /name="product" value="(\d+)"/.exec(shown) ?? []
  expect((await visitor.post(`${at}/prices/remove`, { ...remove, product })).headers.location).toBe(`${at}?done=removed`)
  expect((await visitor.get(at)).text).toContain('3 prices of one unit')
  expect((await visitor.get(LISTS)).text).toContain('Resellers')
  const gone = await visitor.post(`${at}/delete`, fieldsOf(await visitor.get(at), `${at}/delete`))
  expect(gone.headers.location).toBe(`${LISTS}?done=deleted`)
  expect((await visitor.get(at)).status).toBe(404)
})

test.skipIf(hasNoBrowser)('the pages of price lists fit and are accessible', async () => {
  const browser = await sharedBrowser()
  const { page } = await openPage(browser)
  await page.goto(`${web.url}/console`)
  await page.getByLabel('Login').fill(shop.login)
  await page.getByLabel('Authtoken').fill(shop.authtoken)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Price lists' }).click()
  await page.getByRole('link', { name: 'Add a price list' }).click()
  await look(page, 'console-price-list-new')
  await page.getByLabel('Name').fill('Trade')
  await page.getByLabel('Percent').fill('-10')
  await page.getByRole('button', { name: 'Add the price list' }).click()
  await page.getByLabel('Set prices').fill('CUP 1 8.50')
  await page.getByRole('button', { name: 'Set the prices' }).click()
  await look(page, 'console-price-list')
  await page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: 'Price lists' }).click()
  await look(page, 'console-price-lists')
  await closePages(browser)
})
