import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FilterOrdersDocument, FilterProductsDocument, StoreAccessDocument } from '#generated/rest-facade/store.ts'
import type { GatewayClient } from '../../gateway/client.ts'
import { createIdentityLookup } from '../../rest-facade/store/caller/authentication.ts'
import { operationOf } from '../../rest-facade/store/compiled-route.ts'
import { type Operation, operationsOf } from '../../rest-facade/store/contract.ts'
import { publishedContract } from '../../rest-facade/store/published-contract.ts'
import { route } from '../../rest-facade/store/route.ts'
import { storeRoutes } from '../../rest-facade/store/routes.ts'
import { ADDS, REPLACES } from '../tool.ts'
import type { ToolServer } from '../tool-server.ts'
import { type ContractRow, contractTool } from './contract-tool.ts'

/** Published for tools, in place of REST's 800. */
const REQUESTS_PER_MINUTE = 100

const WHERE_CREDENTIALS_ARE =
  'The login and authtoken of a store are shown when it is created, with `npx atrium store create` or POST /v1/store/setup.json.'

/** A row of the table: a tool by the operation of REST that it is. */
type Row = Omit<ContractRow, 'operation' | 'run'> & {
  /** The operationId. */
  readonly is: string
  /** In place of REST's row, where the tool asks what that operation cannot. */
  readonly run?: ContractRow['run']
}

const page = {}
const limit = { description: 'Results of a page, 1 to 100.' }
const price = { type: 'number', minimum: 0 } as const
/** The longest spelling that is read has some 35 characters. */
const time = { type: 'string', maxLength: 40 } as const
const PRODUCT_STATES = ['available', 'not-available', 'disabled'] as const
const ORDER_STATES = ['abandoned', 'pending_payment', 'paid', 'canceled'] as const
const CATEGORIES = {
  description: 'Ids of its categories, replacing the current ones; see list_categories.',
  schema: { type: 'array', items: { type: 'integer', minimum: 1 } },
} as const

const TOOLS: readonly Row[] = [
  {
    name: 'list_products',
    is: 'listProducts',
    run: route({ run: FilterProductsDocument, answer: 'products.nodes' }),
    title: 'List products',
    description:
      'Lists products with price, stock, variants, images and categories, oldest first; all of them, or those in a state, a category or a range of prices. Use search_products when you know words of the name or the SKU. Returns a JSON array of `{"product": …}`; a page that is shorter than `limit` is the last one.',
    arguments: {
      page,
      limit,
      status: { description: 'Only products in this state.', schema: { type: 'string', enum: PRODUCT_STATES } },
      category_id: { description: 'Only products in this category.', schema: { type: 'integer', minimum: 1 } },
      price_min: { description: 'Minimum price.', schema: price },
      price_max: { description: 'Maximum price.', schema: price },
    },
  },
  {
    name: 'get_product',
    is: 'getProduct',
    title: 'Get a product',
    description:
      'Shows one product by its id, with price, stock, variants, images and categories. Use it to look at a product before you change it. Returns `{"product": …}`.',
    arguments: { id: { description: 'Id of the product, from list_products or search_products.' } },
  },
  {
    name: 'search_products',
    is: 'searchProducts',
    title: 'Search products',
    description:
      'Finds products by words in name, description, SKU, brand, barcode, variants and custom fields; case and accents do not matter, and words may be cut short. Use it to find the id of a product that a person mentions. Returns a JSON array of `{"product": …}`, empty when nothing is found.',
    arguments: { query: { description: 'Words of the product: `linen shirt`, `TS-001`.' }, page, limit },
  },
  {
    name: 'create_product',
    is: 'createProduct',
    title: 'Create a product',
    description:
      'Adds a product to the shop, with variants if `variants` names their options; customers can buy it at once unless `status` says otherwise. Repeated calls create duplicates, so check with search_products first. Returns `{"product": …}` with its new id.',
    arguments: { categories: CATEGORIES },
    effect: ADDS,
  },
  {
    name: 'update_product',
    is: 'updateProduct',
    title: 'Update a product',
    description:
      'Changes the given fields of a product and keeps the others; null clears a field. In `variants`, those with an id are changed and those without are added; the others stay. Customers see the change at once. Returns `{"product": …}` as it is now.',
    arguments: { id: { description: 'Id of the product, from list_products or search_products.' }, categories: CATEGORIES },
    effect: REPLACES,
  },
  {
    name: 'delete_product',
    is: 'deleteProduct',
    title: 'Delete a product',
    description:
      'Removes a product with its variants, images and files for good; orders keep their lines. To hide it without deleting it, use update_product with `status` "disabled". Returns "OK".',
    arguments: { id: { description: 'Id of the product, from list_products or search_products.' } },
    effect: REPLACES,
  },
  {
    name: 'list_orders',
    is: 'listOrders',
    run: route({ run: FilterOrdersDocument, answer: 'orders.nodes' }),
    title: 'List orders',
    description:
      'Lists orders with their lines, totals, customer, addresses and shipment status, oldest first; all of them, or filtered by status or time. `abandoned` orders are unpaid carts. Returns a JSON array of `{"order": …}`; a page that is shorter than `limit` is the last one.',
    arguments: {
      page,
      limit,
      status: { description: 'Only orders in this state.', schema: { type: 'string', enum: ORDER_STATES } },
      fulfillment_status: {
        description: 'Only fulfilled orders, or only unfulfilled ones.',
        schema: { type: 'string', enum: ['unfulfilled', 'fulfilled'] },
      },
      created_after: { description: 'Only orders of this time or later: `2026-11-20`, `2026-11-20T09:30:00Z`.', schema: time },
      created_before: { description: 'Only orders of before this time: `2026-11-21`.', schema: time },
    },
  },
  {
    name: 'get_order',
    is: 'getOrder',
    title: 'Get an order',
    description:
      'Shows one order by its number: lines, totals, taxes, customer, addresses, payment, shipment status. Use it before you change an order or contact its customer. Returns `{"order": …}`.',
    arguments: { id: { description: 'Number of the order, from list_orders or search_orders.' } },
  },
  {
    name: 'search_orders',
    is: 'searchOrders',
    title: 'Search orders',
    description:
      'Finds orders by words: the number of the order, parts of the name, e-mail address or telephone number of the customer, names and SKUs of its products; case and accents do not matter. Use it to find an order that a person mentions. Returns `{"orders": [{"order": …}], "count"}`, where `count` is the total over all pages.',
    arguments: { query: { description: 'Words of the order: `1024`, `ana@example.org`.', isRequired: true }, page, limit },
  },
  {
    name: 'update_order',
    is: 'updateOrder',
    title: 'Update an order',
    description:
      'Changes status, tracking or note of an order and keeps the other fields. Status transitions: from abandoned or pending payment to paid, and from each to canceled, which is final; paying and canceling reserve and release stock. Tracking also changes the newest fulfillment of the order. An invalid transition is rejected with the valid ones. Returns `{"order": …}` as it is now.',
    arguments: { id: { description: 'Number of the order, from list_orders or search_orders.' } },
    effect: REPLACES,
  },
  {
    name: 'list_customers',
    is: 'listCustomers',
    title: 'List customers',
    description:
      'Lists customers with addresses, categories and consent to marketing, oldest first. Use search_customers when you know a name or an e-mail address. Returns a JSON array of `{"customer": …}`; a page that is shorter than `limit` is the last one.',
    arguments: { page, limit },
  },
  {
    name: 'get_customer',
    is: 'getCustomer',
    title: 'Get a customer',
    description:
      'Shows one customer by id: e-mail address, telephone number, addresses, categories, answers to checkout fields, consent to marketing. Returns `{"customer": …}`.',
    arguments: { id: { description: 'Id of the customer, from list_customers, search_customers or an order.' } },
  },
  {
    name: 'search_customers',
    is: 'searchCustomers',
    title: 'Search customers',
    description:
      'Finds customers by words of name, e-mail address or telephone number; case and accents do not matter. Use it to find the id of a customer that a person mentions. Returns a JSON array of `{"customer": …}`, empty when there is none.',
    arguments: { query: { description: 'Words of the customer: `Ana Silva`, `@example.org`.' }, page, limit },
  },
  {
    name: 'list_categories',
    is: 'listCategories',
    title: 'List categories',
    description:
      'Lists the shop\'s product categories; `parent_id` is the parent category, null for top-level ones. Use it to find category ids for products. Returns a JSON array of `{"category": …}`.',
    arguments: { page, limit: { description: 'Results of a page, 1 to 250.' } },
  },
  {
    name: 'create_category',
    is: 'createCategory',
    title: 'Create a category',
    description:
      'Adds a product category, at the top level or below another; its permalink is generated from the name. Repeated calls create duplicates, so check with list_categories first. Returns `{"category": …}` with its new id.',
    arguments: { name: { isRequired: true } },
    effect: ADDS,
  },
  {
    name: 'delete_category',
    is: 'deleteCategory',
    title: 'Delete a category',
    description:
      'Removes a product category. Its products remain, without this category; its subcategories move up. list_products with `category_id` lists the products. Returns "OK".',
    arguments: { id: { description: 'Id of the category, from list_categories.' } },
    effect: REPLACES,
  },
  {
    name: 'list_pages',
    is: 'listPages',
    title: 'List pages',
    description:
      'Lists the shop\'s text pages (about us, terms, FAQ), with their HTML, status and URL. Returns a JSON array of `{"page": …}`.',
    arguments: { page, limit },
  },
  {
    name: 'create_page',
    is: 'createPage',
    title: 'Create a page',
    description:
      'Adds a text page to the shop; `body` is HTML and is shown unchanged. With `status` "draft" it is not visible. Repeated calls create duplicates. Returns `{"page": …}` with its new id and URL.',
    arguments: { title: { isRequired: true } },
    effect: ADDS,
  },
  {
    name: 'delete_page',
    is: 'deletePage',
    title: 'Delete a page',
    description: 'Removes a page for good. Legal pages of the shop cannot be deleted. Returns "OK".',
    arguments: { id: { description: 'Id of the page, from list_pages.' } },
    effect: REPLACES,
  },
  {
    name: 'get_store_info',
    is: 'getStoreInfo',
    title: 'Get store info',
    description:
      'Shows the shop itself: name, address, currency (all prices are in it), country, time zone, unit of weights, plan. Use it before you state prices or weights. Returns the fields without an envelope.',
  },
]

/** A shop for agents: operations of its REST API, with the limits and the signing in of tools. */
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
      'Tools of the shop of the credentials. Begin with get_store_info: it returns the currency and the time zone. Find ids with list_… and search_… before you change anything, and confirm with the user before you delete. Prices are numbers in the currency of the shop, without tax. Results are those of its REST API: empty values are null, keys are always present.',
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
    // The contract spells its own words.
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

/** The scopes that these operations need, each once. */
const scopesOf = (operations: readonly Operation[]): readonly string[] =>
  [...new Set(operations.flatMap(({ scope }) => scope ?? []))].sort()
