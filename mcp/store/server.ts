import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FilterOrdersDocument, FilterProductsDocument, StoreAccessDocument } from '#generated/rest-facade/store.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { createIdentityLookup } from '../../rest-facade/store/caller/authentication.ts'
import { operationOf } from '../../rest-facade/store/compiled-route.ts'
import { type ContractOperation, operationsOf } from '../../rest-facade/store/contract.ts'
import { publishedContract } from '../../rest-facade/store/published-contract.ts'
import { route } from '../../rest-facade/store/route.ts'
import { storeRoutes } from '../../rest-facade/store/routes.ts'
import { ADDS, REPLACES } from '../tool.ts'
import type { ToolServer } from '../tool-server.ts'
import { type ContractRow, contractTool } from './contract-tool.ts'
import type { Summary } from './fit-answer.ts'

/** Rate limit per store; documented for tools. The REST API allows 800. */
const REQUESTS_PER_MINUTE = 100

const WHERE_CREDENTIALS_ARE =
  'The login and authtoken of a store are shown when it is created, with `npx atrium store create` or POST /v1/store/setup.json.'

/** A tool, named by its REST operation. */
type Row = Omit<ContractRow, 'operation' | 'run'> & {
  /** `operationId` in the contract. */
  readonly is: string
  /** Replaces the REST route, when the tool needs another selection. */
  readonly run?: ContractRow['run']
}

/** Without description: the schemas of these parameters are clear. */
const page = { description: '' }
const limit = { description: '' }
const price = { type: 'number', minimum: 0 } as const
/** Longest accepted time format: some 35 characters. */
const time = { type: 'string', maxLength: 40 } as const
const PRODUCT_STATES = ['available', 'not-available', 'disabled'] as const
/** Listed spelling of order states; the API accepts others too. */
const ORDER_STATES = ['abandoned', 'pending_payment', 'paid', 'canceled'] as const
const CATEGORIES = {
  description: 'Ids of its categories, replacing the current ones.',
  schema: { type: 'array', items: { type: 'integer', minimum: 1 } },
} as const

const number = { type: 'number' } as const
const text = { type: 'string' } as const
const clearable = { type: ['string', 'null'] } as const
/** Listed keys of a product; the other keys of the contract are accepted too. */
const PRODUCT_KEYS = {
  name: text,
  price: { ...number, description: 'Without tax.' },
  description: { ...text, description: 'HTML.' },
  sku: text,
  stock: { type: 'integer' },
  stock_unlimited: { type: 'boolean' },
  weight: number,
  status: { ...text, enum: PRODUCT_STATES },
  categories: true,
} as const
const VARIANT = '{"sku", "price", "stock", "options": [{"name": "Size", "value": "M"}]}'
const variants = (description: string) => ({ type: 'array', items: { type: 'object' }, description }) as const

const PRODUCT_SUMMARIES: readonly Summary[] = [
  {
    id: true,
    name: true,
    sku: true,
    price: true,
    discount: true,
    status: true,
    stock: true,
    stock_unlimited: true,
    categories: { id: true, name: true },
    variants: { id: true, sku: true, price: true, stock: true, stock_unlimited: true, options: { name: true, value: true } },
  },
  { id: true, name: true, price: true, status: true, stock: true, variants: { id: true, sku: true, stock: true } },
  { id: true, name: true, price: true, status: true, stock: true },
  { id: true, name: true },
]
const ORDER_SUMMARIES: readonly Summary[] = [
  {
    id: true,
    created_at: true,
    status: true,
    shipment_status: true,
    total: true,
    currency: true,
    customer: { id: true, email: true, fullname: true },
    products: { id: true, variant_id: true, sku: true, name: true, qty: true },
    tracking_number: true,
  },
  { id: true, created_at: true, status: true, shipment_status: true, total: true, customer: { id: true, email: true } },
  { id: true, status: true, total: true },
]
const CUSTOMER_SUMMARIES: readonly Summary[] = [
  { id: true, email: true, fullname: true, phone: true, status: true, shipping_address: { city: true, country: true } },
  { id: true, email: true, fullname: true },
  { id: true, email: true },
]
const CATEGORY_SUMMARIES: readonly Summary[] = [
  { id: true, name: true, parent_id: true, permalink: true },
  { id: true, name: true, parent_id: true },
]
const PAGE_SUMMARIES: readonly Summary[] = [
  { id: true, title: true, status: true, permalink: true, body: true, page_title: true, meta_description: true },
  { id: true, title: true, status: true },
]

const TOOLS: readonly Row[] = [
  {
    name: 'list_products',
    is: 'listProducts',
    run: route({ run: FilterProductsDocument, answer: 'products.nodes' }),
    title: 'List products',
    description:
      'Lists products with price, stock and variants, oldest first. Use search_products when you know words of the name or the SKU. Returns `[{"product": …}]`; a page shorter than `limit` is the last.',
    arguments: {
      page,
      limit,
      status: { description: 'Only in this state.', schema: { type: 'string', enum: PRODUCT_STATES } },
      category_id: { description: 'Only of this category.', schema: { type: 'integer', minimum: 1 } },
      price_min: { description: 'Minimum price.', schema: price },
      price_max: { description: 'Maximum price.', schema: price },
    },
    summaries: PRODUCT_SUMMARIES,
  },
  {
    name: 'get_product',
    is: 'getProduct',
    title: 'Get a product',
    description: 'Shows one product with price, stock, variants, images and categories. Use it before you change a product.',
    arguments: { id: { description: 'Id of the product.' } },
  },
  {
    name: 'search_products',
    is: 'searchProducts',
    title: 'Search products',
    description:
      'Finds products by words in name, description, SKU, brand, barcode and variants; case, accents and word endings do not matter. Returns `[{"product": …}]`.',
    arguments: { query: { description: 'Words: `linen shirt`, `TS-001`.' }, page, limit },
    summaries: PRODUCT_SUMMARIES,
  },
  {
    name: 'create_product',
    is: 'createProduct',
    title: 'Create a product',
    description:
      'Adds a product; customers can buy it at once unless `status` says otherwise. A repeated call adds another, so search first. Further arguments: the keys of get_product.',
    arguments: { categories: CATEGORIES },
    listed: { ...PRODUCT_KEYS, variants: variants(`Each ${VARIANT}.`) },
    effect: ADDS,
  },
  {
    name: 'update_product',
    is: 'updateProduct',
    title: 'Update a product',
    description:
      'Changes the given fields of a product and keeps the others; null clears a field. Customers see it at once. Further arguments: the keys of get_product.',
    arguments: { id: { description: 'Id of the product.' }, categories: CATEGORIES },
    listed: {
      ...PRODUCT_KEYS,
      description: clearable,
      sku: clearable,
      variants: variants('With `id` changed, without added; others stay. Keys as in create_product.'),
    },
    effect: REPLACES,
  },
  {
    name: 'delete_product',
    is: 'deleteProduct',
    title: 'Delete a product',
    description:
      'Removes a product with its variants and images for good; orders keep their lines. To hide it, set `status` to "disabled".',
    arguments: { id: { description: 'Id of the product.' } },
    effect: REPLACES,
  },
  {
    name: 'list_orders',
    is: 'listOrders',
    run: route({ run: FilterOrdersDocument, answer: 'orders.nodes' }),
    title: 'List orders',
    description:
      'Lists orders with lines, total, customer and shipment status, oldest first; `abandoned` ones are unpaid carts. Returns `[{"order": …}]`; a page shorter than `limit` is the last.',
    arguments: {
      page,
      limit,
      status: { description: 'Only in this state.', schema: { type: 'string', enum: ORDER_STATES } },
      fulfillment_status: { description: 'Only these.', schema: { type: 'string', enum: ['unfulfilled', 'fulfilled'] } },
      created_after: { description: '`2026-11-20` or `2026-11-20T09:30:00Z`.', schema: time },
      created_before: { description: 'As `created_after`.', schema: time },
    },
    summaries: ORDER_SUMMARIES,
  },
  {
    name: 'get_order',
    is: 'getOrder',
    title: 'Get an order',
    description: 'Shows one order: lines, totals, taxes, customer, addresses, payment, shipment. Use it before you change it.',
    arguments: { id: { description: 'Number of the order.' } },
  },
  {
    name: 'search_orders',
    is: 'searchOrders',
    title: 'Search orders',
    description:
      'Finds orders by number, name, e-mail address or telephone number of the customer, or product. Returns `{"orders": [{"order": …}], "count"}`, `count` over all pages.',
    arguments: { query: { description: 'Words: `1024`, `ana@example.org`.', isRequired: true }, page, limit },
    summaries: ORDER_SUMMARIES,
  },
  {
    name: 'update_order',
    is: 'updateOrder',
    title: 'Update an order',
    description:
      'Changes status, tracking or note of an order. An abandoned or pending order can become paid, any can be canceled, which is final; this reserves and releases stock. A wrong step is refused with the right ones.',
    arguments: {
      id: { description: 'Number of the order.' },
      status: { description: 'New state.', schema: { type: 'string', enum: ORDER_STATES } },
      shipment_status: { description: '' },
    },
    listed: {
      status: true,
      shipment_status: true,
      tracking_number: clearable,
      tracking_company: clearable,
      tracking_url: clearable,
      additional_information: { ...clearable, description: 'Note.' },
    },
    effect: REPLACES,
  },
  {
    name: 'list_customers',
    is: 'listCustomers',
    title: 'List customers',
    description:
      'Lists customers, oldest first. Use search_customers when you know a name or an e-mail address. Returns `[{"customer": …}]`; a page shorter than `limit` is the last.',
    arguments: { page, limit },
    summaries: CUSTOMER_SUMMARIES,
  },
  {
    name: 'get_customer',
    is: 'getCustomer',
    title: 'Get a customer',
    description: 'Shows one customer: e-mail address, telephone number, addresses, categories, consent to marketing.',
    arguments: { id: { description: 'Id of the customer.' } },
  },
  {
    name: 'search_customers',
    is: 'searchCustomers',
    title: 'Search customers',
    description: 'Finds customers by words of name, e-mail address or telephone number. Returns `[{"customer": …}]`.',
    arguments: { query: { description: 'Words: `Ana Silva`, `@example.org`.' }, page, limit },
    summaries: CUSTOMER_SUMMARIES,
  },
  {
    name: 'list_categories',
    is: 'listCategories',
    title: 'List categories',
    description: 'Lists product categories; `parent_id` is the category above. Returns `[{"category": …}]`.',
    arguments: { page, limit },
    summaries: CATEGORY_SUMMARIES,
  },
  {
    name: 'create_category',
    is: 'createCategory',
    title: 'Create a category',
    description: 'Adds a product category, at the top or below another. A repeated call adds another, so list them first.',
    arguments: { name: { isRequired: true } },
    effect: ADDS,
  },
  {
    name: 'delete_category',
    is: 'deleteCategory',
    title: 'Delete a category',
    description: 'Removes a product category. Its products remain without it; categories below move up.',
    arguments: { id: { description: 'Id of the category.' } },
    effect: REPLACES,
  },
  {
    name: 'list_pages',
    is: 'listPages',
    title: 'List pages',
    description:
      'Lists text pages of the shop (about us, terms) with status and the beginning of their HTML. Returns `[{"page": …}]`.',
    arguments: { page, limit },
    summaries: PAGE_SUMMARIES,
  },
  {
    name: 'create_page',
    is: 'createPage',
    title: 'Create a page',
    description: 'Adds a text page to the shop; with `status` "draft" nobody sees it. A repeated call adds another.',
    arguments: { title: { isRequired: true } },
    listed: { title: text, body: { ...text, description: 'HTML.' }, status: { ...text, enum: ['public', 'draft', 'hidden'] } },
    effect: ADDS,
  },
  {
    name: 'delete_page',
    is: 'deletePage',
    title: 'Delete a page',
    description: 'Removes a page for good. Legal pages of the shop cannot be deleted.',
    arguments: { id: { description: 'Id of the page.' } },
    effect: REPLACES,
  },
  {
    name: 'get_store_info',
    is: 'getStoreInfo',
    title: 'Get store info',
    description:
      'Shows the shop: name, address, currency of all prices, time zone, unit of weights. Use it before you state prices.',
  },
]

/**
 * MCP server of the store: operations of its REST API, with authentication and limits for tools.
 */
export async function storeServer(client: GatewayClient): Promise<ToolServer> {
  const contract = operationsOf(publishedContract())
  const routes = new Map(storeRoutes.map((each) => [operationOf(each, contract).operationId, each]))
  const rows = TOOLS.map(({ is, run = routes.get(is), ...row }) => {
    const operation = contract.get(is)
    if (!operation || !run) throw new Error(`Expected REST to have an operation "${is}" for the tool ${row.name}.`)
    return { ...row, operation, run }
  })
  await client.prepare(StoreAccessDocument)
  const lookUpIdentity = createIdentityLookup(client, StoreAccessDocument, Date.now)

  return {
    name: 'store',
    title: 'Atrium store',
    description: 'Run a shop: its products, categories, orders, customers and pages. Needs credentials.',
    instructions:
      'Tools of the shop of the credentials. Begin with get_store_info: it returns the currency and the time zone. Find ids with list_… and search_… before you change anything, and confirm with the user before you delete. Prices are numbers in the currency of the shop, without tax. Results are those of its REST API in at most 8 kB, without empty values: lists have the main keys of their entries, and get_… has the others. `cut` says what did not fit.',
    credentials: ['authorization', 'x-login-key', 'x-auth-token'],
    accessPolicy: {
      perMinute: REQUESTS_PER_MINUTE,
      scopes: scopesOf(rows.map(({ operation }) => operation)),
      async accountOf(caller) {
        const identity = await lookUpIdentity(caller)
        return 'failure' in identity ? { refusal: identity.failure } : { account: identity.storeCode, scopes: identity.scopes }
      },
    },
    signIn: `Send the headers X-LOGIN-KEY and X-AUTH-TOKEN, HTTP Basic, or the token of an app as Authorization: Bearer. ${WHERE_CREDENTIALS_ARE}`,
    keyHeaders: [
      { name: 'x-login-key', description: `Login of the store. ${WHERE_CREDENTIALS_ARE}`, isRequired: false },
      { name: 'x-auth-token', description: 'Authtoken of the store, which belongs to the login.', isRequired: false },
    ],
    // Unchanged: the contract has wire names already.
    spelling: (_, value) => value,
    tools: rows.map(contractTool),
    resources: [
      {
        path: '/mcp/store/guide.md',
        name: 'guide',
        title: 'Guide to the store',
        description:
          'How the store works over REST and as tools: credentials, limits, names, states, and how it differs from others.',
        mimeType: 'text/markdown',
        text: () => readFileSync(join(import.meta.dirname, '../../docs/store.md'), 'utf8'),
      },
    ],
    prompts: [
      {
        name: 'add_product',
        title: 'Put something on sale',
        description: 'Creates a product from a description, in the right category, and shows it before publishing.',
        arguments: [{ name: 'description', description: 'Product to sell: name, price, sizes or colours, stock.' }],
        text: ({ description }) =>
          `Put this on sale in the shop: ${description}\n\nCheck with search_products whether it exists already, and with list_categories for its category. Create it with create_product and status "not-available", with variants where it comes in sizes or colours. Show the created product and your assumptions. Set the status to "available" only after I confirm.`,
      },
    ],
  }
}

/** Scopes that these operations need, without duplicates. */
const scopesOf = (operations: readonly ContractOperation[]): readonly string[] =>
  [...new Set(operations.flatMap(({ scope }) => scope ?? []))].sort()
