import type { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { generateKeyPair, SignJWT } from 'jose'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { PLAIN_SECRETS } from '../../../platform/secrets/cipher.ts'
import type { StaffRole } from '../../../subgraphs/store/access/staff-roles.ts'
import { AUDITED_COLUMNS } from '../../../subgraphs/store/audit-entry/audited-columns.ts'
import { purgeAuditEntries } from '../../../subgraphs/store/audit-entry/purge.ts'
import { auditEntryRepository } from '../../../subgraphs/store/audit-entry/repository.ts'
import { withStores } from '../../../subgraphs/store/operator/stores.ts'
import { withSavepoint } from '../../../subgraphs/store/savepoint.ts'
import type { Tables } from '../../../subgraphs/store/tables.ts'
import { write } from '../../../subgraphs/store/write.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { agreedApp } from './support/app.ts'
import { storefrontShopper } from './support/shopper.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

let at = new Date('2026-11-20T12:00:00Z')
let stack: StoreStack
let signer: Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
beforeAll(async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA')
  signer = privateKey
  stack = await startStore(() => at, { userKeys: async () => publicKey, isSessionOpen: async () => true })
})
afterAll(() => stack.close())

let users = 0
/** A user with this role in a store. */
async function aMember(store: TestStore, role: StaffRole) {
  const id = ++users
  const userId = encodeId('User', String(id))
  if (role === 'OWNER') await stack.sql('UPDATE store SET owner_id = $1 WHERE id = $2', [userId, store.storeId])
  else
    await stack.sql(`INSERT INTO staff_member (store_id, user_id, role, invited_at, accepted_at) VALUES ($1, $2, $3, $4, $4)`, [
      store.storeId,
      userId,
      role,
      at,
    ])
  const token = await new SignJWT({ sid: '1' })
    .setProtectedHeader({ alg: 'EdDSA' })
    .setIssuer('atrium')
    .setSubject(String(id))
    .setExpirationTime(Math.floor(at.getTime() / 1_000) + 100 * 86_400)
    .sign(signer)
  const caller: Caller = {
    ...ANONYMOUS,
    requestId: `request-of-${role}`,
    credentials: { authorization: `Bearer ${token}`, 'x-store-code': store.code },
  }
  return { caller, userId }
}

const ENTRIES = `query ($filter: AuditEntryFilter, $first: Int, $after: String) { auditEntries(filter: $filter, first: $first, after: $after) {
  nodes { number at actor user { id } role appCode operation requestId noun objectNumber kind fields { name isChanged isValueStored before after } }
  pageInfo { hasNextPage endCursor } } }`
const CREATE = `mutation ($input: CreateProductInput!) { result: createProduct(input: $input) { __typename ... on CreateProductSuccess { product { id number } } } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateProductInput!) { result: updateProduct(id: $id, input: $input) { __typename } }`

/** Asks, without an error of GraphQL. */
async function done(who: TestStore | Caller, query: string, variables: Record<string, unknown> = {}) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data
}
async function entriesOf(who: TestStore | Caller, filter: object = {}, page: object = {}) {
  const { data, errors } = await stack.ask(who, ENTRIES, { filter, ...page })
  expect(errors).toBeUndefined()
  return data.auditEntries.nodes
}
async function aProduct(who: TestStore | Caller, input: object = {}): Promise<{ id: string; number: number }> {
  const { data, errors } = await stack.ask(who, CREATE, { input: { name: 'Cup', price: '10', ...input } })
  expect(errors).toBeUndefined()
  return data.result.product
}
/** The values of a field, before and after. */
// biome-ignore lint/suspicious/noExplicitAny: an answer
const changesOf = ({ fields }: any) =>
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  Object.fromEntries(fields.map((field: any) => [field.name, field.isValueStored ? [field.before, field.after] : 'not kept']))

describe('the audit log of a store', () => {
  test('says who changed what, from which value to which, newest first', async () => {
    const store = await stack.aStore()
    const owner = await aMember(store, 'OWNER')
    const manager = await aMember(store, 'MANAGER')
    const app = await agreedApp(stack, store, { scopes: ['read_products', 'write_products'] })
    const { id, number } = await aProduct(owner.caller, { stock: 5 })
    for (const [who, input] of [
      [manager.caller, { price: '12.50', description: 'For tea' }],
      [app.caller, { name: 'Mug' }],
      [store, { stock: 7 }],
    ] as const)
      expect((await stack.ask(who, UPDATE, { id, input })).data.result.__typename).toBe('UpdateProductSuccess')

    const entries = await entriesOf(owner.caller, { noun: 'PRODUCT' })
    expect(entries).toMatchObject([
      { actor: 'AUTHTOKEN', user: null, role: null, appCode: null, operation: 'updateProduct', kind: 'UPDATED' },
      { actor: 'APP', user: null, role: null, appCode: app.code, kind: 'UPDATED' },
      { actor: 'USER', user: { id: manager.userId }, role: 'MANAGER', requestId: 'request-of-MANAGER', objectNumber: number },
      { actor: 'USER', user: { id: owner.userId }, role: 'OWNER', operation: 'createProduct', kind: 'CREATED' },
    ])
    expect(entries.slice(0, 3).map(changesOf)).toEqual([
      { name: ['Mug', 'Mug'], stock: ['5', '7'] },
      { name: ['Cup', 'Mug'] },
      { name: ['Cup', 'Cup'], price: ['10', '12.5'], description: 'not kept' },
    ])
    expect(changesOf(entries[3])).toMatchObject({ name: [null, 'Cup'], price: [null, '10'], status: [null, 'AVAILABLE'] })
  })

  test('has no entry for what changes nothing, fails, is undone, or is repeated with its key', async () => {
    const store = await stack.aStore()
    const { id } = await aProduct(store, { idempotencyKey: 'once' })
    await aProduct(store, { idempotencyKey: 'once' })
    await stack.ask(store, UPDATE, { id, input: { price: '10' } })
    await stack.ask(store, UPDATE, { id, input: { price: '-1' } })
    await stack.ask(store, UPDATE, { id, input: { name: 'Bowl', expectedVersion: 99 } })
    expect(await entriesOf(store)).toMatchObject([{ noun: 'PRODUCT', kind: 'CREATED' }])

    const { query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
    const by = { actor: { actor: 'AUTHTOKEN' as const }, requestId: null }
    await write(
      query,
      { storeId: store.storeId, now: at, announce: async () => {}, secrets: PLAIN_SECRETS, by },
      { name: 'test', input: null, key: null },
      async (unit) => {
        for (const [name, __typename] of [
          ['Undone', 'ConflictError'],
          ['Bowl', 'UpdateSuccess'],
        ] as const)
          await withSavepoint(unit, async (within) => {
            await within.query.updateTable('product').set({ name }).where('store_id', '=', store.storeId).execute()
            return { __typename }
          })
        return { __typename: 'TestSuccess' }
      },
    )
    await close()
    expect((await entriesOf(store)).map(changesOf)[0]).toEqual({ name: ['Cup', 'Bowl'] })
    expect(await entriesOf(store)).toHaveLength(2)
  })

  test('goes on when its numbers are used up', async () => {
    const store = await stack.aStore()
    await stack.sql(`SELECT setval('audit_entry_id_seq', 2147483646)`)
    const made = [await aProduct(store), await aProduct(store)].map(({ number }) => number)
    const entries = await entriesOf(store)
    expect(new Set(entries.map(({ objectNumber }: { objectNumber: number }) => objectNumber))).toEqual(new Set(made))
    expect(entries.map(({ number }: { number: number }) => number)).toEqual([2_147_483_647, 1])
  })

  test('a connection that is lost fails the change, and no more: the process goes on', async () => {
    const { storeId } = await stack.aStore()
    const { query, pool, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
    let lose = () => {}
    pool.on('connect', (client) => {
      // A member that the types of pg omit.
      const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection
      lose = () => void stream.destroy()
    })
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    const by = { actor: { actor: 'AUTHTOKEN' as const }, requestId: null }
    const written = write(
      query,
      { storeId, now: at, announce: async () => {}, secrets: PLAIN_SECRETS, by },
      { name: 'test', input: null, key: null },
      async (unit) => {
        lose()
        await unit.query.updateTable('product').set({ name: 'Lost' }).where('store_id', '=', storeId).execute()
        return { __typename: 'TestSuccess' }
      },
    )
    await expect(written).rejects.toThrow(/connection/i)
    await nextTurn()
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
    await close()
  })

  test('keeps nothing of what shoppers do, and nothing of a person', async () => {
    const store = await stack.aStore()
    const shopper = storefrontShopper(stack, store)
    const productId = await shopper.aProduct({ shippingRequired: false })
    const before = (await entriesOf(store)).length
    const { token } = await shopper.ready([{ productId }])
    await shopper.update(token, { email: 'zoe.secretive@example.org' })
    const { order, __typename } = await shopper.complete(token, '10')
    expect(__typename).toBe('CompleteStorefrontCheckoutSuccess')
    expect(await entriesOf(store)).toHaveLength(before)

    const person = { name: 'Zoe Secretive', address: 'Secretive Street 7', city: 'Porto', country: 'PT' }
    const data = await done(
      store,
      `mutation ($input: CreateCustomerInput!) { result: createCustomer(input: $input) { __typename ... on CreateCustomerSuccess { customer { id number } } } }`,
      { input: { email: 'other.secretive@example.org', phone: '912345678', billingAddress: person, shippingAddress: person } },
    )
    const { customer } = data.result
    await done(
      store,
      'mutation ($id: ID!, $input: UpdateCustomerInput!) { updateCustomer(id: $id, input: $input) { __typename } }',
      { id: customer.id, input: { email: 'third.secretive@example.org', status: 'DISABLED' } },
    )
    await done(
      store,
      'mutation ($id: ID!) { addOrderHistoryEntry(orderId: $id, input: { message: "Secretive called" }) { __typename } }',
      { id: String(order.number) },
    )
    const [updated] = await entriesOf(store, { noun: 'CUSTOMER', objectNumber: customer.number })
    expect(changesOf(updated)).toEqual({ email: 'not kept', status: ['APPROVED', 'DISABLED'] })
    await done(store, 'mutation ($id: ID!) { eraseCustomer(id: $id) { __typename } }', { id: customer.id })
    const rows = await stack.sql('SELECT * FROM audit_entry WHERE store_id = $1', [store.storeId])
    expect(rows.filter(({ noun }) => noun === 'CUSTOMER').map(({ kind }) => kind)).toEqual(['CREATED', 'UPDATED', 'DELETED'])
    expect(JSON.stringify(rows)).not.toMatch(/secretive|912345678|porto/i)
  })

  test('keeps that secrets were replaced, and none of them', async () => {
    const store = await stack.aStore()
    await done(store, 'mutation ($input: CreatePaymentMethodInput!) { createPaymentMethod(input: $input) { __typename } }', {
      input: { name: 'Transfer', key: 'very-hidden-key', secret: 'very-hidden' },
    })
    const reset = await done(store, 'mutation { resetAuthtoken { ... on ResetAuthtokenSuccess { authtoken } } }')
    const { connection } = stack.database
    const [issued, rotated] = await withStores(connection, async (stores) => [
      await stores.resetToken(store.code),
      await stores.rotateHooksToken(store.code, 1),
    ])
    expect(rotated).not.toBeNull()
    const owner = await aMember(store, 'OWNER')
    const entries = await entriesOf(owner.caller)
    expect(entries.slice(0, 4)).toMatchObject([
      { actor: 'OPERATOR', operation: 'secrets rotate hooks-token', noun: 'STORE', requestId: null },
      { actor: 'OPERATOR', operation: 'store token reset', noun: 'CREDENTIAL' },
      { actor: 'AUTHTOKEN', operation: 'resetAuthtoken', noun: 'CREDENTIAL' },
      { noun: 'PAYMENT_METHOD' },
    ])
    expect(changesOf(entries[0])).toEqual({ hooksToken: 'not kept' })
    expect(changesOf(entries[2])).toMatchObject({ tokenHash: 'not kept' })
    const log = JSON.stringify(await stack.sql('SELECT * FROM audit_entry WHERE store_id = $1', [store.storeId]))
    for (const secret of ['very-hidden', reset.resetAuthtoken.authtoken, issued?.authtoken ?? '', store.authtoken])
      expect(log).not.toContain(secret)
  })

  test('a text is cut, and what follows from a change is not listed by itself', async () => {
    const store = await stack.aStore()
    const { id } = await aProduct(store, { brand: 'b'.repeat(250), variants: [{ sku: 'A' }] })
    const [created] = await entriesOf(store, { noun: 'PRODUCT' })
    expect(changesOf(created).brand[1]).toHaveLength(200)
    await done(store, 'mutation ($id: ID!) { deleteProduct(id: $id) { __typename } }', { id })
    expect(await entriesOf(store, { noun: 'PRODUCT_VARIANT' })).toHaveLength(1)
    expect(await entriesOf(store, { noun: 'PRODUCT' })).toMatchObject([{ kind: 'DELETED' }, { kind: 'CREATED' }])
  })
})

describe('who reads it', () => {
  test('the authtoken, the owner and managers do; no other role, no app and no stranger', async () => {
    const store = await stack.aStore()
    await aProduct(store)
    const app = await agreedApp(stack, store, { scopes: ['read_products', 'write_products', 'read_store', 'write_store'] })
    const seen: Record<string, unknown> = {}
    for (const role of ['OWNER', 'MANAGER', 'CATALOGUE', 'FULFILLMENT', 'SUPPORT'] as const) {
      const { data, errors } = await stack.ask((await aMember(store, role)).caller, ENTRIES)
      seen[role] = errors?.[0]?.extensions.code ?? data.auditEntries.nodes.length
    }
    for (const [name, who] of [
      ['app', app.caller],
      ['nobody', ANONYMOUS],
      ['authtoken', store],
    ] as const) {
      const { data, errors } = await stack.ask(who, ENTRIES)
      seen[name] = errors?.[0]?.extensions.code ?? data.auditEntries.nodes.length
    }
    expect(seen).toEqual({
      ...{ OWNER: 1, MANAGER: 1, CATALOGUE: 'FORBIDDEN', FULFILLMENT: 'FORBIDDEN', SUPPORT: 'FORBIDDEN' },
      ...{ app: 'FORBIDDEN', nobody: 'UNAUTHENTICATED', authtoken: 1 },
    })
  })

  test('sees no entry of another store, not by its number, a user or a cursor either', async () => {
    const [mine, other] = [await stack.aStore(), await stack.aStore()]
    const owner = await aMember(other, 'OWNER')
    const { number } = await aProduct(owner.caller)
    await aProduct(owner.caller)
    const { data } = await stack.ask(other, ENTRIES, { first: 1 })
    const after = data.auditEntries.pageInfo.endCursor
    for (const [filter, page] of [
      [{ noun: 'PRODUCT', objectNumber: number }, {}],
      [{ userId: owner.userId }, {}],
      [{}, { after }],
    ] as const)
      expect(await entriesOf(mine, filter, page)).toEqual([])
  })
})

describe('its filters', () => {
  test('narrow by caller, user, object and time, and pages go on without a gap', async () => {
    const store = await stack.aStore()
    const manager = await aMember(store, 'MANAGER')
    const begin = at
    const made = await aProduct(store)
    for (let round = 1; round <= 4; round += 1) {
      at = new Date(at.getTime() + 60_000)
      await stack.ask(round % 2 === 0 ? manager.caller : store, UPDATE, { id: made.id, input: { price: String(round) } })
    }
    const counts = async (filter: object) => (await entriesOf(store, filter)).length
    expect([
      await counts({ actor: 'USER' }),
      await counts({ userId: manager.userId }),
      await counts({ noun: 'PRODUCT', objectNumber: made.number }),
      await counts({ noun: 'PRODUCT', objectNumber: made.number + 1 }),
      await counts({
        from: new Date(begin.getTime() + 60_000).toISOString(),
        to: new Date(begin.getTime() + 180_000).toISOString(),
      }),
    ]).toEqual([2, 2, 5, 0, 2])
    const numbers: number[] = []
    for (let after: string | null = null, more = true; more; ) {
      const { data } = await stack.ask(store, ENTRIES, { first: 2, after })
      numbers.push(...data.auditEntries.nodes.map(({ number }: { number: number }) => number))
      ;({ endCursor: after, hasNextPage: more } = data.auditEntries.pageInfo)
    }
    expect(numbers).toEqual(numbers.toSorted((a, b) => b - a))
    expect(new Set(numbers).size).toBe(5)
  })

  test.each([
    [{ objectNumber: 1 }, 'filter.objectNumber'],
    [{ noun: 'PRODUCT', objectNumber: 0 }, 'filter.objectNumber'],
    [{ userId: "x' OR 1=1" }, 'filter.userId'],
    [{ userId: `${'\u0000'}` }, 'filter.userId'],
    [{ from: '2026-11-21T00:00:00Z', to: '2026-11-20T00:00:00Z' }, 'filter.to'],
  ])('%j is refused with the field and what was expected', async (filter, field) => {
    const { errors } = await stack.ask(await stack.aStore(), ENTRIES, { filter })
    expect(errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } })
    expect(errors?.[0]?.message).toContain(field)
  })

  test.each([
    { first: 251 },
    { first: 0 },
    { after: 'x' },
    { after: Buffer.from('["auditEntries","x",1]').toString('base64url') },
  ])('the page %j is refused', async (page) => {
    const { errors } = await stack.ask(await stack.aStore(), ENTRIES, page)
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
  })
})

test('entries are deleted when they are older than the days that they are kept', async () => {
  const store = await stack.aStore()
  at = new Date(at.getTime() + 1_000)
  await aProduct(store)
  const { query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
  const entries = auditEntryRepository(query)
  const run = async (now: Date) => {
    const deleted: number[] = []
    const job = purgeAuditEntries(
      { deleteBefore: async (...given) => deleted[deleted.push(await entries.deleteBefore(...given)) - 1] ?? 0 },
      { days: 30, log: pino({ level: 'silent' }), now: () => now },
    )
    // A batch that is not full is the last.
    await expect.poll(() => deleted.at(-1) ?? 1_000).toBeLessThan(1_000)
    await job.stop()
  }
  await run(new Date(at.getTime() + 30 * 86_400_000))
  expect(await entriesOf(store)).toHaveLength(1)
  await stack.sql(
    `INSERT INTO audit_entry (store_id, at, actor, operation, noun, object_id, kind, fields)
     SELECT $1, $2, 'AUTHTOKEN', 'test', 'PRODUCT', number, 'UPDATED', '{}' FROM generate_series(1, 2500) AS number`,
    [store.storeId, at],
  )
  await run(new Date(at.getTime() + 30 * 86_400_000 + 1_000))
  expect(await entriesOf(store)).toEqual([])
  await close()
})

test('a user who is erased is no longer named, and what was done stays', async () => {
  const store = await stack.aStore()
  const manager = await aMember(store, 'MANAGER')
  await aProduct(manager.caller)
  await withStores(stack.database.connection, (stores) => stores.disown(manager.userId, null))
  expect(await entriesOf(store)).toMatchObject([{ actor: 'USER', user: null, role: 'MANAGER' }])
})

describe('what it keeps', () => {
  /** Columns that hold, or refer to, what opens something. */
  const SECRET = /secret|token|password|hash|^key$|code_key|url|sealed/
  /** In spite of their names: the name of a metafield, which kind of address is taxed, and one of four reasons. */
  const PUBLIC = ['metafield.key', 'tax_settings.taxed_address', 'inventory_transfer_line.reason']
  /** Columns about people. */
  const PERSONAL = /email|phone|address|fullname|customer$|billing|shipping_address|note|reason|message|review|receiver/

  test('is listed in one place, which the triggers follow, of columns that exist', async () => {
    const columns = await stack.sql(
      `SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = 'store'`,
    )
    const known = new Set(columns.map(({ table, column }) => `${table}.${column}`))
    const triggers = await stack.sql(
      `SELECT relname AS table, prosrc AS source FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
       WHERE tgname = 'audit' AND relnamespace = 'store'::regnamespace ORDER BY relname`,
    )
    expect(triggers.map(({ table }) => table)).toEqual(Object.keys(AUDITED_COLUMNS).toSorted())
    for (const [table, spec] of Object.entries<{
      names?: readonly string[]
      stored?: readonly string[]
      noted?: readonly string[]
    }>(AUDITED_COLUMNS)) {
      const { names = [], stored = [], noted = [] } = spec
      const all = [...names, ...stored, ...noted]
      expect(all.filter((column) => !known.has(`${table}.${column}`))).toEqual([])
      expect(new Set(all).size).toBe(all.length)
      const source = String(triggers.find((trigger) => trigger.table === table)?.source)
      const compared = [...source.matchAll(/OLD\.("?)(\w+)\1 IS DISTINCT/g)].map(([, , column]) => column)
      expect([table, compared.toSorted()]).toEqual([table, all.toSorted()])
      const valued = new Set([...source.matchAll(/(?:thing|OLD|NEW)\.("?)(\w+)\1[,)]/g)].map(([, , column]) => column))
      for (const column of noted) expect([table, column, valued.has(column)]).toEqual([table, column, false])
      for (const column of [...names, ...stored]) {
        if (PUBLIC.includes(`${table}.${column}`)) continue
        expect([table, column, SECRET.test(column), PERSONAL.test(column)]).toEqual([table, column, false, false])
      }
    }
  })

  test('has every table with a version, which is what people change', async () => {
    const versioned = await stack.sql(
      `SELECT table_name AS table FROM information_schema.columns
       WHERE table_schema = 'store' AND column_name = 'version' AND table_name <> 'app' ORDER BY 1`,
    )
    expect(versioned.map(({ table }) => table).filter((table) => !(String(table) in AUDITED_COLUMNS))).toEqual([])
  })
})
