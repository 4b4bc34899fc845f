import type { Sent } from './requests.ts'

/** What a store is filled with before it is asked: enough that small ids name something. */
export const STOCK: readonly Pick<Sent, 'method' | 'path' | 'body'>[] = Array.from({ length: 8 }, (_, n) => [
  post('categories', { category: { name: `Category ${n}` } }),
  post('customer_categories', { customer_category: { name: `Group ${n}` } }),
  post('custom_fields', { custom_field: { label: `Field ${n}`, type: n % 2 ? 'selection' : 'text' } }),
  post('checkout_custom_fields', { checkout_custom_field: { label: `Question ${n}`, type: 'input', area: 'other' } }),
  post('locations', {
    location: { name: `Place ${n}`, address: 'Rua 1', city: 'Lisboa', country: 'PT', region: '11', postal: '1000-001' },
  }),
  post('products', {
    product: {
      name: `Shirt ${n}`,
      price: 39.9,
      weight: 0.2,
      stock: 50,
      variants: [
        { variant: { sku: `S${n}`, stock: 9, options: [{ name: 'Size', value: 'S' }] } },
        { variant: { sku: `M${n}`, stock: 9, options: [{ name: 'Size', value: 'M' }] } },
      ],
    },
  }),
  post('products', { product: { name: `Cup ${n}`, price: 5, stock: 50 } }),
  post('customers', { customer: { email: `customer${n}@example.org`, name: 'Ann' } }),
  post('pages', { page: { title: `Page ${n}`, body: '<p>Hi</p>' } }),
  post('promotions', {
    promotion: { name: `Promotion ${n}`, type: 'percentage', discount_target: 'order', discount_amount_percent: 10 },
  }),
  post('hooks', { hook: { event: 'order_paid', url: `https://example.com/${n}` } }),
  post('shipping_methods', {
    shipping_method: {
      name: `Method ${n}`,
      type: 'tables',
      enabled: true,
      tables: [{ basedon: 'price', locations: [{ country: 'PT' }], values: [{ amount: 0, price: 5 }] }],
    },
  }),
  post('taxes', { tax: { name: `Tax ${n}`, tax: 19, country: 'PT' } }),
  post('orders', {
    order: {
      customer: { email: `customer${n}@example.org`, shipping_address: address() },
      products: [{ id: 2 * n + 2, qty: 1 }],
      status: n % 2 ? 'Paid' : 'Pending Payment',
    },
  }),
  post(`products/${2 * n + 2}/images`, { image: { url: pixel() } }),
  post(`products/${2 * n + 2}/attachments`, { attachment: { url: pixel(), filename: 'a.gif' } }),
  post('fulfillments', { fulfillment: { type: 'manual', location_id: n + 1, order_id: n + 1 } }),
]).flat()

function post(noun: string, body: unknown): Pick<Sent, 'method' | 'path' | 'body'> {
  return { method: 'POST', path: `/v1/${noun}.json`, body }
}

function address(): object {
  return { name: 'Ann', surname: 'Sousa', address: 'Rua B 7', city: 'Porto', postal: '4000', country: 'PT' }
}

function pixel(): string {
  return 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'
}
