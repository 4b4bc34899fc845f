import { afterAll, beforeAll, expect, test } from 'vitest'
import { operationFor, operations } from './contract.ts'
import { aFullShop, type FullShop, pathOf } from './full-shop.ts'
import { addParticular } from './particular-resources.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON of the contract, which `stack.ask` holds against it
type Body = any

/** One resource: the path that reads it, the part of that answer, and the path that writes it. */
type Resource = { readonly get: string; readonly part: (answer: Body) => Body; readonly put: string }

let stack: StoreRestStack
let full: FullShop
let resources: readonly Resource[]
beforeAll(async () => {
  stack = await startStoreStack()
  full = await aFullShop(stack, 2)
  resources = [...resourcesOfPaths(), ...(await resourcesOfLists()), ...(await addParticular(full, send)).map(whole)]
}, 120_000)
afterAll(() => stack.close())

const whole = (path: string): Resource => ({ get: path, part: (answer) => answer, put: path })

/** A resource of every operation that writes what another reads under the same path. */
const resourcesOfPaths = (): Resource[] =>
  [...operations.values()].flatMap((operation) => {
    if (operation.method !== 'PUT' || operation.operationId === 'setProductLocationStock') return []
    const path = pathOf(operation, full)
    return operationFor('GET', `/v1${path}`) ? [whole(path)] : []
  })

/** Resources that only a list reads. */
async function resourcesOfLists(): Promise<Resource[]> {
  const { ids, locationIds, productIds } = full
  const documents = `/orders/${ids.orders}/documents`
  const fields = `/products/${ids.products}/fields`
  const levels = `/products_locations?location_ids=${locationIds.join()}&product_ids=${productIds.join()}`
  return [
    ...(await entries(`${documents}.json`, ({ document }) => `${documents}/${document.public_id}.json`)),
    ...(await entries(`${fields}.json`, ({ field }) => `${fields}/${field.id}.json`)),
    ...(await entries(levels, () => '/products_locations')),
  ]
}

const entries = async (list: string, put: (entry: Body) => string): Promise<Resource[]> =>
  (await read(list)).map((entry: Body, index: number) => ({ get: list, part: (answer: Body) => answer[index], put: put(entry) }))

async function read(path: string): Promise<Body> {
  return (await send('GET', path)).json
}

/** Sends a request that has to succeed. */
async function send(method: string, path: string, body?: object) {
  const reply = await stack.ask(`${method} ${path}`, { as: full.shop, ...(body && { body }) })
  if (reply.status >= 300) throw new Error(`Expected ${method} ${path} to succeed, got ${reply.status}: ${reply.text}`)
  return reply
}

/** All rows by table, without their times and versions. Not of events, and of the search index, whose words have no order. */
async function contents(): Promise<Readonly<Record<string, unknown>>> {
  const tables = await stack.sql(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'store'::regnamespace AND relkind = 'r'
       AND relname NOT IN ('event_process', 'event', 'event_topic', 'product_search')`,
  )
  const rows = tables.map(async ({ name }) => {
    const found = await stack.sql(`SELECT to_jsonb(t) - 'updated_at' - 'version' AS row FROM "${name}" t`)
    return [name, found.map(({ row }) => JSON.stringify(row)).sort()]
  })
  return Object.fromEntries(await Promise.all(rows))
}

/**
 * What a caller sees of a resource, without the times at which it and what is in it were changed,
 * and without the signatures of links, which have the second of the answer in them.
 */
const seen = (answer: Body): string =>
  JSON.stringify(answer, (key, value) => (key === 'updated_at' ? null : value)).replaceAll(
    /expires=\d+&signature=[\w-]+/g,
    'signed',
  )

test('every resource that can be written is put back as it was read, and changes nothing', { timeout: 120_000 }, async () => {
  const faults: unknown[] = []
  let before = await contents()
  for (const { get, part, put } of resources) {
    const body = part(await read(get))
    const { status, text } = await stack.ask(`PUT ${put}`, { as: full.shop, body })
    const after = await contents()
    const changed = Object.keys(after).filter((table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]))
    const isSame = seen(part(await read(get))) === seen(body)
    if (status !== 200 || changed.length > 0 || !isSame) faults.push({ put, status, changed, isSame, text: text.slice(0, 500) })
    before = after
  }
  expect(faults).toEqual([])
})

test('every operation that writes a resource was covered', () => {
  const written = new Set(resources.map(({ put }) => operationFor('PUT', `/v1${put}`)?.operationId))
  const all = [...operations.values()].filter(({ method }) => method === 'PUT').map(({ operationId }) => operationId)
  expect(all.filter((operationId) => !written.has(operationId))).toEqual([])
})

test('what answers have in lists and objects is read by its keys, and nothing else is', async () => {
  const theme = `/themes/${full.ids.themes}.json`
  const settings = [{ key: 'key-0', value: 'new' }]
  expect((await send('PUT', theme, { theme: { settings } })).json.theme.settings[0]).toMatchObject({ value: 'new' })
  for (const wrong of [[{ key: 'key-0' }], ['new'], [{ key: 7, value: 'new' }], [{ key: '__proto__', value: 'new' }]]) {
    const { status, json } = await stack.ask(`PUT ${theme}`, { as: full.shop, body: { theme: { settings: wrong } } })
    expect([status, Object.keys(json.errors)]).toEqual([400, ['theme.settings']])
  }
  const page = `/pages/${full.ids.pages}.json`
  for (const template of [{ id: 1 }, { name: 7 }, ['L 0']]) {
    const { status, json } = await stack.ask(`PUT ${page}`, { as: full.shop, body: { page: { template } } })
    expect([status, Object.keys(json.errors)]).toEqual([400, ['page.template']])
  }
})

test('the shipment status Unfulfilled is accepted before a shipment, and refused after one', async () => {
  const { id } = (
    await send('POST', '/orders.json', {
      order: {
        products: [
          {
            id: full.productIds[1],
            variant_id: (await read(`/products/${full.productIds[1]}.json`)).product.variants[0].id,
            qty: 1,
          },
        ],
        status: 'Paid',
      },
    })
  ).json.order
  const say = (shipment_status: string) =>
    stack.ask(`PUT /orders/${id}.json`, { as: full.shop, body: { order: { shipment_status } } })
  expect((await say('Unfulfilled')).status).toBe(200)
  expect((await say('requested')).status).toBe(200)
  const { status, json } = await say('unfulfilled')
  expect([status, Object.keys(json.errors)]).toEqual([400, ['order.shipment_status']])
})

test('the first location of a store is its main one, and is refused as another', async () => {
  const as = await stack.aStore()
  const create = (more: object) =>
    stack.ask('POST /locations.json', { as, body: { name: 'Shed', address: 'Rua C', city: 'Braga', country: 'PT', ...more } })
  const refused = await create({ main: false })
  expect([refused.status, Object.keys(refused.json.errors)]).toEqual([400, ['main']])
  const main = []
  for (const more of [{}, { main: false }, {}]) main.push((await create(more)).json.location.main)
  expect(main).toEqual([true, false, false])
})

test('null instead of the variants of a product, or the options of a variant, changes nothing', async () => {
  const path = `/products/${full.ids.products}.json`
  const { product } = await read(path)
  const { status } = await stack.ask(`PUT ${path}`, { as: full.shop, body: { product: { variants: null } } })
  const variant = `/products/${full.ids.products}/variants/${full.ids.variants}.json`
  const other = await stack.ask(`PUT ${variant}`, { as: full.shop, body: { variant: { options: null } } })
  expect([status, other.status, seen((await read(path)).product)]).toEqual([200, 200, seen(product)])
})
