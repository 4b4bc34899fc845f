import { crc32, deflateSync } from 'node:zlib'
import { expect } from 'vitest'
import { withStores } from '../../../subgraphs/store/operator/stores.ts'
import { askRaw } from '../../rest-facade/ask.ts'
import { consoleAt, type Shop } from './console.ts'
import { HOSTILE, type startWeb } from './site.ts'

/** HTML that a merchant, or whoever has their password, might write. */
export const HOSTILE_HTML = `<h1>About</h1><p onclick="window.ran=1">Made <b>here</b>.</p><script>window.ran=1</script>
<style>body{display:none}</style><img src=x onerror="window.ran=1"><iframe src="https://evil.example"></iframe>
<a href="javascript:window.ran=1">run</a><a href="https://good.example/">go</a><form action="/console"><input name=x></form><svg><script>window.ran=1</script></svg>`

/** A picture of one colour. */
function picture(red: number, green: number, blue: number): string {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
  const png = Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, red, green, blue]))),
    chunk('IEND', Buffer.alloc(0)),
  ])
  return `data:image/png;base64,${png.toString('base64')}`
}

export type FilledShop = Awaited<ReturnType<typeof aFilledShop>>

/** A shop with something of everything that its pages show, in two languages. */
export async function aFilledShop(web: Awaited<ReturnType<typeof startWeb>>, name: string) {
  const { graph } = consoleAt(() => web.url)
  const shop: Shop = await withStores(web.trust.database.connection, (stores) =>
    stores.create({ name, country: 'PT', isPaid: true }),
  )
  const merchant = async (query: string, variables: object = {}) => {
    const data = await graph(shop, query, variables)
    for (const value of Object.values(data) as { __typename?: string }[])
      if (value?.__typename) expect(value.__typename, query).toMatch(/Success$/)
    return data
  }
  const mutation = (field: string, type: string, input: object, selection = '') =>
    merchant(`mutation ($input: ${type}!) { made: ${field}(input: $input) { __typename ${selection} } }`, { input })

  await merchant('mutation { updateStore(input: {languages: ["en", "pt"]}) { __typename } }')
  const rest = async (path: string, body: object) => {
    const authorization = `Basic ${Buffer.from(`${shop.login}:${shop.authtoken}`).toString('base64')}`
    const headers = { authorization, 'content-type': 'application/json' }
    const { status, json } = await askRaw(web.url, `/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([path, status]).toEqual([path, 200])
    return json
  }
  const product = async (input: object): Promise<string> => String((await rest('/products.json', { product: input })).product.id)
  const kitchen = (await rest('/categories.json', { category: { name: 'Kitchen' } })).category.id
  const cups = (await rest('/categories.json', { category: { name: 'Cups', parent_id: kitchen } })).category.id
  const size = (value: string) => [{ name: 'Size', value }]
  const shirt = await product({
    name: 'Linen shirt',
    price: 40,
    sku: 'LS',
    brand: 'Marigold',
    description: HOSTILE_HTML,
    featured: true,
    categories: [{ id: kitchen }],
    variants: [
      { variant: { stock: 3, options: size('S') } },
      { variant: { stock: 0, options: size('M') } },
      { variant: { stock: 9, price: 45, options: size(HOSTILE.slice(0, 40)) } },
    ],
  })
  const cup = await product({
    name: 'Blue cup',
    price: 10,
    brand: 'Tidewater',
    stock: 5,
    maximum_quantity: 20,
    categories: [{ id: kitchen }, { id: cups }],
  })
  for (const url of [picture(90, 120, 80), picture(160, 60, 40)])
    await mutation('createProductImage', 'CreateProductImageInput', { productId: cup, url })
  await product({ name: 'Hidden bowl', price: 3, status: 'disabled' })
  await product({ name: 'Retired plate', price: 3, status: 'not-available' })
  await product({ name: HOSTILE, price: 0.01, stock_unlimited: true })
  await merchant('mutation ($id: ID!) { updateProduct(id: $id, input: {locale: "pt", name: "Chávena azul"}) { __typename } }', {
    id: cup,
  })
  await mutation('createTax', 'CreateTaxInput', { name: 'IVA', country: 'PT', rate: '23' })
  await mutation('createShippingMethod', 'CreateShippingMethodInput', {
    type: 'FLAT',
    name: 'Post',
    fees: [{ type: 'FIXED', value: 4 }],
  })
  await mutation('createLocation', 'CreateLocationInput', {
    name: 'Shop',
    address: 'Rua 7',
    city: 'Porto',
    country: 'PT',
    pickupPoint: true,
  })
  await mutation('createPaymentMethod', 'CreatePaymentMethodInput', { name: 'Bank transfer', description: 'To PT50 0000.' })
  await mutation('createCheckoutCustomField', 'CreateCheckoutCustomFieldInput', {
    label: 'I accept the terms',
    type: 'CHECKBOX',
    required: true,
  })
  await mutation('createPromotion', 'CreatePromotionInput', {
    name: 'Ten percent',
    type: 'PERCENTAGE',
    discountAmountPercent: '10',
    coupons: [{ code: 'TEN', usageLimit: 100 }],
  })
  const page = await mutation(
    'createPage',
    'CreatePageInput',
    { title: 'About us', body: HOSTILE_HTML },
    '... on CreatePageSuccess { page { id } }',
  )
  await mutation('createPageCategory', 'CreatePageCategoryInput', { name: 'Help', pageIds: [page.made.page.id] })
  const theme = await mutation(
    'uploadTheme',
    'UploadThemeInput',
    {
      name: 'Loud',
      settings: [
        { key: 'accent_color', type: 'COLOR', default: '#ffee00' },
        { key: 'announcement', type: 'TEXT', default: HOSTILE },
        { key: 'api_key', type: 'TEXT', default: 'secret of the theme' },
      ],
      files: [{ path: 'README.md', content: 'None.' }],
    },
    '... on UploadThemeSuccess { theme { id } }',
  )
  await merchant('mutation ($id: ID!) { applyTheme(id: $id) { __typename } }', { id: theme.made.theme.id })
  return { ...shop, cup, shirt, merchant }
}
