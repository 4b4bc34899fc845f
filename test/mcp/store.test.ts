import { Ajv } from 'ajv'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_ANSWER_BYTES } from '../../mcp/store/fit-answer.ts'
import { askRaw } from '../rest-facade/ask.ts'
import type { TestStore } from '../subgraphs/store/support/store.ts'
import { type Called, GENERATIONS, type McpClient } from './clients.ts'
import { type McpStack, startMcpStack } from './stack.ts'

let stack: McpStack
beforeAll(async () => {
  stack = await startMcpStack()
})
afterAll(() => stack.close())

const keysOf = ({ login, authtoken }: TestStore): Record<string, string> => ({ 'x-login-key': login, 'x-auth-token': authtoken })

/** Every tool, and what it does to the world. */
const EFFECTS: Readonly<Record<string, 'reads' | 'adds' | 'replaces'>> = {
  list_products: 'reads',
  get_product: 'reads',
  search_products: 'reads',
  create_product: 'adds',
  update_product: 'replaces',
  delete_product: 'replaces',
  list_orders: 'reads',
  get_order: 'reads',
  search_orders: 'reads',
  update_order: 'replaces',
  list_customers: 'reads',
  get_customer: 'reads',
  search_customers: 'reads',
  list_categories: 'reads',
  create_category: 'adds',
  delete_category: 'replaces',
  list_pages: 'reads',
  create_page: 'adds',
  delete_page: 'replaces',
  get_store_info: 'reads',
}

/** An answer of REST as tools give it: without empty values, and with one spelling of states. */
function concise(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(concise)
  if (typeof value !== 'object' || value === null) return value
  const { status_name, status_enum, shipment_status_enum, ...rest } = value as Record<string, unknown>
  const spelled = {
    ...rest,
    ...(status_enum !== undefined && { status: status_enum }),
    ...(shipment_status_enum !== undefined && { shipment_status: shipment_status_enum }),
  }
  const isThere = (each: unknown) => each !== null && each !== '' && !(Array.isArray(each) && each.length === 0)
  return Object.fromEntries(Object.entries(spelled).flatMap(([key, each]) => (isThere(each) ? [[key, concise(each)]] : [])))
}

/** Arguments that are wrong, and what the model is told. */
const WRONG: readonly { readonly tool: string; readonly given: Record<string, unknown>; readonly expectedError: string }[] = [
  {
    tool: 'list_products',
    given: { limit: 101 },
    expectedError: 'Expected `limit` to be a whole number from 1 to 100, got 101.',
  },
  {
    tool: 'list_products',
    given: { page: 0, status: 'sold' },
    expectedError: 'Expected `status` to be one of available, not-available, disabled, got "sold".',
  },
  { tool: 'list_products', given: { price_min: -1 }, expectedError: 'Expected `price_min` to be a number from 0, got -1.' },
  { tool: 'list_products', given: { category: 1 }, expectedError: 'Expected no `category`: the arguments are `' },
  { tool: 'get_product', given: {}, expectedError: 'Expected `id` to be a whole number from 1 to 2147483647, got nothing.' },
  {
    tool: 'get_product',
    given: { id: 'shirt' },
    expectedError: 'Expected `id` to be a whole number from 1 to 2147483647, got "shirt".',
  },
  { tool: 'get_product', given: { id: 2_147_483_647 }, expectedError: 'There is nothing with this id in this store.' },
  { tool: 'search_products', given: {}, expectedError: 'Expected `query` to be a text, got nothing.' },
  { tool: 'create_product', given: { name: 'Shirt' }, expectedError: 'Expected `price` to be a number, got nothing.' },
  { tool: 'create_product', given: { name: 'Shirt', price: '9' }, expectedError: 'Expected `price` to be a number, got "9".' },
  {
    tool: 'create_product',
    given: { name: 'Shirt', price: 9.123456 },
    expectedError: 'Expected `price` to be a number with at most 10 digits before and 4 behind the point, got 9.123456.',
  },
  {
    tool: 'create_product',
    given: { name: 'Shirt', price: 9, colour: 'red' },
    expectedError: 'Expected no `colour`: the arguments are `',
  },
  {
    tool: 'create_product',
    given: { name: 'Shirt', price: 9, variants: [{ variant: { size: 'M' } }] },
    expectedError: 'Expected no `size`: `variants.0` has no such field.',
  },
  {
    tool: 'create_product',
    given: { name: 'Shirt', price: 9, categories: [2_147_483_647] },
    expectedError: 'There is no category with the id "2147483647".',
  },
  { tool: 'create_product', given: { name: '', price: 9 }, expectedError: '`name`' },
  { tool: 'update_product', given: { id: 2_147_483_647, price: 1 }, expectedError: 'There is no product with the id' },
  {
    tool: 'update_product',
    given: { id: 1, price: 1, status: null },
    expectedError: 'Expected `status` to be one of available, not-available, disabled, got null.',
  },
  { tool: 'delete_product', given: { id: 0 }, expectedError: 'Expected `id` to be a whole number from 1 to 2147483647, got 0.' },
  { tool: 'delete_product', given: { id: 2_147_483_647 }, expectedError: 'There is no product with the id' },
  {
    tool: 'list_orders',
    given: { status: 'Sold', fulfillment_status: 'sent' },
    expectedError:
      'Expected `status` to be one of abandoned, pending_payment, paid, canceled, got "Sold". Expected `fulfillment_status` to be one of unfulfilled, fulfilled, got "sent".',
  },
  { tool: 'list_orders', given: { created_after: 'yesterday' }, expectedError: 'Expected `created_after` to be a time such as' },
  { tool: 'get_order', given: { id: 2_147_483_647 }, expectedError: 'There is nothing with this id in this store.' },
  { tool: 'search_orders', given: { limit: 5 }, expectedError: 'Expected `query` to be a text, got nothing.' },
  {
    tool: 'update_order',
    given: { status: 'Paid' },
    expectedError: 'Expected `id` to be a whole number from 1 to 2147483647, got nothing.',
  },
  { tool: 'update_order', given: { id: 2_147_483_647, status: 'Paid' }, expectedError: 'There is no order with the id' },
  {
    tool: 'update_order',
    given: { id: 1, status: 'Shipped' },
    expectedError: 'Expected `status` to be one of abandoned, pending_payment, paid, canceled, got "Shipped".',
  },
  {
    tool: 'list_customers',
    given: { email: 'a@example.org' },
    expectedError: 'Expected no `email`: the arguments are `limit`, `page`.',
  },
  { tool: 'get_customer', given: { id: 2_147_483_647 }, expectedError: 'There is nothing with this id in this store.' },
  {
    tool: 'search_products',
    given: { query: 'x'.repeat(201) },
    expectedError: 'Expected `query` to be a text of at most 200 characters, got "xxx',
  },
  {
    tool: 'search_products',
    given: { query: '  ' },
    expectedError: 'Expected `query` to be text that is not all white space, got "  ".',
  },
  { tool: 'search_customers', given: {}, expectedError: 'Expected `query` to be a text, got nothing.' },
  {
    tool: 'list_categories',
    given: { limit: 251 },
    expectedError: 'Expected `limit` to be a whole number from 1 to 250, got 251.',
  },
  { tool: 'create_category', given: {}, expectedError: 'Expected `name` to be a text, got nothing.' },
  {
    tool: 'create_category',
    given: { name: 'Shirts', parent_id: 2_147_483_647 },
    expectedError: 'There is no category with the id "2147483647".',
  },
  { tool: 'delete_category', given: { id: 2_147_483_647 }, expectedError: 'There is no category with the id' },
  {
    tool: 'list_pages',
    given: { page: 'first' },
    expectedError: 'Expected `page` to be a whole number from 1 to 2147483647, got "first".',
  },
  { tool: 'create_page', given: { body: '<p>Hello</p>' }, expectedError: 'Expected `title` to be a text, got nothing.' },
  {
    tool: 'create_page',
    given: { title: 'Hello', status: 'secret' },
    expectedError: 'Expected `status` to be one of public, draft, hidden, got "secret".',
  },
  { tool: 'delete_page', given: { id: 2_147_483_647 }, expectedError: 'There is no page with the id' },
  { tool: 'get_store_info', given: { id: 1 }, expectedError: 'Expected no `id`: the arguments are none.' },
]

describe.each(Object.entries(GENERATIONS))('a client of %s', (generation, connect) => {
  let shop: TestStore
  let client: McpClient
  const answered = { well: new Set<string>(), badly: new Set<string>() }
  const call = async (tool: string, given: Record<string, unknown> = {}): Promise<Called> => {
    const result = await client.call(tool, given)
    answered[result.isError ? 'badly' : 'well'].add(tool)
    return result
  }
  /** The body that REST answers. */
  const rest = async (path: string) => (await askRaw(stack.url, `/v1${path}`, { headers: keysOf(shop) })).json
  /** Expects the entries of a list to be those of REST's, each with some of its keys. */
  const expectList = (text: string, wanted: readonly object[]): void => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_ANSWER_BYTES)
    const entries: Record<string, object>[] = JSON.parse(text)
    expect(entries).toHaveLength(wanted.length)
    for (const [index, entry] of entries.entries()) {
      const [[name = '', inside] = []] = Object.entries(entry)
      expect(Object.keys(inside ?? {})).toContain('id')
      expect(concise(wanted[index])).toMatchObject({ [name]: inside })
    }
  }
  /** The thing that a tool made, as REST shows it at a path. */
  async function made(tool: string, given: Record<string, unknown>, pathOf: (id: number) => string): Promise<number> {
    const { isError, text, structured } = await call(tool, given)
    expect([tool, isError, JSON.parse(text)]).toEqual([tool, false, structured])
    const [{ id }] = Object.values(structured) as [{ id: number }]
    expect(JSON.parse(text)).toEqual(concise(await rest(pathOf(id))))
    return id
  }

  beforeAll(async () => {
    shop = await stack.aStore()
    client = await connect({ url: `${stack.url}/mcp/store`, headers: keysOf(shop) })
    await client.listTools()
  })
  afterAll(() => client.close())

  test('finds the tools of the shop, described and truthfully annotated', async () => {
    const { tools } = await client.listTools()
    expect(client.version()).toBe(generation)
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(EFFECTS))
    const ajv = new Ajv({ strict: false })
    expect(Buffer.byteLength(JSON.stringify({ tools }))).toBeLessThanOrEqual(12_000)
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect([name, title !== undefined, (description ?? '').length > 60]).toEqual([name, true, true])
      const effect = EFFECTS[name]
      expect([name, annotations]).toEqual([
        name,
        {
          readOnlyHint: effect === 'reads',
          destructiveHint: effect === 'replaces',
          idempotentHint: effect !== 'adds',
          openWorldHint: false,
        },
      ])
      for (const [argument, property] of Object.entries(inputSchema.properties ?? {}))
        expect([name, argument, property]).toEqual([name, argument, expect.objectContaining({ type: expect.anything() })])
      for (const schema of [inputSchema, outputSchema]) if (schema) ajv.compile(schema as object)
    }
    const searched = tools
      .filter(({ name }) => name.startsWith('search_'))
      .map(({ inputSchema }) => inputSchema.properties?.query)
    expect(searched).toEqual(searched.map(() => expect.objectContaining({ type: 'string', maxLength: 200 })))
    // One argument and one word has one spelling in all tools.
    const states = tools.flatMap(({ name, inputSchema }) => {
      const { enum: words } = (inputSchema.properties?.status ?? {}) as { enum?: readonly string[] }
      return name.endsWith('_orders') || name.endsWith('_order') ? (words ? [words] : []) : []
    })
    expect(states).toEqual([states[0], states[0]])
  })

  test('runs the catalogue: what tools make, change and list is what REST shows', async () => {
    const shirts = await made('create_category', { name: 'Shirts' }, (id) => `/categories/${id}.json`)
    const linen = await made('create_category', { name: 'Linen', parent_id: shirts }, (id) => `/categories/${id}.json`)
    const product = await made(
      'create_product',
      {
        name: 'Linen shirt',
        price: 39.9,
        sku: 'LS',
        description: '<p>Cool.</p>\n<p>Light.</p>',
        categories: [linen],
        variants: ['S', 'M']
          .map((value) => ({
            variant: { price: 39.9, stock: 3, sku: `LS-${value}`, options: [{ name: 'Size', value }] },
          }))
          .map((entry, index) => (index === 0 ? entry : entry.variant)),
      },
      (id) => `/products/${id}.json`,
    )
    const scarf = await made(
      'create_product',
      { name: 'Wool scarf', price: 19, status: 'not-available' },
      (id) => `/products/${id}.json`,
    )

    for (const [given, found] of [
      [{}, [product, scarf]],
      [{ limit: 1, page: 2 }, [scarf]],
      [{ status: 'not-available' }, [scarf]],
      [{ category_id: linen }, [product]],
      [{ price_min: 19.01 }, [product]],
      [{ price_max: 39.89, price_min: 0 }, [scarf]],
    ] as const) {
      const { isError, text, structured } = await call('list_products', given)
      expect([isError, structured]).toEqual([false, undefined])
      expectList(text, await Promise.all(found.map((id) => rest(`/products/${id}.json`))))
    }
    expectList((await call('list_products')).text, await rest('/products.json'))
    for (const query of ['shirt', 'LS-M', 'nothing like this'])
      expectList(
        (await call('search_products', { query })).text,
        await rest(`/products/search.json?query=${encodeURIComponent(query)}`),
      )

    const { structured: before } = await call('get_product', { id: product })
    expect(before.product).toMatchObject({ name: 'Linen shirt', price: 39.9, categories: [{ id: linen }], variants: [{}, {}] })
    const changes = {
      id: product,
      price: 35,
      categories: [shirts],
      description: null,
      variants: [{ id: before.product.variants[0].id, stock: 7 }],
    }
    const { text: changed, structured: after } = await call('update_product', changes)
    expect(JSON.parse(changed)).toEqual(concise(await rest(`/products/${product}.json`)))
    expect(after.product).not.toHaveProperty('description')
    expect(after.product).toMatchObject({
      price: 35,
      categories: [{ id: shirts }],
      variants: [{ stock: 7 }, { stock: 3 }],
    })
    const same = ({ product: { updated_at: _, ...rest } }: { product: Record<string, unknown> }) => rest
    expect(same((await call('update_product', changes)).structured)).toEqual(same(after))

    expectList((await call('list_categories')).text, await rest('/categories.json'))
    for (const [tool, id, path] of [
      ['delete_product', scarf, '/products'],
      ['delete_product', product, '/products'],
      ['delete_category', shirts, '/categories'],
      ['delete_category', linen, '/categories'],
    ] as const) {
      expect(await call(tool, { id })).toEqual({ isError: false, text: '"OK"', structured: undefined })
      expect(await call(tool, { id })).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^There is no \w+ with the id/),
      })
      expect((await askRaw(stack.url, `/v1${path}/${id}.json`, { headers: keysOf(shop) })).status).toBe(404)
    }
    expect([(await call('list_products')).text, (await call('list_categories')).text]).toEqual(['[]', '[]'])
  })

  test('reads orders and customers: by id, in lists and by search', async () => {
    const post = async (path: string, body: object) => {
      const headers = { ...keysOf(shop), 'content-type': 'application/json' }
      const { status, json } = await askRaw(stack.url, `/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
      expect([path, status]).toEqual([path, 200])
      return json
    }
    const { customer } = await post('/customers.json', { customer: { email: 'ana@example.org', phone: '912345678' } })
    const { product } = await post('/products.json', { product: { name: 'Lamp', price: 12.5, stock: 5 } })
    const lines = [{ id: product.id, qty: 2 }]
    const { order } = await post('/orders.json', { order: { customer: { id: customer.id }, products: lines } })
    const { order: other } = await post('/orders.json', {
      order: { status: 'Paid', products: lines, customer: { email: 'rui@example.org' } },
    })

    expect((await call('get_customer', { id: customer.id })).structured).toEqual(
      concise(await rest(`/customers/${customer.id}.json`)),
    )
    expectList((await call('list_customers')).text, await rest('/customers.json'))
    for (const query of ['ana', '9123', 'nobody'])
      expectList((await call('search_customers', { query })).text, await rest(`/customers/search.json?query=${query}`))
    expect(JSON.parse((await call('search_customers', { query: 'ana' })).text)).toHaveLength(1)

    expect((await call('get_order', { id: order.id })).structured).toEqual(concise(await rest(`/orders/${order.id}.json`)))
    const changes = {
      id: order.id,
      status: 'paid',
      tracking_number: 'T1',
      tracking_company: 'other',
      tracking_url: 'https://example.org/T1',
      additional_information: 'Ring twice',
    }
    const { text, structured } = await call('update_order', changes)
    expect(JSON.parse(text)).toEqual(concise(await rest(`/orders/${order.id}.json`)))
    expect(structured.order).toMatchObject({ status: 'paid', tracking_number: 'T1', additional_information: 'Ring twice' })
    expect((await call('update_order', changes)).structured).toEqual(structured)
    await call('update_order', { id: other.id, status: 'Canceled' })
    expect(await call('update_order', { id: other.id, status: 'Paid' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('final'),
    })

    const shown = await Promise.all([order, other].map(({ id }) => rest(`/orders/${id}.json`)))
    for (const [given, found] of [
      [{}, shown],
      [{ status: 'paid' }, [shown[0]]],
      [{ status: 'canceled' }, [shown[1]]],
      [{ status: 'abandoned' }, []],
      [{ fulfillment_status: 'unfulfilled', limit: 1, page: 2 }, [shown[1]]],
      [{ created_after: '2020-01-01', created_before: '2020-12-31T23:59:59Z' }, []],
      [{ created_after: '2020-01-01' }, shown],
    ] as const)
      expectList((await call('list_orders', given)).text, found)
    for (const query of ['ana', String(order.id), 'nothing like this']) {
      const { orders, count } = (await call('search_orders', { query })).structured
      const wanted = await rest(`/orders/search.json?query=${encodeURIComponent(query)}`)
      expectList(JSON.stringify(orders), wanted.orders)
      expect(count).toBe(wanted.count)
    }
    expect((await call('search_orders', { query: 'ana' })).structured.count).toBe(1)
  })

  test('writes pages, and reads the shop', async () => {
    const page = {
      title: 'About us',
      body: '<h1>Hello</h1>',
      status: 'draft',
      page_title: 'About',
      meta_description: 'Who we are',
    }
    const id = await made('create_page', page, (each) => `/pages/${each}.json`)
    expectList((await call('list_pages')).text, await rest('/pages.json'))
    expect(JSON.parse((await call('list_pages')).text)).toMatchObject([{ page }])
    expect(await call('delete_page', { id })).toMatchObject({ isError: false, text: '"OK"' })

    const { text, structured } = await call('get_store_info')
    expect([structured, JSON.parse(text)]).toEqual([concise(await rest('/store/info.json')), structured])
  })

  test.each(WRONG)('gets the error of a wrong $tool $given', async ({ tool, given, expectedError }) => {
    const { isError, text, structured } = await call(tool, given)
    expect([isError, structured]).toEqual([true, undefined])
    expect(text).toContain(expectedError)
  })

  test('sees its own shop and no other', async () => {
    // Both are new: the first shop of a fast run has used up its requests of a minute.
    const [own, other] = [await stack.aStore(), await stack.aStore()]
    const owner = await connect({ url: `${stack.url}/mcp/store`, headers: keysOf(own) })
    const stranger = await connect({ url: `${stack.url}/mcp/store`, headers: keysOf(other) })
    const { structured } = await owner.call('create_product', { name: 'Hat', price: 5 })
    expect(await stranger.call('get_product', { id: structured.product.id })).toMatchObject({ isError: true })
    expect((await stranger.call('list_products', {})).text).toBe('[]')
    await Promise.all([owner.close(), stranger.close()])
  })

  test('has by now called every tool with right and with wrong arguments', () => {
    expect([...answered.well].sort()).toEqual(Object.keys(EFFECTS).sort())
    expect([...answered.badly].sort()).toEqual(Object.keys(EFFECTS).sort())
  })
})

test('answers have at most 8 kB, and a page of a hundred keeps all of its entries', async () => {
  const shop = await stack.aStore()
  const post = async (path: string, body: object) => {
    const headers = { ...keysOf(shop), 'content-type': 'application/json' }
    const { status, json } = await askRaw(stack.url, `/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([path, status]).toEqual([path, 200])
    return json
  }
  const description = `<p>${'Made to be used every day. '.repeat(700)}</p>`
  const variants = Array.from({ length: 60 }, (_, size) => ({
    variant: { sku: `LAMP-${size}`, stock: 9, options: [{ name: 'Size', value: `size ${size}` }] },
  }))
  const { product } = await post('/products.json', { product: { name: 'Lamp', price: 12.5, description, variants } })
  const line = { id: product.id, variant_id: product.variants[0].id, qty: 1 }
  for (let n = 0; n < 40; n++) {
    await post('/products.json', { product: { name: `Lámpara ${n} ${'de mesa '.repeat(9)}`, price: n, description } })
    await post('/orders.json', { order: { status: 'Abandoned', customer: { email: `c${n}@example.org` }, products: [line] } })
  }

  const connect = GENERATIONS['2026-07-28']
  if (!connect) throw new Error('Expected a client of 2026-07-28.')
  const client = await connect({ url: `${stack.url}/mcp/store`, headers: keysOf(shop) })
  const lengths: [string, number][] = []
  for (const [tool, given, count] of [
    ['list_products', { limit: 100 }, 41],
    ['search_products', { query: 'lampara', limit: 100 }, 40],
    ['list_orders', { limit: 100 }, 40],
    ['list_customers', { limit: 100 }, 40],
    ['get_product', { id: product.id }, null],
    ['update_product', { id: product.id, price: 13 }, null],
  ] as const) {
    const { text, isError } = await client.call(tool, given)
    expect([tool, isError]).toEqual([tool, false])
    lengths.push([tool, Buffer.byteLength(text)])
    if (count !== null) expect([tool, JSON.parse(text).length]).toEqual([tool, count])
  }
  expect(lengths.filter(([, bytes]) => bytes > MAX_ANSWER_BYTES)).toEqual([])
  const { structured } = await client.call('get_product', { id: product.id })
  expect(structured.product).toMatchObject({ name: 'Lamp', variants: expect.any(Array) })
  expect(structured.cut).toMatch(/^The first \d+ of 60 entries of product\.variants are shown/)
  await client.close()
})

test('credentials are two headers or HTTP Basic; without valid ones every request is 401 and names where to sign in', async () => {
  const shop = await stack.aStore()
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const basic = `Basic ${Buffer.from(`${shop.login}:${shop.authtoken}`).toString('base64')}`
  expect((await stack.post('store', list, keysOf(shop))).status).toBe(200)
  expect((await stack.post('store', list, { authorization: basic })).status).toBe(200)

  const metadata = 'resource_metadata="https://atrium.example/.well-known/oauth-protected-resource/mcp/store"'
  for (const [headers, challenge] of [
    [{}, `Bearer ${metadata}, scope="`],
    [{ ...keysOf(shop), 'x-auth-token': 'wrong' }, `Bearer ${metadata}, scope="`],
    [{ authorization: 'Bearer nonsense' }, `Bearer error="invalid_token", ${metadata}, scope="`],
  ] as const) {
    for (const message of [list, { ...list, method: 'initialize' }]) {
      const { status, json, headers: got } = await stack.post('store', message, headers)
      expect([status, got['www-authenticate']]).toEqual([401, expect.stringContaining(challenge)])
      expect(got['www-authenticate']).toContain(
        'read_customers read_orders read_pages read_products read_store write_orders write_pages write_products write_store"',
      )
      expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { message: expect.stringContaining('X-LOGIN-KEY') } })
    }
    expect((await askRaw(stack.url, '/mcp/store', { headers: { ...headers, accept: 'text/event-stream' } })).status).toBe(401)
  }
})

test('an account may ask 100 times a minute, by whatever credentials, and others are not held up by it', async () => {
  const [shop, other] = [await stack.aStore(), await stack.aStore()]
  const list = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const basic = { authorization: `Basic ${Buffer.from(`${shop.login}:${shop.authtoken}`).toString('base64')}` }
  const replies = []
  // Those that come while it lasts fill the bucket again, but one in a second only.
  for (let requestCount = 0; requestCount < 120; requestCount++)
    replies.push(await stack.post('store', list, requestCount % 2 ? basic : keysOf(shop)))
  const refused = replies.filter(({ status }) => status === 429)
  expect(replies.slice(0, 100).every(({ status }) => status === 200)).toBe(true)
  expect(refused.length).toBeGreaterThan(0)
  expect(refused[0]?.headers['retry-after']).toMatch(/^[1-9]\d*$/)
  expect(refused[0]?.json.error.message).toMatch(/^Expected at most 100 requests a minute: try again in \d+ seconds?\.$/)
  expect((await stack.post('store', list, keysOf(other))).status).toBe(200)
})
