import { PNG } from '../../support/images.ts'
import type { Reply } from '../ask.ts'
import type { FullShop } from './full-shop.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON of the contract, which the sender holds against it
type Body = any

/** Sends a request that has to succeed. */
type Send = (method: string, path: string, body?: object) => Promise<Reply>

type Shop = {
  readonly full: FullShop
  readonly send: Send
  /** Creates a resource of this list, and notes its path. */
  readonly add: (list: string, body: object) => Promise<Body>
}

const PICTURE = `data:image/png;base64,${PNG.toString('base64')}`
const SHIPPED_TO = {
  name: 'Ana',
  surname: 'Sousa',
  address: 'Rua B 7',
  city: 'Porto',
  postal: '4000',
  region: 'Porto',
  country: 'PT',
}
const BILLED_TO = { ...SHIPPED_TO, taxid: '123456789' }

/**
 * Adds resources in states that a full shop does not have: of every type and state, with every key.
 * Returns their paths.
 */
export async function addParticular(full: FullShop, send: Send): Promise<readonly string[]> {
  const paths: string[] = []
  const add = async (list: string, body: object): Promise<Body> => {
    const { json } = await send('POST', list, body)
    const made = json.id === undefined ? Object.values<Body>(json)[0] : json
    paths.push(list.replace(/(\.json)?$/, `/${made.public_id ?? made.id}$1`))
    return made
  }
  const shop = { full, send, add }
  paths.push(await addProducts(shop))
  await addSettings(shop)
  await addShippingMethods(shop)
  await addPromotions(shop)
  await addOrders(shop)
  return paths
}

/** Returns the path of a variant with a picture. */
async function addProducts({ full: { ids }, send, add }: Shop): Promise<string> {
  const shirt = await add('/products.json', {
    product: {
      name: 'Çhirt “fine”',
      page_title: 'Title',
      meta_description: 'Meta',
      description: '<p>x</p>',
      price: 39.9999,
      weight: 0.4,
      stock_threshold: 2,
      stock_notification: true,
      back_in_stock_enabled: true,
      cost_per_item: 3.5,
      compare_at_price: 60,
      minimum_quantity: 1,
      maximum_quantity: 9,
      sku: 'S',
      barcode: '123',
      google_product_category_text: 'Apparel',
      featured: true,
      status: 'not-available',
      package_format: 'cylinder',
      length: 1,
      diameter: 2,
      categories: [{ id: ids.categories }],
      variants: [
        {
          variant: {
            sku: 'a',
            stock: 3,
            price: 12.5,
            options: [{ name: 'Colour', option_type: 'color', value: 'red', custom: '#ff0000' }],
          },
        },
        { variant: { sku: 'b', stock_unlimited: true, options: [{ name: 'Colour', option_type: 'color', value: 'blue' }] } },
      ],
    },
  })
  const { image } = (await send('POST', `/products/${shirt.id}/images.json`, { image: { url: PICTURE } })).json
  const [variant] = shirt.variants
  const path = `/products/${shirt.id}/variants/${variant.id}.json`
  await send('PUT', path, { variant: { image_id: image.id } })
  for (const type of ['input', 'text', 'file', 'checklist']) {
    await add(`/products/${shirt.id}/options.json`, {
      option: { name: type, option_type: type, ...(type === 'checklist' && { addon_price: 1.5 }) },
    })
  }
  await add('/products.json', { product: { name: 'Gone', price: 0, status: 'disabled', quotable: true, stock_unlimited: true } })
  await add('/products.json', { product: { name: 'Song', price: 1, type: 'digital', days_to_expire: 3 } })
  await add('/products.json', { product: { name: 'Gift', price: 1, type: 'gift_card' } })
  await add('/categories.json', { category: { name: 'Below', parent_id: ids.categories } })
  return path
}

async function addSettings({ send, add }: Shop): Promise<void> {
  await add('/custom_fields.json', { custom_field: { label: 'Free', type: 'text' } })
  await add('/custom_fields.json', { custom_field: { label: 'Long', type: 'input', product_visibility: false } })
  await add('/custom_fields.json', { custom_field: { label: 'None', type: 'selection' } })
  for (const type of ['text', 'select', 'input', 'checkbox', 'date']) {
    await add('/checkout_custom_fields.json', {
      checkout_custom_field: {
        label: `A ${type}`,
        type,
        area: 'other',
        required: true,
        ...(type === 'select' && { custom_field_select_options: ['a', 'b'] }),
      },
    })
  }
  await add('/locations.json', {
    name: 'Shed',
    main: false,
    email: 'a@example.org',
    pickup_point: true,
    postal: '1',
    address: 'Rua C',
    city: 'Braga',
    country: 'PT',
    Region: 'Braga',
  })
  await add('/pages.json', { page: { title: 'Draft', status: 'draft', body: 'x', page_title: 'y', meta_description: 'z' } })
  const theme = await add('/themes.json', {
    theme: {
      name: 'Loud',
      label: '2',
      settings: [
        { key: 'font', type: 'choice', options: ['serif', 'sans'], default: 'sans' },
        { key: 'size', type: 'number', default: 3 },
        { key: 'dark', type: 'boolean', default: false },
      ],
      files: [{ path: 'assets/theme.css', content: 'h1 {}' }],
    },
  })
  await send('PUT', `/themes/${theme.id}.json`, { theme: { settings: { font: 'serif' } } })
}

async function addShippingMethods({ add }: Shop): Promise<void> {
  await add('/shipping_methods.json', {
    shipping_method: {
      type: 'external',
      name: 'Carrier',
      callback_url: 'https://example.com/rates',
      fetch_services_url: 'https://example.com/services',
      token: 't',
      state: 'Porto',
      city: 'Porto',
      postal: '4000',
    },
  })
  await add('/shipping_methods.json', {
    shipping_method: {
      type: 'tables',
      name: 'Table',
      tables: [
        {
          basedon: 'price',
          values: [
            { amount: 0, price: 1.25 },
            { amount: 10.5, price: 2 },
          ],
          locations: [{ country: 'PT', region: '13' }],
        },
        { basedon: 'quantity', values: [{ amount: 1, price: 0 }], locations: [] },
      ],
    },
  })
}

async function addPromotions({ full, add }: Shop): Promise<void> {
  const { ids } = full
  const products = [{ id: full.productIds[0] }]
  for (const [index, promotion] of [
    {
      discount_target: 'order',
      type: 'percentage',
      discount_amount_percent: 12.5,
      buys_at_least: 'price',
      condition_price: 20.5,
    },
    {
      discount_target: 'shipping',
      type: 'fix',
      discount_amount_fix: 2.5,
      customers: 'loggedin',
      buys_at_least: 'qty',
      condition_qty: 2,
    },
    {
      discount_target: 'order',
      type: 'fix',
      discount_amount_fix: 2.5,
      customers: 'categories',
      customer_categories: [{ id: ids.customer_categories }],
    },
    { discount_target: 'categories', type: 'fix', discount_amount_fix: 2.5, products, countries: ['PT'], customers: 'guests' },
    {
      discount_target: 'buy_x_get_y',
      type: 'percentage',
      discount_amount_percent: 50,
      quantity_x: 2,
      products,
      products_x: products,
      lasts: 'both',
      begins_at: '2026-01-01T00:00:00Z',
      expires_at: '2036-01-01T00:00:00Z',
      max_times_used: 10,
    },
    {
      discount_target: 'order',
      type: 'percentage',
      discount_amount_percent: 5,
      lasts: 'date',
      expires_at: '2026-01-02T00:00:00Z',
      enabled: false,
    },
    {
      discount_target: 'order',
      type: 'percentage',
      discount_amount_percent: 5,
      cumulative: true,
      coupons: [{ code: 'ONE', usage_limit: 1 }],
    },
  ].entries()) {
    await add('/promotions.json', { promotion: { name: `Particular ${index}`, ...promotion } })
  }
}

/** Customers, and orders in every state. */
async function addOrders({ full, send, add }: Shop): Promise<void> {
  const { ids } = full
  const ana = await add('/customers.json', {
    customer: {
      email: 'ana@example.org',
      phone: '912345678',
      status: 'pending',
      accepts_marketing: true,
      shipping_address: SHIPPED_TO,
      billing_address: BILLED_TO,
      customer_category: [ids.customer_categories],
    },
  })
  await add('/customers.json', {
    customer: {
      email: 'cl@example.org',
      shipping_address: { ...SHIPPED_TO, country: 'CL', region: 'Tarapacá', municipality: 'Iquique' },
    },
  })

  const { json } = await send('GET', `/products/${full.productIds[1]}.json`)
  const lines = [{ id: full.productIds[1], variant_id: json.product.variants[0].id, qty: 1, price: 10, discount: 0.005 }]
  const order = { customer: { id: ana.id, shipping_address: SHIPPED_TO, billing_address: BILLED_TO }, products: lines }
  for (const status of ['Abandoned', 'Pending Payment', 'Paid', 'Canceled'])
    await add('/orders.json', { order: { ...order, status } })
  const statuses = ['requested', 'in_transit', 'pickup_available', 'delivered']
  for (const [index] of statuses.entries()) {
    const { id } = await add('/orders.json', { order: { ...order, status: 'Paid' } })
    for (const shipment_status of statuses.slice(0, index + 1))
      await send('PUT', `/orders/${id}.json`, { order: { shipment_status } })
    const tracking = { tracking_number: 'T', tracking_company: 'other', tracking_url: 'https://example.com/t' }
    await send('PUT', `/orders/${id}.json`, {
      order: { ...tracking, additional_information: 'Ring twice', additional_fields: [{ label: 'Gift', value: 'yes' }] },
    })
    await add('/fulfillments.json', {
      fulfillment: {
        type: 'dhl',
        order_id: String(id),
        location_id: String(ids.locations),
        tracking_number: 'D',
        shipping_address: SHIPPED_TO,
      },
    })
  }
}
