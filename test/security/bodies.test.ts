import { isInputObjectType } from 'graphql'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveGraphql } from '../../gateway/transports/http.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { api } from '../fuzz/operations.ts'
import { operations } from '../fuzz/requests.ts'
import { type StoreRestStack, startStoreStack } from '../rest-facade/store/stack.ts'

let stack: StoreRestStack
let graphUrl: string
let closeGraph: () => Promise<unknown>
beforeAll(async () => {
  stack = await startStoreStack()
  // In this process, whose prototypes are looked at.
  const app = createHttpServer({ log: pino({ level: 'silent' }) })
  await serveGraphql(app, stack.gateway, { batchLimit: 5 })
  graphUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  closeGraph = () => app.close()
})
afterAll(async () => {
  await closeGraph?.()
  await stack?.close()
})

/** What no client may choose, beside what it may. */
const CHOSEN = {
  id: 999_999,
  store_id: 1,
  storeId: 1,
  store: { id: 1 },
  owner: 'me',
  owner_id: 1,
  role: 'ADMIN',
  version: 77,
  current_version: 77,
  created_at: '2001-01-01 00:00:00 UTC',
  createdAt: '2001-01-01T00:00:00Z',
  updated_at: '2001-01-01 00:00:00 UTC',
  is_admin: true,
  permissions: ['all'],
  password_hash: 'x',
}

describe('what a client may not choose', () => {
  const NOUNS = [
    { noun: 'product', path: 'products', table: 'product', fields: { name: 'Chosen', price: 1 } },
    { noun: 'category', path: 'categories', table: 'product_category', fields: { name: 'Chosen' } },
    { noun: 'customer', path: 'customers', table: 'customer', fields: { email: 'chosen@example.org' } },
    { noun: 'page', path: 'pages', table: 'page', fields: { title: 'Chosen' } },
    { noun: 'custom_field', path: 'custom_fields', table: 'custom_field', fields: { label: 'Chosen', type: 'text' } },
    { noun: 'hook', path: 'hooks', table: 'webhook_subscription', fields: { event: 'order_paid', url: 'https://example.com/' } },
    { noun: 'customer_category', path: 'customer_categories', table: 'customer_category', fields: { name: 'Chosen' } },
    {
      noun: 'location',
      path: 'locations',
      table: 'location',
      fields: { name: 'Chosen', address: 'Rua A', city: 'Braga', country: 'PT' },
    },
  ]

  test.each(NOUNS)('is not chosen by a body of a $noun', async ({ noun, path, table, fields }) => {
    const shop = await stack.aStore()
    const victim = await stack.aStore()
    const chosen = { ...CHOSEN, store_id: victim.storeId, storeId: victim.storeId }
    const made = await stack.ask(`POST /${path}.json`, { as: shop, body: { [noun]: { ...fields, ...chosen }, ...chosen } })
    expect(made.status).toBeLessThan(300)
    const { id } = made.json[noun]
    expect(id).not.toBe(CHOSEN.id)
    const rowOf = async () =>
      (await stack.sql(`SELECT to_jsonb(t) AS row FROM ${table} t WHERE id = $1`, [id]))[0]?.row as Record<string, unknown>
    const before = await rowOf()
    expect(before.store_id).toBe(shop.storeId)
    expect(JSON.stringify(before)).not.toContain('2001-01-01')
    expect(before.version ?? 1).not.toBe(77)

    const changed = await stack.ask(`PUT /${path}/${id}.json`, {
      as: shop,
      body: { [noun]: { ...fields, ...chosen }, ...chosen },
    })
    if (changed.status !== 405 && changed.status !== 404) {
      const after = await rowOf()
      expect(after.store_id).toBe(shop.storeId)
      expect(after.id).toBe(id)
      expect(JSON.stringify(after)).not.toContain('2001-01-01')
      expect(Number(after.version ?? 1)).toBeLessThan(10)
    }
    expect(
      (await stack.sql(`SELECT count(*)::int AS n FROM ${table} WHERE store_id = $1 AND id = $2`, [victim.storeId, id]))[0]?.n,
    ).toBe(0)
  })

  test('is an input field only where its description names who may set it', () => {
    const names = /^(ownerId|owner|storeId|store|role|version|createdAt|updatedAt|permissions|isAdmin|passwordHash|scopes)$/
    const found = Object.values(api.getTypeMap())
      .filter(isInputObjectType)
      .flatMap((type) => Object.keys(type.getFields()).map((field) => `${type.name}.${field}`))
      .filter((path) => names.test(path.split('.')[1] ?? ''))
    expect(found.sort()).toEqual(Object.keys(DECIDED).sort())
  })

  test('is refused by the graph as an unknown field', async () => {
    const answer = await stack.graph(
      stack.own,
      'mutation ($i: CreateProductInput!) { createProduct(input: $i) { __typename } }',
      {
        i: { name: 'Chosen', price: '1', storeId: 1, id: 'x' },
      },
    )
    expect(answer.errors?.[0]?.message).toMatch(/storeId|"id"/)
  })
})

/** Fields of inputs with such names, and who decides about them. */
const DECIDED: Readonly<Record<string, string>> = {
  'CreateUserInput.role': 'administrators: test/subgraphs/social/user.test.ts',
  'UpdateUserInput.role': 'administrators: test/subgraphs/social/user.test.ts',
  'InviteStaffMemberInput.role': 'the owner of the store: test/subgraphs/store/staff-member.test.ts',
  'UpdateStaffMemberInput.role': 'as for inviting',
  'CreateAppInput.scopes': 'what the app may ask for; the shop decides what it gets: test/subgraphs/store/app.test.ts',
  'UpdateAppInput.scopes': 'as for a new app',
  'SetMetafieldsInput.ownerId': 'the thing that has them, of the own store: test/subgraphs/store/metafield.test.ts',
  'DeleteMetafieldsInput.ownerId': 'as for setting them',
  'CreateStorefrontCartInput.store': 'any shop, as its visitors: test/subgraphs/store/checkout.test.ts',
  'RequestCustomerLinkInput.store': 'any shop, as its visitors: test/subgraphs/store/customer-account.test.ts',
  'OpenCustomerLinkInput.store': 'any shop, as its visitors: test/subgraphs/store/customer-account.test.ts',
  'SignInCustomerInput.store': 'any shop, as its visitors: test/subgraphs/store/customer-account.test.ts',
  'SignOutCustomerInput.store': 'a shop that has this session, by its secret token',
  'RequestStorefrontReturnInput.store':
    'a shop that has this session, by its secret token: test/subgraphs/store/order-return.test.ts',
  'ChangeCustomerPasswordInput.store': 'a shop that has this session, by its secret token',
  'SetCustomerAddressesInput.store': 'a shop that has this session, by its secret token',
  'EraseCustomerAccountInput.store': 'a shop that has this session, by its secret token',
  'UpdateStorefrontCartInput.store': 'a cart of this shop, by its secret token',
  'CompleteStorefrontCheckoutInput.store': 'as for the cart',
  'CreateStorefrontReviewInput.store': 'an order of this shop, by the secret of its link',
  'RetryStorefrontPaymentInput.store': 'the secret of the order stands beside it',
  'SearchFilter.owner': 'a filter of the public directory: the account that an item comes from',
  'McpServerFilter.owner': 'as for the search',
  'PluginFilter.owner': 'as for the search',
  'SkillFilter.owner': 'as for the search',
}

describe('keys that programs trip over', () => {
  const polluted = (inner: unknown) =>
    JSON.stringify({ body: inner }).replaceAll('"PROTO"', '"__proto__"').slice('{"body":'.length, -1)
  const BAD = { PROTO: { polluted: 1, isAdmin: true }, constructor: { prototype: { polluted: 1 } }, prototype: { polluted: 1 } }

  const untouched = () => {
    const clean: Record<string, unknown> = {}
    expect([
      clean.polluted,
      clean.isAdmin,
      ([] as unknown as typeof clean).polluted,
      (Object as unknown as typeof clean).polluted,
    ]).toEqual([undefined, undefined, undefined, undefined])
    expect(Object.keys(Object.prototype)).toEqual([])
  }

  test('change no prototype by any body of any operation of REST', { timeout: 60_000 }, async () => {
    const writing = operations.filter(({ body }) => body !== null)
    expect(writing.length).toBeGreaterThan(40)
    for (const { facade, method, path, body } of writing) {
      const names = Object.keys(body?.properties ?? {})
      const value = polluted({ ...BAD, ...Object.fromEntries(names.map((name) => [name, { ...BAD, a: BAD }])) })
      const url = path.replaceAll(/\{\w+\}/g, '1')
      const { status } = await fetch(`${stack.url}${url}?__proto__[polluted]=1&constructor[prototype][polluted]=1&__proto__=1`, {
        method,
        body: value,
        headers: {
          'content-type': 'application/json',
          ...(facade === 'store' ? (stack.own.caller.credentials as Record<string, string>) : { 'x-api-key': 'sk_x' }),
        },
      })
      expect([url, status < 500]).toEqual([url, true])
      untouched()
    }
  })

  test('change no prototype by variables, extensions, names and aliases of the graph', async () => {
    const bodies = [
      `{"query":"query ($a: String) { __typename }","variables":${polluted(BAD)}}`,
      `{"query":"{ __typename }","extensions":${polluted(BAD)}}`,
      `{"query":"{ __proto__: __typename constructor: __typename toString: __typename }"}`,
      `{"query":"query __proto__ { __typename }","operationName":"__proto__"}`,
      `{"query":"query ($__proto__: String, $constructor: Int) { a: __typename }","variables":${polluted(BAD)}}`,
      `{"query":"mutation ($i: CreateProductInput!) { createProduct(input: $i) { __typename } }","variables":{"i":${polluted({ ...BAD, name: 'x', price: '1' })}}}`,
      polluted(BAD),
      polluted([BAD, { query: '{ __typename }', ...BAD }]),
    ]
    for (const body of bodies) {
      const answer = await fetch(`${graphUrl}/graphql`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...(stack.own.caller.credentials as Record<string, string>) },
      })
      expect([body, answer.status < 500]).toEqual([body, true])
      await answer.text()
      untouched()
    }
    await fetch(`${graphUrl}/graphql?query={__typename}&variables=${encodeURIComponent(polluted(BAD))}&__proto__[polluted]=1`, {
      headers: { 'apollo-require-preflight': '1' },
    })
    untouched()
  })

  test('are kept as they are where any JSON may be kept', async () => {
    const shop = await stack.aStore()
    const { json } = await stack.ask('POST /products.json', { as: shop, body: { product: { name: 'Kept', price: 1 } } })
    const value = polluted({ ...BAD, plain: 1 })
    const ownerId = Buffer.from(`Product:${json.product.id}`).toString('base64url')
    const set = await stack.graph(
      shop,
      `mutation ($i: SetMetafieldsInput!) {
        setMetafields(input: $i) { __typename ... on SetMetafieldsSuccess { metafields { namespace key value } } }
      }`,
      { i: { ownerId, metafields: [{ namespace: '__proto__', key: 'constructor', type: 'JSON', value }] } },
    )
    expect(set).toEqual({
      data: {
        setMetafields: {
          __typename: 'SetMetafieldsSuccess',
          metafields: [{ namespace: '__proto__', key: 'constructor', value: expect.stringContaining('__proto__') }],
        },
      },
    })
    untouched()
  })
})
