import { afterAll, beforeAll, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, fieldsOf, type Shop } from './support/console.ts'
import { startWeb } from './support/site.ts'

const TRANSFERS = '/console/transfers'

let web: Awaited<ReturnType<typeof startWeb>>
const { signedIn, aProduct, graph } = consoleAt(() => web.url)
let shop: Shop
let cup: string
beforeAll(async () => {
  web = await startWeb()
  shop = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }),
  )
  cup = await aProduct(shop, { name: 'Cup', price: '12.50', sku: 'CUP-1' })
})
afterAll(() => web?.close())

/** Two locations, with ten cups at the first. */
async function stocked(): Promise<void> {
  const ids: string[] = []
  for (const name of ['North', 'South']) {
    const { made } = await graph(
      shop,
      'mutation ($input: CreateLocationInput!) { made: createLocation(input: $input) { ... on CreateLocationSuccess { location { id } } } }',
      { input: { name, address: 'Rua 1', city: 'Porto', country: 'PT' } },
    )
    ids.push(made.location.id)
  }
  await graph(shop, 'mutation ($input: SetInventoryLevelInput!) { setInventoryLevel(input: $input) { __typename } }', {
    input: { locationId: ids[0], productId: cup, stock: 10 },
  })
}
const stock = async (): Promise<number> =>
  (await graph(shop, 'query ($id: ID!) { product(id: $id) { stock } }', { id: cup })).product.stock

test('a transfer is written down by SKU, sent, received in part with a reason, and its rest canceled', async () => {
  const { visitor } = await signedIn(shop)
  expect((await visitor.get(TRANSFERS)).text).toContain('No transfers yet')
  expect((await visitor.get(`${TRANSFERS}/new`)).text).toContain('needs two locations')
  await stocked()
  const page = await visitor.get(`${TRANSFERS}/new`)
  const fields = fieldsOf(page, `${TRANSFERS}/new`)
  for (const [lines, problem] of [
    ['CUP-1', 'a space and units'],
    ['NONE 3', 'of one item'],
    ['', '1 to 50 lines'],
  ] as const) {
    const refused = await visitor.post(`${TRANSFERS}/new`, { ...fields, lines })
    expect([refused.status, refused.text.includes(problem)]).toEqual([422, true])
  }
  const made = await visitor.post(`${TRANSFERS}/new`, { ...fields, lines: 'CUP-1 6\r\n', note: 'By van' })
  const at = String(made.headers.location).replace('?done=created', '')
  expect(at).toMatch(/^\/console\/transfers\/\d+$/)
  expect(await stock()).toBe(10)
  const sent = await visitor.post(`${at}/send`, fieldsOf(await visitor.get(at), `${at}/send`))
  expect([sent.headers.location, await stock()]).toEqual([`${at}?done=sent`, 4])

  const receive = fieldsOf(await visitor.get(at), `${at}/receive`)
  const line = Object.keys(receive)
    .find((name) => name.startsWith('received-'))
    ?.slice('received-'.length)
  const part = { ...receive, [`received-${line}`]: '3', [`missing-${line}`]: '1', [`reason-${line}`]: 'DAMAGED' }
  expect((await visitor.post(`${at}/receive`, { ...part, [`received-${line}`]: '99' })).status).toBe(422)
  expect((await visitor.post(`${at}/receive`, part)).headers.location).toBe(`${at}?done=received`)
  const twice = await visitor.post(`${at}/receive`, { ...part, once: 'another-key' })
  expect([twice.status, await stock()]).toEqual([422, 7])
  const cancel = fieldsOf(await visitor.get(at), `${at}/cancel`)
  // A second click sends the form again.
  for (const _ of [1, 2]) expect((await visitor.post(`${at}/cancel`, cancel)).headers.location).toBe(`${at}?done=canceled`)
  expect(await stock()).toBe(9)
  const done = await visitor.get(at)
  for (const text of ['canceled', 'damaged', 'By van', 'North', 'South']) expect(done.text).toContain(text)
  expect((await visitor.get(TRANSFERS)).text).toContain(`href="${at}"`)
  expect((await visitor.get(`${TRANSFERS}/999999`)).status).toBe(404)
})

test.skipIf(hasNoBrowser)('the pages of transfers fit and are accessible', async () => {
  const browser = await sharedBrowser()
  const { page } = await openPage(browser)
  await page.goto(`${web.url}/console`)
  await page.getByLabel('Login').fill(shop.login)
  await page.getByLabel('Authtoken').fill(shop.authtoken)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Transfers' }).click()
  await look(page, 'console-transfers')
  await page.getByRole('link', { name: 'New transfer' }).click()
  await look(page, 'console-transfer-new')
  await page.getByLabel('Items').fill('CUP-1 2')
  await page.getByRole('button', { name: 'Write down the transfer' }).click()
  await page.getByRole('button', { name: 'Send' }).click()
  await look(page, 'console-transfer')
  await closePages(browser)
})
