import { afterAll, beforeAll, expect, test } from 'vitest'
import { drawLabel } from '../../../../subgraphs/store/fulfillment/label.ts'
import { shopping } from '../order/support.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { pagesOf } from './pdf.ts'
import { shipping } from './support.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof shopping>
let shipper: ReturnType<typeof shipping>
let locationId: string
beforeAll(async () => {
  stack = await startStore(() => NOON)
  shop = await stack.aStore({ name: 'Olaria' })
  shopper = shopping(stack, shop)
  shipper = shipping(stack, shop)
  locationId = String(await shopper.aLocation())
})
afterAll(() => stack.close())

const ADDRESS = { name: 'Inês', surname: 'Conceição', address: 'Rua das Flores', streetNumber: 7, city: 'Porto', country: 'PT' }
const aConsignment = (more: Record<string, unknown> = {}) =>
  shipper.aFulfillment({ type: 'CTT', locationId, shippingAddress: ADDRESS, ...more })
const labelFiles = async () =>
  Number((await stack.sql('SELECT count(*) FROM file WHERE store_id = $1', [shop.storeId]))[0]?.count)

test('a label is a PDF with a page for each package, at an address that works for a day', async () => {
  const { id, number, label } = await aConsignment({
    trackingNumber: 'RR123',
    serviceType: 'next-day',
    phone: '912',
    message: 'Fragile',
    packages: [{ length: 10, width: 20, height: 30, weight: '1.5' }, {}],
  })
  expect(label.expiresAt).toBe('2026-11-21T12:00:00.000Z')
  expect(label.url).toMatch(/^https:\/\/atrium\.example\/files\/private\/\d+\/[0-9a-f/]+\.pdf\?/)
  const pdf = await shipper.fileAt(label.url)
  expect(pdf?.subarray(0, 5).toString()).toBe('%PDF-')
  const pages = pagesOf(pdf ?? Buffer.alloc(0))
  expect(pages).toHaveLength(2)
  for (const said of [
    'Olaria',
    'Store room',
    'Inês Conceição',
    'Rua das Flores 7',
    'Portugal',
    '912',
    'CTT · next-day',
    'RR123',
    'Fragile',
  ]) {
    for (const page of pages) expect(page).toContain(said)
  }
  expect(pages[0]).toContain(`Fulfillment ${number}Package 1 of 2 · 1.5 kg · 10 × 20 × 30 cm`)
  expect(pages[1]).toContain('Package 2 of 2')
  // Asked for again, it is the same file.
  const before = await labelFiles()
  const again = await shipper.label(id)
  expect(again.__typename).toBe('FulfillmentLabelSuccess')
  expect(new URL(again.label.url).pathname).toBe(new URL(label.url).pathname)
  expect(await labelFiles()).toBe(before)
})

test('what the store carries itself, and what goes nowhere, has no label', async () => {
  const [own, nowhere] = [await aConsignment({ type: 'MANUAL' }), await aConsignment({ shippingAddress: null })]
  for (const { id, label } of [own, nowhere]) {
    expect(label).toBeNull()
    expect(await shipper.label(id)).toEqual({ __typename: 'FulfillmentHasNoLabel', message: 'Invalid Label.' })
  }
  expect((await shipper.label('999999')).__typename).toBe('NotFoundError')
})

test('a change of what a label says withdraws it and draws another; any other change lets it be', async () => {
  const { id, label } = await aConsignment({ trackingNumber: 'A' })
  const files = await labelFiles()
  const moved = await shipper.update(id, { shipmentStatus: 'IN_TRANSIT', externalId: 'x' })
  expect(new URL(moved.fulfillment.label.url).pathname).toBe(new URL(label.url).pathname)

  const { fulfillment } = await shipper.update(id, { trackingNumber: 'B' })
  expect(await shipper.fileAt(label.url)).toBeNull()
  expect(pagesOf((await shipper.fileAt(fulfillment.label.url)) ?? Buffer.alloc(0))[0]).toContain('B')
  // Drawing it is no change.
  expect(fulfillment.version).toBe(3)
  expect(await labelFiles()).toBe(files)

  expect((await shipper.update(id, { type: 'MANUAL' })).fulfillment.label).toBeNull()
  expect(await labelFiles()).toBe(files - 1)
})

test('a label that a change of the order deleted is rendered again on request', async () => {
  const { id: product } = await shopper.aProduct()
  const order = await shopper.anOrder({
    status: 'PAID',
    customer: { shippingAddress: ADDRESS },
    lines: [{ productId: String(product) }],
  })
  const { id } = await shipper.aFulfillment({ type: 'DHL', locationId, orderId: String(order.number) })
  await shopper.update(order.number, { trackingNumber: 'JD014' })
  expect((await shipper.fulfillment(id)).label).toBeNull()
  // Two who ask at once get one label.
  const [one, other] = await Promise.all([shipper.label(id), shipper.label(id)])
  expect(new URL(one.label.url).pathname).toBe(new URL(other.label.url).pathname)
  const [page] = pagesOf((await shipper.fileAt(one.label.url)) ?? Buffer.alloc(0))
  expect(page).toContain('JD014')
  expect(page).toContain(`Order ${order.number}`)
})

test('the label goes with its fulfillment', async () => {
  const { id, label } = await aConsignment()
  await shipper.remove(id)
  expect(await shipper.fileAt(label.url)).toBeNull()
})

const LABEL = {
  sender: 'Olaria',
  receiver: 'Ana',
  carrier: 'CTT',
  trackingNumber: 'A',
  references: 'Order 1',
  notes: 'Fragile',
  packages: ['Package 1 of 1'],
}
test.each([
  ['Polish, Greek and Cyrillic', 'Łódź Ελλάδα Київ'],
  ['Arabic and Hebrew', 'شارع الحمراء רחוב'],
  ['Chinese, which is drawn as boxes', '北京市朝阳区'],
  ['signs that join others', 'e\u0301\u0327\u200d\u200b\ufe0f\u202e👩‍👩‍👧‍👦 🇵🇹 \u{1F3F4}\u{E0067}'],
  ['Devanagari, Thai and Tamil', 'हिन्दी क्ष्म ภาษาไทย தமிழ்'],
  ['what steers other programs', '\t\u0001\u007f\u0085\ufeff(\\)<</A>>%'],
  ['one word without an end', 'W'.repeat(2_000)],
  ['many lines', 'a\n'.repeat(900)],
])('texts of %s are drawn on one page', async (_, text) => {
  const pdf = (await drawLabel({ ...LABEL, receiver: text, carrier: text, trackingNumber: text, notes: text }, NOON)).toString(
    'latin1',
  )
  expect(pdf).toMatch(/^%PDF-[\s\S]*%%EOF\s*$/)
  expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1)
})

test('characters outside Latin-1 are rendered with an embedded font', async () => {
  const [latin, polish] = [await drawLabel(LABEL, NOON), await drawLabel({ ...LABEL, receiver: 'Łódź' }, NOON)]
  expect(latin.toString('latin1')).not.toContain('DejaVu')
  expect(polish.toString('latin1')).toContain('DejaVu')
})
