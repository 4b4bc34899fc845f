import { afterAll, beforeAll, expect, test } from 'vitest'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import type { Reply } from '../rest-facade/ask.ts'
import { closePages, hasNoBrowser, look, openPage, sharedBrowser } from './support/browser.ts'
import { consoleAt, type Fields, fieldsOf, type Shop } from './support/console.ts'
import { HOSTILE, startWeb } from './support/site.ts'

const DRAFTS = '/console/drafts'

let web: Awaited<ReturnType<typeof startWeb>>
const { signedIn, aProduct, graph, aVisitor } = consoleAt(() => web.url)
let shop: Shop
let cup: string
beforeAll(async () => {
  web = await startWeb()
  shop = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name: 'Corner shop', country: 'PT', isPaid: true }),
  )
  cup = await aProduct(shop, { name: 'Cup', price: '12.50', sku: 'CUP-1', stock: 10 })
  await aProduct(shop, { name: HOSTILE, price: '3', sku: 'BOWL-1', stock: 10 })
  const input = { type: 'FLAT', name: 'Post', fees: [{ type: 'FIXED', value: '4' }] }
  await graph(shop, 'mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { __typename } }', {
    input,
  })
  await graph(
    shop,
    'mutation { createPaymentMethod(input: { name: "Bank transfer", description: "To PT50." }) { __typename } }',
    {},
  )
})
afterAll(() => web?.close())

const textOf = ({ text }: Reply) => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')
const stock = async (): Promise<number> =>
  (await graph(shop, 'query ($id: ID!) { product(id: $id) { stock } }', { id: cup })).product.stock
const stored = async (number: string) =>
  (
    await graph(
      shop,
      'query ($number: ID!) { draftOrder(id: $number) { status total currency contents invoiceUrl version order { number status total customer { email } shippingMethodName } } }',
      { number },
    )
  ).draftOrder

/** Sends a form of the page with some fields filled in. */
async function send(visitor: ReturnType<typeof aVisitor>, path: string, action: string, fields: Fields = {}) {
  return visitor.post(path + action, { ...fieldsOf(await visitor.get(path), path + action), ...fields })
}
async function aDraft(visitor: ReturnType<typeof aVisitor>, fields: Fields) {
  const made = await send(visitor, `${DRAFTS}/new`, '', fields)
  const path = String(made.headers.location).replace('?done=created', '')
  expect(path).toMatch(/^\/console\/drafts\/\d+$/)
  return { path, number: path.split('/').at(-1) ?? '' }
}
/** The method as a form has it. */
const choiceOf = ({ text }: Reply, label: string) =>
  new RegExp(`<option value="(\\d+)"[^>]*>${label}</option>`).exec(text)?.[1] ?? ''

test('a draft is prepared by SKU and by hand, changed, and becomes an order that its customer pays by its link', async () => {
  const { visitor } = await signedIn(shop)
  expect((await visitor.get(DRAFTS)).text).toContain('No open drafts yet')
  const form = await visitor.get(`${DRAFTS}/new`)
  const { path, number } = await aDraft(visitor, {
    ...{ lines: 'CUP-1 2\r\nBOWL-1 1', customName: 'Engraving', customPrice: '5.50', email: 'ana@example.org' },
    ...{ 'shipping-name': 'Ana', 'shipping-city': 'Porto', 'shipping-country': 'PT', discount: '1.5' },
    ...{ shippingMethodId: choiceOf(form, 'Post'), paymentMethodId: choiceOf(form, 'Bank transfer') },
  })
  // 2 x 12.5 + 3 + 5.5 - 1.5, and 4 for each of three units that are shipped
  expect(await stored(number)).toMatchObject({ status: 'OPEN', total: '44', currency: 'EUR' })
  const page = await visitor.get(path)
  for (const text of ['Cup', 'Engraving', '€44.00', 'ana@example.org']) expect(textOf(page) + page.text).toContain(text)
  expect(page.text).not.toContain(HOSTILE)

  // Sent as it is shown, it changes nothing but the version.
  const before = (await stored(number)).contents
  expect((await send(visitor, path, '')).headers.location).toBe(`${path}?done=saved`)
  const same = (await stored(number)).contents
  expect(same.lines.map(({ quantity }: { quantity: number }) => quantity)).toEqual([2, 1, 1])
  expect(same.customer).toEqual(before.customer)
  expect((await stored(number)).total).toBe('44')

  const changed = await send(visitor, path, '', {
    'units-0': '1',
    'price-0': '10',
    'discount-0': '2',
    'units-1': '0',
    discount: '',
  })
  expect(changed.headers.location).toBe(`${path}?done=saved`)
  // 10 - 2 + 5.5 + 4
  expect(await stored(number)).toMatchObject({ total: '17.5', contents: { lines: [{ price: '10' }, { name: 'Engraving' }] } })
  expect(await stock()).toBe(10)

  const complete = fieldsOf(await visitor.get(path), `${path}/complete`)
  // A second click sends the form again.
  for (const _ of [1, 2])
    expect((await visitor.post(`${path}/complete`, complete)).headers.location).toBe(`${path}?done=completed`)
  const { order, invoiceUrl } = await stored(number)
  expect(order).toMatchObject({
    status: 'PENDING_PAYMENT',
    total: '17.5',
    customer: { email: 'ana@example.org' },
    shippingMethodName: 'Post',
  })
  expect(await stock()).toBe(9)
  const done = await visitor.get(`${path}?done=completed`)
  for (const text of [invoiceUrl, `/console/orders/${order.number}`, 'payment pending']) expect(done.text).toContain(text)
  expect(done.text).not.toContain('<button>Create the order')
  const customer = aVisitor()
  expect(textOf(await customer.get(new URL(invoiceUrl).pathname))).toContain('€17.50')
  const isIn = async (list: string) => (await visitor.get(DRAFTS + list)).text.includes(`href="${path}"`)
  expect([await isIn(''), await isIn('?status=completed'), await isIn('?status=canceled'), await isIn('?status=all')]).toEqual([
    ...[false, true, false, true],
  ])
})

test('what is wrong with a draft stands at its field, and what was typed stays', async () => {
  const { visitor } = await signedIn(shop)
  const refused = async (fields: Fields, field: string, problem: string, path = `${DRAFTS}/new`) => {
    const reply = await send(visitor, path, '', fields)
    expect([reply.status, fields, reply.text.includes(`${field}-problem"`), textOf(reply)]).toEqual([
      422,
      fields,
      true,
      expect.stringContaining(problem),
    ])
    return reply
  }
  await refused({}, 'lines', 'at least one product')
  await refused({ lines: 'NONE 3' }, 'lines', 'of one item')
  await refused({ lines: 'CUP-1 1', discount: 'much' }, 'discount', 'a number')
  await refused({ customPrice: '3' }, 'customName', 'Enter the name')
  await refused({ lines: 'CUP-1 1', phone: '912' }, 'email', 'e-mail address')
  const second = await refused({ lines: 'CUP-1 1', email: 'ana', discount: '2' }, 'email', 'Expected this to be an address')
  expect(second.text).toContain('value="2"')
  await refused({ lines: 'CUP-1 1', email: 'a@b.example', 'shipping-country': 'Nowhere' }, 'shipping-country', 'ISO 3166-1')

  const { path, number } = await aDraft(visitor, { lines: 'CUP-1 1' })
  await refused({ 'price-0': '1', 'discount-0': '2' }, 'discount-0', 'Expected this to be at most 1', path)
  await refused({ 'units-0': '2000000' }, 'units-0', '1000000', path)
  // Somebody else was faster.
  const form = fieldsOf(await visitor.get(path), path)
  await send(visitor, path, '', { 'units-0': '3' })
  const late = await visitor.post(path, { ...form, once: 'another-key', 'units-0': '2' })
  expect([late.status, textOf(late)]).toEqual([422, expect.stringContaining('Stored now: 3')])
  expect(await stored(number)).toMatchObject({ total: '37.5' })
})

test('an order is made at the total that was shown, from stock that is there, and not of a canceled draft', async () => {
  const { visitor } = await signedIn(shop)
  const { path, number } = await aDraft(visitor, { lines: 'CUP-1 1' })
  const shown = fieldsOf(await visitor.get(path), `${path}/complete`)
  const price = (amount: string) =>
    graph(shop, 'mutation ($id: ID!, $amount: Decimal!) { updateProduct(id: $id, input: { price: $amount }) { __typename } }', {
      ...{ id: cup, amount },
    })
  await price('20')
  const late = await visitor.post(`${path}/complete`, shown)
  expect([late.status, textOf(late)]).toEqual([422, expect.stringContaining('Expected a total of 12.5, but it is 20 now')])
  await price('12.5')
  await send(visitor, path, '', { 'units-0': '500' })
  expect(textOf(await visitor.get(path))).toContain('Cup: 500 wanted')
  expect((await send(visitor, path, '/complete')).status).toBe(422)
  expect((await send(visitor, path, '/cancel')).headers.location).toBe(`${path}?done=canceled`)
  expect(await stored(number)).toMatchObject({ status: 'CANCELED', order: null })
  expect((await visitor.post(`${path}/complete`, { ...shown, once: 'another-key' })).status).toBe(422)

  const coupon = await aDraft(visitor, { lines: 'CUP-1 1', couponCodes: 'NOPE', applyPromotions: 'yes' })
  expect(textOf(await visitor.get(coupon.path))).toContain('which an order refuses: NOPE')
  expect((await send(visitor, coupon.path, '/complete')).status).toBe(422)
  expect((await visitor.get(`${DRAFTS}/999999`)).status).toBe(404)

  const paid = await aDraft(visitor, { customName: 'Advice', customPrice: '30' })
  await send(visitor, paid.path, '/complete', { isPaid: 'yes' })
  expect((await stored(paid.number)).order).toMatchObject({ status: 'PAID', total: '30' })
})

test('what a program put into a draft, and the form has no field for, stays', async () => {
  const { visitor } = await signedIn(shop)
  const contents = {
    lines: [{ productId: cup, quantity: 2 }],
    customer: { email: 'ana@example.org', fullname: 'Ana Sousa', billingAddress: { city: 'Faro', country: 'PT' } },
    shippingMethodName: 'By hand',
    shippingPrice: '7',
    additionalFields: [{ label: 'Gift', value: 'yes' }],
  }
  const { made } = await graph(
    shop,
    'mutation ($input: CreateDraftOrderInput!) { made: createDraftOrder(input: $input) { ... on DraftOrderSuccess { draftOrder { number } } } }',
    { input: { contents } },
  )
  const number = String(made.draftOrder.number)
  await send(visitor, `${DRAFTS}/${number}`, '', { additionalInformation: 'Ring twice' })
  expect((await stored(number)).contents).toMatchObject({ ...contents, additionalInformation: 'Ring twice' })
})

test.skipIf(hasNoBrowser)('the pages of drafts fit and are accessible, without a script', async () => {
  const browser = await sharedBrowser()
  const { page } = await openPage(browser)
  await page.goto(`${web.url}/console`)
  await page.getByLabel('Login').fill(shop.login)
  await page.getByLabel('Authtoken').fill(shop.authtoken)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('link', { name: 'Drafts' }).click()
  await look(page, 'console-drafts')
  await page.getByRole('link', { name: 'New draft' }).click()
  await look(page, 'console-draft-new')
  await page.getByLabel('Add products').fill('CUP-1 2')
  await page.getByLabel('E-mail address').fill('ana@example.org')
  await page.getByLabel('Discount on the whole').fill('5')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await look(page, 'console-draft')
  await page.getByLabel('Units').first().fill('99')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await look(page, 'console-draft-short')
  await page.getByLabel('Units').first().fill('1')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Create the order' }).click()
  await look(page, 'console-draft-completed')
  await closePages(browser)
})
