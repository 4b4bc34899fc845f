import type { ContractOperation } from '../../../rest-facade/store/contract.ts'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { PNG } from '../../support/images.ts'
import type { StoreRestStack } from './stack.ts'
import { aToken } from './token.ts'

/**
 * A shop that has so many of everything: of all that the contract lists, and of what belongs to the
 * first of each.
 */
export type FullShop = {
  readonly shop: TestStore
  readonly size: number
  /**
   * What stands in paths of the contract behind each of their words, such as `products`: that of
   * the first.
   */
  readonly ids: Readonly<Record<string, number | string>>
  readonly productIds: readonly number[]
  readonly locationIds: readonly number[]
}

// biome-ignore lint/suspicious/noExplicitAny: what is created is known by what is said here
type Made = any

/** In which shops sell beside euros: one for each of their size. */
const OTHER_CURRENCIES = 'USD GBP CHF SEK NOK DKK PLN CZK HUF RON BRL CAD AUD NZD MXN ZAR TRY INR SGD HKD'.split(' ')

const PICTURE = `data:image/png;base64,${PNG.toString('base64')}`

/**
 * Sets up a shop of this size through the REST API, and through SQL what that has no operations
 * for.
 */
export async function aFullShop(stack: StoreRestStack, size: number): Promise<FullShop> {
  const shop = await stack.aStore({ name: `Shop of ${size}` })
  const { storeId } = shop
  const range = Array.from({ length: size }, (_, index) => index)

  async function add(path: string, body: object): Promise<Made> {
    const { status, json, text } = await stack.ask(`POST ${path}`, { as: shop, body })
    if (status !== 200 && status !== 201) throw new Error(`Expected POST ${path} to succeed, got ${status}: ${text}`)
    return json?.id === undefined ? Object.values(json)[0] : json
  }
  async function each(path: string, bodyOf: (index: number) => object): Promise<Made[]> {
    const made: Made[] = []
    for (const index of range) made.push(await add(path, bodyOf(index)))
    return made
  }
  const sql = async (text: string, ...values: unknown[]): Promise<number> =>
    Number((await stack.sql(text, [storeId, ...values]))[0]?.id)
  const idsOf = (made: readonly Made[]): number[] => made.map(({ id }) => id)

  const hooks = await each('/hooks.json', (n) => ({ hook: { event: 'product_created', url: `https://example.com/${n}` } }))
  const categories = await each('/categories.json', (n) => ({ category: { name: `Category ${n}` } }))
  const values = range.map((n) => `value ${n}`)
  const fields = await each('/custom_fields.json', (n) => ({ custom_field: { label: `Field ${n}`, type: 'selection', values } }))
  const [field] = fields
  const address = { address: 'Rua 1', city: 'Porto', country: 'PT', Region: 'Norte' }
  const locations = await each('/locations.json', (n) => ({ location: { ...address, name: `Room ${n}` } }))
  const products = await each('/products.json', (n) => ({
    product: {
      name: `Product ${n}`,
      price: 10,
      categories: idsOf(categories).map((id) => ({ id })),
      variants: range.map((v) => ({
        variant: { sku: `S-${n}-${v}`, stock_unlimited: true, options: [{ name: 'Size', value: `size ${v}` }] },
      })),
    },
  }))
  const [product] = products
  for (const { id } of products.slice(1)) {
    await add(`/products/${id}/images.json`, { image: { url: PICTURE } })
    await add(`/products/${id}/fields.json`, { field: { id: field.id, value: 'value 0' } })
  }
  const below = `/products/${product.id}`
  const images = await each(`${below}/images.json`, () => ({ image: { url: PICTURE } }))
  const attachments = await each(`${below}/attachments.json`, (n) => ({
    attachment: { filename: `${n}.txt`, url: `data:text/plain;base64,${btoa(`text ${n}`)}` },
  }))
  const assets = await each(`${below}/digital_products.json`, (n) => ({
    digital_product: { url: `https://example.com/file-${n}`, external: true },
  }))
  for (const n of range.slice(1)) await add(`${below}/options.json`, { option: { name: `Text ${n}`, option_type: 'text' } })
  for (const { id } of fields) await add(`${below}/fields.json`, { field: { id, value: 'value 0' } })
  await sql(
    `INSERT INTO product_review (store_id, product_id, product_name, rating, review, customer_email, created_at)
     SELECT $1, id, 'Product', 5, 'Good', 'a@b.example', now() FROM unnest($2::integer[] || array_fill($3::integer, ARRAY[$4::integer])) AS id`,
    idsOf(products.slice(1)),
    product.id,
    size,
  )
  for (const { id } of locations) {
    const stock = {
      location_id: id,
      product_id: product.id,
      variant_id: product.variants[0].id,
      stock: 1_000,
      stock_unlimited: false,
    }
    await stack.ask('PUT /products_locations', { as: shop, body: { products_location: stock } })
  }

  const groups = await each('/customer_categories.json', (n) => ({ customer_category: { name: `Group ${n}` } }))
  const questions = await each('/checkout_custom_fields.json', (n) => ({
    checkout_custom_field: { label: `Question ${n}`, type: 'text', area: 'contact' },
  }))
  const customers = await each('/customers.json', (n) => ({
    customer: { email: `c${n}@shop-${storeId}.example`, customer_categories: idsOf(groups).map((id) => ({ id })) },
  }))
  const [customer] = customers
  for (const { id } of groups) {
    await add(`/customer_categories/${id}/customers.json`, { customers: idsOf(customers).map((each) => ({ id: each })) })
  }
  for (const { id } of customers.slice(1)) {
    const answer = { value: 'yes', checkout_custom_field_id: questions[0].id }
    await add(`/customers/${id}/fields`, { customer_additional_field: answer })
  }
  const answers: Made[] = []
  for (const { id } of questions) {
    const answer = { value: 'yes', checkout_custom_field_id: id }
    answers.push(await add(`/customers/${customer.id}/fields`, { customer_additional_field: answer }))
  }

  const taxes = await each('/taxes.json', (n) => ({
    tax: { name: `Tax ${n}`, tax: 5, country: 'PT', category_id: categories[n].id },
  }))
  const payments = await each('/payment_methods.json', (n) => ({
    payment_method: { name: `Pay ${n}`, payment_method_url: `https://example.com/pay-${n}`, key: 'k', secret: 's' },
  }))
  const methods = await each('/shipping_methods.json', (n) => ({
    shipping_method: {
      type: 'tables',
      name: `Way ${n}`,
      tables: range.map((amount) => ({ basedon: 'weight', values: [{ amount, price: 5 }], locations: [{ country: 'PT' }] })),
    },
  }))
  const promotions = await each('/promotions.json', (n) => ({
    promotion: {
      name: `Promotion ${n}`,
      discount_target: 'categories',
      type: 'fix',
      discount_amount_fix: 1,
      categories: idsOf(categories).map((id) => ({ id })),
      coupons: range.map((c) => ({ code: `code-${n}-${c}` })),
    },
  }))
  const giftCards: number[] = []
  for (const n of range) {
    const card = await sql(
      `INSERT INTO gift_card (store_id, code_hash, last_four, currency, issued, balance, created_at)
       VALUES ($1, sha256($2), 'ABCD', 'EUR', 10, 10, now()) RETURNING id`,
      `code ${n}`,
    )
    giftCards.push(card)
    await sql(
      `INSERT INTO gift_card_transaction (store_id, gift_card_id, kind, amount, created_at) VALUES ($1, $2, 'ISSUE', 10, now()) RETURNING id`,
      card,
    )
  }

  const order = (status: string) => (n: number) => ({
    order: {
      status,
      customer: { id: customers[status === 'Paid' ? n : 0].id },
      products: products.map(({ id, variants }) => ({ id, variant_id: variants[n].id, qty: 1 })),
      additional_fields: range.map((f) => ({ label: `Note ${f}`, value: 'yes' })),
    },
  })
  const paid = await each('/orders.json', order('Paid'))
  const orders = await each('/orders.json', order('Pending Payment'))
  const [first] = orders
  const parcel = { type: 'manual', location_id: locations[0].id, shipping_address: { city: 'Porto', country: 'PT' } }
  for (const { id } of paid) await add('/fulfillments.json', { fulfillment: { ...parcel, order_id: String(id) } })
  for (const { id } of orders.slice(1)) {
    await add(`/orders/${id}/history.json`, { order_history: { message: 'Seen' } })
    await add(`/orders/${id}/documents.json`, { document_type: 1, url: 'https://example.com/invoice' })
  }
  const returns: number[] = []
  for (const { id } of [...paid, ...orders]) {
    const made = await sql(
      `INSERT INTO order_return (store_id, order_id, status, requested_by, created_at, updated_at)
       VALUES ($1, $2, 'APPROVED', 'MERCHANT', now(), now()) RETURNING id`,
      id,
    )
    returns.push(made)
    await sql(
      `INSERT INTO order_return_line (store_id, return_id, order_line_id, quantity, reason)
       SELECT $1, $2, id, 1, 'OTHER' FROM order_line WHERE store_id = $1 AND order_id = (SELECT order_id FROM order_return WHERE store_id = $1 AND id = $2)
       RETURNING order_line_id AS id`,
      made,
    )
  }
  const drafts: number[] = []
  for (const { id } of orders) {
    const contents = JSON.stringify({
      lines: [{ productId: String(products[0].id), variantId: String(products[0].variants[0].id) }],
    })
    drafts.push(
      await sql(
        `INSERT INTO draft_order (store_id, status, contents, currency, total, order_id, created_at, updated_at)
         VALUES ($1, 'COMPLETED', $2, 'EUR', 1, $3, now(), now()) RETURNING id`,
        contents,
        id,
      ),
    )
  }
  await sql(
    `INSERT INTO imported_order (store_id, order_id, source, name, created_at) VALUES ($1, $2, 'elsewhere', '#1001', now()) RETURNING order_id AS id`,
    first.id,
  )
  let storeImport = 0
  for (const n of range) {
    storeImport = await sql(
      `INSERT INTO store_import (store_id, kind, format, status, created_at, finished_at)
       VALUES ($1, 'PRODUCTS', 'CSV', 'CANCELED', now(), now()) RETURNING id`,
    )
    await sql(
      `INSERT INTO staff_member (store_id, email, role, secret_hash, invited_at, expires_at)
       VALUES ($1, $2, 'SUPPORT', sha256(convert_to($1::int || ' ' || $2::text, 'UTF8')), now(), now() + interval '7 days') RETURNING id`,
      `person-${n}@example.com`,
    )
  }
  await sql(
    `INSERT INTO store_import_error (store_id, import_id, row, "column", message) VALUES ($1, $2, 2, 'Title', 'Expected a title.') RETURNING id`,
    storeImport,
  )
  const entries = await each(`/orders/${first.id}/history.json`, (n) => ({ order_history: { message: `Seen ${n}` } }))
  const documents = await each(`/orders/${first.id}/documents.json`, (n) => ({
    document_type: 1,
    url: `https://example.com/invoice-${n}`,
  }))
  const parcels = await each('/fulfillments.json', () => ({ fulfillment: { ...parcel, order_id: String(first.id) } }))

  const label = async (table: 'page_category' | 'page_template'): Promise<number> => {
    const made: number[] = []
    for (const n of range) made.push(await sql(`INSERT INTO ${table} (store_id, name) VALUES ($1, $2) RETURNING id`, `L ${n}`))
    return made[0] ?? 0
  }
  const menu = await label('page_category')
  await label('page_template')
  const pages = await each('/pages.json', (n) => ({
    page: { title: `Page ${n}`, categories: [menu], template: 'L 0' },
  }))
  for (const { id } of pages.slice(1)) await add(`/pages/${id}/images.json`, { image: { url: PICTURE } })
  const pictures = await each(`/pages/${pages[0].id}/images.json`, () => ({ image: { url: PICTURE } }))
  const themes = await each('/themes.json', (n) => ({
    theme: {
      name: `Theme ${n}`,
      settings: range.map((s) => ({ key: `key-${s}`, type: 'text', default: '' })),
      files: range.map((f) => ({ path: `assets/${f}.css`, content: 'h1 {}' })),
    },
  }))
  for (const _ of range) await aToken(stack, shop, ['read_products'])
  await stack.sql(
    `INSERT INTO webhook_attempt (store_id, delivery_id, number, started_at, milliseconds, status, error)
     SELECT store_id, id, number, now(), 5, 500, 'status 500' FROM webhook_delivery, generate_series(1, $2) AS number WHERE store_id = $1`,
    [storeId, size],
  )
  const transfer = `WITH made AS (
      INSERT INTO inventory_transfer (store_id, source_id, destination_id, created_at, updated_at)
      VALUES ($1, $2, $3, now(), now()) RETURNING id)
    INSERT INTO inventory_transfer_line (store_id, transfer_id, product_id, variant_id, quantity)
    SELECT $1, made.id, product_id, variant.id, 1 FROM made, product_variant AS variant WHERE variant.store_id = $1 LIMIT $4`
  const [source, destination] = idsOf(locations)
  for (const _ of range) await sql(transfer, source, destination, size)
  const priceList = `WITH made AS (
      INSERT INTO price_list (store_id, name, active, customer_category_id, created_at, updated_at)
      VALUES ($1, 'Resellers', false, $2, now(), now()) RETURNING id)
    INSERT INTO price_list_price (store_id, price_list_id, product_id, variant_id, price)
    SELECT $1, made.id, product_id, variant.id, 1 FROM made, product_variant AS variant WHERE variant.store_id = $1 LIMIT $3`
  for (const _ of range) await sql(priceList, groups[0].id, size)
  for (const n of range) {
    await sql(
      `INSERT INTO store_currency (store_id, code, rate, created_at, updated_at) VALUES ($1, $2, 1.1, now(), now()) RETURNING id`,
      OTHER_CURRENCIES[n],
    )
    await sql(
      `UPDATE "order" SET currency = $3, currency_rate = 1.1, currency_rate_base = 1 WHERE store_id = $1 AND id = $2 RETURNING id`,
      paid[n].id,
      OTHER_CURRENCIES[n],
    )
  }
  const synonym = `INSERT INTO search_synonym (store_id, terms, targets, term_keys, target_keys, created_at, updated_at)
    VALUES ($1, '{sofa,couch}', '{}', '{sofa,couch}', '{}', now(), now())`
  for (const _ of range) await sql(synonym)
  const scripts = await each('/jsapps.json', (n) => ({
    app: { url: `https://example.com/${n}.js`, template: 'layout', element: 'head' },
  }))
  const [author] = await stack.sql('SELECT code FROM app WHERE store_id = $1 AND is_store_itself', [storeId])
  const options = (await stack.ask(`GET ${below}/options.json`, { as: shop })).json
  const sizes = (await stack.ask(`GET ${below}/options/${options[0].option.id}/values.json`, { as: shop })).json
  const choices = (await stack.ask(`GET /custom_fields/${field.id}/select_options.json`, { as: shop })).json
  const said = (await stack.ask(`GET ${below}/fields.json`, { as: shop })).json
  const reviews = (await stack.ask(`GET ${below}/reviews.json`, { as: shop })).json

  return {
    shop,
    size,
    productIds: idsOf(products),
    locationIds: idsOf(locations),
    ids: {
      apps: String(author?.code),
      jsapps: scripts[0].id,
      hooks: hooks[0].id,
      categories: categories[0].id,
      category: categories[0].id,
      custom_fields: field.id,
      select_options: choices[0].custom_field_select_option.id,
      locations: locations[0].id,
      products: product.id,
      'products images': images[0].id,
      attachments: attachments[0].id,
      digital_products: assets[0].id,
      options: options[0].option.id,
      values: sizes[0].value.id,
      variants: product.variants[0].id,
      'products fields': said[0].field.id,
      reviews: reviews[0].review.id,
      customer_categories: groups[0].id,
      'customer_categories customers': customer.id,
      checkout_custom_fields: questions[0].id,
      customers: customer.id,
      email: customer.email,
      'customers fields': answers[0].id,
      taxes: taxes[0].id,
      payment_methods: payments[0].id,
      shipping_methods: methods[0].id,
      promotions: promotions[0].id,
      orders: first.id,
      order: first.id,
      carts: first.id,
      history: entries[0].id,
      documents: documents[0].public_id ?? documents[0].id,
      fulfillments: parcels[0].id,
      pages: pages[0].id,
      // No path has these.
      menu,
      gift_cards: giftCards[0] ?? 0,
      order_returns: returns[0] ?? 0,
      draft_orders: drafts[0] ?? 0,
      store_imports: storeImport,
      'pages images': pictures[0].id,
      themes: themes[0].id,
    },
  }
}

/** What stands in a path for things that are of no store. */
const OF_NOBODY: Readonly<Record<string, string>> = { countries: 'CL', regions: '03' }
const STATUS: Readonly<Record<string, string>> = { products: 'available', orders: 'pending_payment' }

type PathId = { readonly name: string; readonly of: string | null }

/**
 * The parameters of an operation's path, each with the word that says of what it is the id; null:
 * of nothing that a store has.
 */
export function idsInPath({ path }: ContractOperation): PathId[] {
  const steps = path.split('/').slice(1)
  return steps.flatMap((step, index): PathId[] => {
    const name = /^\{(\w+)\}/.exec(step)?.[1]
    const word = steps[index - 1] ?? ''
    if (name === undefined) return []
    if (name === 'status' || word in OF_NOBODY) return [{ name, of: null }]
    const root = steps[0] ?? ''
    if (name === 'code') return [{ name, of: 'apps' }]
    if (word === 'after') return [{ name, of: root }]
    return [
      { name, of: ['images', 'fields'].includes(word) || (word === 'customers' && root !== word) ? `${root} ${word}` : word },
    ]
  })
}

/**
 * The path of an operation with ids of a shop in it, those of another one where `foreign` names
 * them.
 */
export function pathOf(
  operation: ContractOperation,
  { ids }: FullShop,
  foreign: Readonly<Record<string, number | string>> = {},
): string {
  const found = idsInPath(operation)
  const steps = operation.path.split('/')
  return operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { of } = found.find((each) => each.name === name) ?? { of: null }
    if (of !== null) {
      const id = foreign[name] ?? ids[of]
      if (id === undefined) throw new Error(`Expected test/rest-facade/store/full-shop.ts to have an id of "${of}".`)
      return encodeURIComponent(id)
    }
    if (name === 'status') return STATUS[steps.includes('products') ? 'products' : 'orders'] ?? ''
    const word = steps[steps.findIndex((step) => step.startsWith(`{${name}}`)) - 1] ?? ''
    return OF_NOBODY[word] ?? ''
  })
}
