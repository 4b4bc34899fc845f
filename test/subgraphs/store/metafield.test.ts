import { isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demand } from '../../../subgraphs/store/access/guard.ts'
import { OWNERS } from '../../../subgraphs/store/metafield/owners.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { changer } from './support/change.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  // A clock that stands: credentials are judged anew after a second, which is a statement.
  stack = await startStore(() => new Date('2026-11-20T09:00:00Z'))
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const change = async (name: string, variables: Record<string, unknown>, who = shop) =>
  changer(stack, { Metafield: 'namespace key type value', Page: 'id number' })(who, name, variables)
const aPage = async (who = shop) => (await change('createPage', { input: { title: 'A page' } }, who)).page
const set = async (ownerId: string, metafields: object[], who = shop) =>
  change('setMetafields', { input: { ownerId, metafields } }, who)
const text = (namespace: string, key: string, value = 'x') => ({ namespace, key, type: 'TEXT', value })

const WITHOUT_METAFIELDS = [
  ...['App', 'WebhookSubscription', 'ScriptTag', 'DraftOrder', 'OrderReturn', 'InventoryTransfer', 'StaffMember'],
  ...['SearchSynonym', 'StoreCurrency'],
]

test('everything that has an id and a version has metafields, a table and scopes', () => {
  const { schema } = stack.subgraph
  const entities = Object.values(schema.getTypeMap()).filter(
    // An app is no part of a store, and its webhooks and scripts are nobody else's: what is noted
    // about them would be seen by others. Drafts become orders, and returns belong to orders, which
    // have metafields. Transfers move what has metafields itself. Staff are people. Synonyms and
    // currencies are settings.
    (type) => isObjectType(type) && type.getFields().id && type.getFields().version && !WITHOUT_METAFIELDS.includes(type.name),
  )
  const without = entities.filter((type) => isObjectType(type) && !type.getFields().metafields)
  expect(without.map(({ name }) => name)).toEqual([])
  expect(entities.filter(({ name }) => !(name in OWNERS)).map(({ name }) => name)).toEqual([])
})

test('setting metafields requires the scope that changes their owner', () => {
  const app = { storeId: 1, storeCode: 'shop', scopes: ['read_pages', 'write_products'], app: null, staff: null } as const
  expect(() => demand(app, OWNERS.Page.scopes)).toThrow('Expected credentials with the scope "write_pages".')
  expect(() => demand(app, OWNERS.Product.scopes)).not.toThrow()
})

test('metafields are set anew or besides, and read by namespace and key', async () => {
  const { id } = await aPage()
  expect(await set(id, [text('b', 'k'), text('a', 'z'), text('a', 'k')])).toMatchObject({
    metafields: [text('a', 'k'), text('a', 'z'), text('b', 'k')],
  })
  const number = { namespace: 'a', key: 'z', type: 'INTEGER', value: '-12' }
  expect(await set(id, [number])).toMatchObject({ metafields: [text('a', 'k'), number, text('b', 'k')] })
  const { data } = await stack.ask(shop, 'query ($id: ID!) { page(id: $id) { metafields(namespace: "b") { key createdAt } } }', {
    id,
  })
  expect(data.page.metafields).toEqual([{ key: 'k', createdAt: expect.any(String) }])
})

test('deleting leaves the others, and what is not there is no mistake', async () => {
  const { id } = await aPage()
  await set(id, [text('a', 'k'), text('b', 'k')])
  const names = [
    { namespace: 'a', key: 'k' },
    { namespace: 'a', key: 'other' },
  ]
  expect(await change('deleteMetafields', { input: { ownerId: id, metafields: names } })).toMatchObject({
    metafields: [text('b', 'k')],
  })
})

test.each([
  ['INTEGER', '0', '0'],
  ['DECIMAL', '-12.50', '-12.50'],
  ['BOOLEAN', 'true', 'true'],
  ['DATE', '2024-02-29', '2024-02-29'],
  ['DATE_TIME', '2026-11-20T10:30:00.5+01:00', '2026-11-20T09:30:00.500Z'],
  ['URL', 'https://example.org/?q=ü', 'https://example.org/?q=ü'],
  ['JSON', '{"a": [1, null]}', '{"a": [1, null]}'],
])('a %s takes %s', async (type, value, stored) => {
  const { id } = await aPage()
  expect(await set(id, [{ namespace: 'n', key: 'k', type, value }])).toMatchObject({ metafields: [{ type, value: stored }] })
})

test.each([
  ['TEXT', ''],
  ['TEXT', 'x'.repeat(10_001)],
  ['TEXT', 'nul \0'],
  ['INTEGER', '007'],
  ['INTEGER', '1e3'],
  ['INTEGER', '-0'],
  ['INTEGER', '1234567890123456'],
  ['DECIMAL', '1.23456'],
  ['BOOLEAN', 'yes'],
  ['DATE', '2026-02-31'],
  ['DATE', '2026-2-3'],
  ['DATE_TIME', '2026-02-31T00:00:00Z'],
  ['DATE_TIME', '2026-11-20'],
  ['URL', 'javascript:alert(1)'],
  ['JSON', '{'],
])('a %s does not take %j', async (type, value) => {
  const { id } = await aPage()
  expect(await set(id, [text('n', 'good'), { namespace: 'n', key: 'k', type, value }])).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'metafields.1.value' }],
  })
  const { data } = await stack.ask(shop, 'query ($id: ID!) { page(id: $id) { metafields { key } } }', { id })
  expect(data.page.metafields).toEqual([])
})

test.each([
  [[], 'metafields'],
  [Array.from({ length: 51 }, (_, index) => text('n', `k${index}`)), 'metafields'],
  [[text('n', 'k'), text('n', 'k')], 'metafields'],
  [[text('', 'k')], 'metafields.0.namespace'],
  [[text('n', 'k k')], 'metafields.0.key'],
  [[text('n', 'x'.repeat(61))], 'metafields.0.key'],
])('%#: names and number are checked', async (metafields, field) => {
  const { id } = await aPage()
  expect(await set(id, metafields)).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test('an owner has at most 100, also with concurrent requests', async () => {
  const { id } = await aPage()
  const sets = Array.from({ length: 5 }, (_, part) => Array.from({ length: 30 }, (__, index) => text(`n${part}`, `k${index}`)))
  const results = await Promise.all(sets.map((metafields) => set(id, metafields)))
  expect(results.filter(({ __typename }) => __typename === 'SetMetafieldsSuccess')).toHaveLength(3)
})

describe('metafields of', () => {
  test('another store are neither seen nor set', async () => {
    const other = await stack.aStore({ name: 'Another shop' })
    const { id, number } = await aPage()
    for (const ownerId of [id, String(number), encodeId('Store', String(shop.storeId)), encodeId('Money', '1'), 'nothing']) {
      expect(await set(ownerId, [text('n', 'k')], other)).toMatchObject({ __typename: 'NotFoundError' })
    }
    expect(
      await change('deleteMetafields', { input: { ownerId: id, metafields: [{ namespace: 'n', key: 'k' }] } }, other),
    ).toMatchObject({
      __typename: 'NotFoundError',
    })
  })

  test('the store itself are set by its own id', async () => {
    const ownerId = encodeId('Store', String(shop.storeId))
    await set(ownerId, [text('app', 'plan')])
    expect((await stack.ask(shop, '{ store { metafields { key } } }')).data.store.metafields).toEqual([{ key: 'plan' }])
  })

  test('what is deleted are gone from the database', async () => {
    const { id, number } = await aPage()
    await set(id, [text('n', 'k')])
    await change('deletePage', { id })
    expect(await stack.sql(`SELECT 1 FROM metafield WHERE owner_type = 'Page' AND owner_id = $1`, [number])).toEqual([])
  })

  test('a page of things take one statement', async () => {
    const reader = await stack.aStore({ name: 'Reader' })
    for (let index = 0; index < 5; index += 1) await set((await aPage(reader)).id, [text('n', 'k')], reader)
    const queries = watchStatements()
    const statements = async (first: number) => {
      const before = queries.texts().length
      const { data } = await stack.ask(reader, `{ pages(first: ${first}) { nodes { metafields { value } } } }`)
      expect(data.pages.nodes[0].metafields).toEqual([{ value: 'x' }])
      return queries.texts().length - before
    }
    try {
      expect(await statements(1)).toBe(await statements(5))
    } finally {
      queries.stop()
    }
  })
})
