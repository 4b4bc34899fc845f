import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../../platform/secrets/cipher.ts'
import { customerForOrder } from '../../../subgraphs/store/customer/for-order.ts'
import type { Tables } from '../../../subgraphs/store/tables.ts'
import { write } from '../../../subgraphs/store/write.ts'
import { verifyPassword } from '../../../subgraphs/toolkit/password.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let clock = new Date('2026-11-20T10:00:00Z')
beforeAll(async () => {
  stack = await startStore(() => clock)
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const FIELDS = `id number email phone phonePrefix fullname status hasPassword acceptsMarketing acceptedMarketingAt cancelledMarketingAt version
  shippingAddress { name surname taxid address city postal municipality region country }
  billingAddress { name surname taxid city country } categories { name }`
const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message currentVersion }`
const CREATE = `mutation ($input: CreateCustomerInput!) { result: createCustomer(input: $input) {
  __typename ... on CreateCustomerSuccess { customer { ${FIELDS} } } ${FAILURES} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateCustomerInput!) { result: updateCustomer(id: $id, input: $input) {
  __typename ... on UpdateCustomerSuccess { customer { ${FIELDS} } } ${FAILURES} } }`

const create = async (input: Record<string, unknown>, who = shop) => (await stack.ask(who, CREATE, { input })).data.result
const update = async (id: string, input: Record<string, unknown>, who = shop) =>
  (await stack.ask(who, UPDATE, { id, input })).data.result
async function aCustomer(input: Record<string, unknown>, who = shop) {
  const made = await create(input, who)
  expect(made).toMatchObject({ __typename: 'CreateCustomerSuccess' })
  return made.customer
}
const eventsOf = async (who: TestStore) =>
  (await stack.sql('SELECT payload FROM event WHERE topic = $1 ORDER BY number', [`store:${who.storeId}`])).map(
    ({ payload }) => payload as { event: string; id: number },
  )

test('a customer is called by the name on the bill, or by the address, and is as given otherwise', async () => {
  const plain = await aCustomer({ email: 'Ann@Example.org' })
  expect(plain).toMatchObject({
    email: 'Ann@Example.org',
    fullname: 'Ann@Example.org',
    status: 'APPROVED',
    hasPassword: false,
    acceptsMarketing: false,
    shippingAddress: null,
    billingAddress: null,
    categories: [],
    version: 1,
  })
  const named = await aCustomer({
    email: 'bea@example.org',
    phone: '912 345 678',
    phonePrefix: '+351',
    billingAddress: { name: 'Bea', surname: 'Nunes', taxid: '123', city: ' ' },
    shippingAddress: { name: 'Depot', address: 'Rua 1', country: 'PT' },
  })
  expect(named).toMatchObject({
    fullname: 'Bea Nunes',
    phone: '912 345 678',
    billingAddress: { name: 'Bea', surname: 'Nunes', taxid: '123', city: null, country: null },
    shippingAddress: { name: 'Depot', surname: null, address: 'Rua 1', country: 'PT' },
  })
})

test('of four customers at once with one address one is created, whatever the case, and the others are refused by the field', async () => {
  const emails = ['Same@example.org', 'same@example.org', 'SAME@EXAMPLE.ORG', 'same@Example.org']
  const answers = await Promise.all(emails.map((email) => stack.ask(shop, CREATE, { input: { email } })))
  expect(answers.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined, undefined])
  const types = answers.map(({ data }) => data.result.__typename).sort()
  expect(types).toEqual(['CreateCustomerSuccess', 'ValidationError', 'ValidationError', 'ValidationError'])
  const refused = answers.find(({ data }) => data.result.errors)
  expect(refused?.data.result.errors[0]).toMatchObject({ field: 'email' })
  expect(await stack.sql(`SELECT count(*)::integer FROM customer WHERE email_key = 'same@example.org'`)).toEqual([{ count: 1 }])

  const other = await stack.aStore({ name: 'Elsewhere' })
  await aCustomer({ email: 'same@example.org' }, other)
})

test('an address that another customer has cannot be changed to, not even by two at once', async () => {
  const [one, two] = [await aCustomer({ email: 'one@example.org' }), await aCustomer({ email: 'two@example.org' })]
  expect(await update(one.id, { email: 'TWO@example.org' })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field: 'email' }],
  })
  const both = await Promise.all([one, two].map(({ id }) => update(id, { email: 'three@example.org' })))
  expect(both.map(({ __typename }) => __typename).sort()).toEqual(['UpdateCustomerSuccess', 'ValidationError'])
  expect(await update(one.id, { email: one.email.toUpperCase() })).toMatchObject({ __typename: 'UpdateCustomerSuccess' })
})

test('a password is stored as argon2id, never returned, replaced and removed; a stored idempotent result does not depend on it', async () => {
  const input = { email: 'secret@example.org', password: 'correct horse', idempotencyKey: 'secret-1' }
  const made = await aCustomer(input)
  expect(made.hasPassword).toBe(true)
  const stored = async () => (await stack.sql('SELECT * FROM customer WHERE id = $1', [made.number]))[0] ?? {}
  const hash = String((await stored()).password_hash)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword('correct horse', hash)).toBe(true)
  for (const table of ['customer', 'idempotency_key', 'event']) {
    expect(JSON.stringify(await stack.sql(`SELECT * FROM ${table}`))).not.toContain('correct horse')
  }
  expect(await aCustomer({ ...input, password: 'another one' })).toMatchObject({ id: made.id })
  expect((await stored()).password_hash).toBe(hash)

  const refused = await update(made.id, { password: 'short' })
  expect(refused.errors).toEqual([{ field: 'password', message: 'Expected "password" to be 8 to 256 characters, got 5.' }])
  expect(await update(made.id, { phone: '1' })).toMatchObject({ customer: { hasPassword: true } })
  expect((await stored()).password_hash).toBe(hash)
  await update(made.id, { password: 'battery staple' })
  expect(await verifyPassword('battery staple', String((await stored()).password_hash))).toBe(true)
  expect(await update(made.id, { password: null })).toMatchObject({ customer: { hasPassword: false } })
})

test('the times of opting in and out of marketing follow from changes, not from repetitions', async () => {
  clock = new Date('2026-11-21T10:00:00Z')
  const made = await aCustomer({ email: 'offers@example.org', acceptsMarketing: true })
  expect(made).toMatchObject({ acceptedMarketingAt: '2026-11-21T10:00:00.000Z', cancelledMarketingAt: null })
  clock = new Date('2026-11-22T10:00:00Z')
  expect((await update(made.id, { acceptsMarketing: true })).customer.acceptedMarketingAt).toBe('2026-11-21T10:00:00.000Z')
  expect((await update(made.id, { acceptsMarketing: false })).customer).toMatchObject({
    acceptsMarketing: false,
    acceptedMarketingAt: '2026-11-21T10:00:00.000Z',
    cancelledMarketingAt: '2026-11-22T10:00:00.000Z',
  })
})

test('absent keeps, null clears, and part of an address changes that part', async () => {
  const made = await aCustomer({ email: 'keep@example.org', phone: '1', billingAddress: { name: 'K', city: 'Porto' } })
  const moved = await update(made.id, { billingAddress: { city: 'Faro' } })
  expect(moved.customer).toMatchObject({ phone: '1', fullname: 'K', version: 2, billingAddress: { name: 'K', city: 'Faro' } })
  expect((await update(made.id, { phone: null, billingAddress: { name: '', city: null } })).customer).toMatchObject({
    phone: null,
    billingAddress: null,
    fullname: 'keep@example.org',
  })
  const again = await update(made.id, { shippingAddress: { city: 'Faro' } })
  expect(again.customer.shippingAddress.city).toBe('Faro')
  expect((await update(made.id, { shippingAddress: null })).customer.shippingAddress).toBeNull()
})

test.each([
  [{ email: '' }, 'email'],
  [{ email: 'nobody' }, 'email'],
  [{ email: 'a b@example.org' }, 'email'],
  [{ email: `${'x'.repeat(250)}@example.org` }, 'email'],
  [{ email: 'nul\0@example.org' }, 'email'],
  [{ email: 'half\ud800@example.org' }, 'email'],
  [{ phone: 'x'.repeat(51) }, 'phone'],
  [{ phone: 'nul\0' }, 'phone'],
  [{ phonePrefix: '351' }, 'phonePrefix'],
  [{ password: '' }, 'password'],
  [{ password: 'x'.repeat(257) }, 'password'],
  [{ shippingAddress: { city: 'x'.repeat(201) } }, 'shippingAddress.city'],
  [{ billingAddress: { name: 'half \udc00' } }, 'billingAddress.name'],
  [{ categoryIds: Array.from({ length: 251 }, (_, index) => String(index + 1)) }, 'categoryIds'],
])('%j is refused by its field', async (input, field) => {
  expect(await create({ email: 'hostile@example.org', ...input })).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field }],
  })
})

test('null is refused where something has to be', async () => {
  const { id } = await aCustomer({ email: 'null@example.org' })
  for (const field of ['email', 'status', 'acceptsMarketing']) {
    expect(await update(id, { [field]: null })).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  }
})

test('a customer of another store is not found: not by id, not by address, not to change or delete', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const own = await aCustomer({ email: 'mine@example.org' })
  const seen = `query ($id: ID!) { customer(id: $id) { email } customerByEmail(email: "mine@example.org") { email } customers { totalCount } }`
  expect((await stack.ask(other, seen, { id: own.id })).data).toEqual({
    customer: null,
    customerByEmail: null,
    customers: { totalCount: 0 },
  })
  expect((await update(own.id, { phone: '1' }, other)).__typename).toBe('NotFoundError')
  const gone = await stack.ask(other, 'mutation ($id: ID!) { deleteCustomer(id: $id) { __typename } }', { id: own.id })
  expect(gone.data.deleteCustomer.__typename).toBe('NotFoundError')
})

test('a customer is found by address without regard to case, and by any id', async () => {
  const made = await aCustomer({ email: 'Find.Me+1@example.org' })
  const query = `query ($number: ID!) { a: customerByEmail(email: "find.me+1@EXAMPLE.org") { id } b: customer(id: $number) { id }
    c: customerByEmail(email: "nul\\u0000@example.org") { id } d: customer(id: "99999999999999999999") { id } }`
  const { data } = await stack.ask(shop, query, { number: String(made.number) })
  expect(data).toEqual({ a: { id: made.id }, b: { id: made.id }, c: null, d: null })
})

test('of two changes of one version one wins; a deletion minds the version, too', async () => {
  const { id } = await aCustomer({ email: 'contended@example.org' })
  const results = await Promise.all(['1', '2'].map((phone) => update(id, { phone, expectedVersion: 1 })))
  expect(results.map(({ __typename }) => __typename).sort()).toEqual(['ConflictError', 'UpdateCustomerSuccess'])
  const DELETE = `mutation ($id: ID!, $version: Int) { deleteCustomer(id: $id, expectedVersion: $version) { __typename
    ... on DeleteCustomerSuccess { id } ... on ConflictError { currentVersion } } }`
  expect((await stack.ask(shop, DELETE, { id, version: 1 })).data.deleteCustomer).toMatchObject({ currentVersion: 2 })
  expect((await stack.ask(shop, DELETE, { id, version: 2 })).data.deleteCustomer).toMatchObject({ id })
  expect((await stack.ask(shop, DELETE, { id })).data.deleteCustomer.__typename).toBe('NotFoundError')
})

test('creations, changes and deletions emit events, and refusals do not', async () => {
  const teller = await stack.aStore({ name: 'Teller' })
  const { id, number } = await aCustomer({ email: 'told@example.org' }, teller)
  await create({ email: 'told@example.org' }, teller)
  await update(id, { phone: '1' }, teller)
  await stack.ask(teller, 'mutation ($id: ID!) { deleteCustomer(id: $id) { __typename } }', { id })
  expect(await eventsOf(teller)).toEqual(
    ['customer_created', 'customer_updated', 'customer_deleted'].map((event) => ({ event, entity: 'Customer', id: number })),
  )
})

const LIST = `query ($first: Int, $after: String, $offset: Int, $filter: CustomerFilter, $search: String, $orderBy: CustomerOrder) {
  customers(first: $first, after: $after, offset: $offset, filter: $filter, search: $search, orderBy: $orderBy) {
    nodes { email } pageInfo { hasNextPage endCursor } totalCount } }`

test('a list is by creation in both directions, page by page, and holds what the filter says', async () => {
  const lister = await stack.aStore({ name: 'Lister' })
  const list = async (variables: object) => (await stack.ask(lister, LIST, { ...variables })).data.customers
  const names = (page: { nodes: { email: string }[] }) => page.nodes.map(({ email }) => email[0]).join('')
  for (const [index, name] of ['a', 'b', 'c', 'd', 'e'].entries()) {
    clock = new Date(Date.UTC(2026, 10, 23, index < 3 ? 1 : 2))
    await aCustomer(
      { email: `${name}@x.org`, status: index % 2 ? 'PENDING' : 'APPROVED', acceptsMarketing: name === 'e' },
      lister,
    )
  }
  const first = await list({ first: 2 })
  expect([names(first), first.totalCount, first.pageInfo.hasNextPage]).toEqual(['ab', 5, true])
  expect(names(await list({ first: 2, after: first.pageInfo.endCursor }))).toBe('cd')
  const last = await list({ first: 3, orderBy: 'CREATED_DESC' })
  expect(names(last)).toBe('edc')
  expect(names(await list({ first: 3, orderBy: 'CREATED_DESC', after: last.pageInfo.endCursor }))).toBe('ba')
  const wrong = await stack.ask(lister, LIST, { after: last.pageInfo.endCursor })
  expect(wrong.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')

  expect(names(await list({ filter: { email: 'C@X.ORG' } }))).toBe('c')
  expect(names(await list({ filter: { status: ['PENDING'] } }))).toBe('bd')
  expect(names(await list({ filter: { status: [] } }))).toBe('')
  expect(names(await list({ filter: { acceptsMarketing: true } }))).toBe('e')
  expect(names(await list({ filter: { createdSince: '2026-11-23T02:00:00Z' } }))).toBe('de')
  expect(names(await list({ filter: { createdBefore: '2026-11-23T02:00:00Z' }, first: 1 }))).toBe('a')
  expect(names(await list({ filter: { categoryId: 'nonsense' } }))).toBe('')
  expect(names(await list({ offset: 3 }))).toBe('de')
})

test('search finds names, addresses and numbers without accents, case and spaces, and takes wildcards as they are', async () => {
  const finder = await stack.aStore({ name: 'Finder' })
  const find = async (search: string) =>
    (await stack.ask(finder, LIST, { search })).data.customers.nodes.map(({ email }: { email: string }) => email[0]).join('')
  await aCustomer(
    { email: 'j@x.org', phone: '912 345-678', phonePrefix: '+351', billingAddress: { name: 'José', surname: 'Ñandú' } },
    finder,
  )
  await aCustomer({ email: 'm_100%@x.org', shippingAddress: { name: 'Márcia' } }, finder)
  expect(await find('JOSE nandu')).toBe('j')
  expect(await find('marcia')).toBe('m')
  expect(await find('351912345')).toBe('j')
  expect(await find('912 345-678')).toBe('j')
  expect(await find('@x.org')).toBe('jm')
  expect([await find('%'), await find('_'), await find('m_1'), await find('j_x')]).toEqual(['m', 'm', 'm', ''])
  expect([await find('jose marcia'), await find('  ')]).toEqual(['', 'jm'])
  for (const search of ['x'.repeat(201), 'nul\0', 'half \ud800']) {
    const refused = await stack.ask(finder, LIST, { search })
    expect(refused.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument: 'search' })
  }
  const plan = await stack
    .sql(`SET enable_seqscan = off`)
    .then(() => stack.sql(`EXPLAIN SELECT 1 FROM customer WHERE search_key LIKE '%nandu%'`))
  expect(JSON.stringify(plan)).toContain('customer_search')
})

const BULK = `mutation ($input: BulkCreateCustomersInput!) { result: bulkCreateCustomers(input: $input) { __typename
  ... on BulkCustomersSuccess { rows { index customer { email } failure { __typename ... on ValidationError { field } ... on NotFoundError { message } } } }
  ... on BulkCustomersRefused { message rows { index customer { email } failure { __typename ... on ValidationError { field } } } }
  ... on ValidationError { errors { field } } ... on ConflictError { message } } }`

test('customers are created in bulk: all or none, or the valid ones, with a result for each', async () => {
  const bulker = await stack.aStore({ name: 'Bulker' })
  const bulk = async (input: object) => (await stack.ask(bulker, BULK, { input })).data.result
  const customers = [{ email: 'a@x.org', password: 'long enough' }, { email: 'bad' }, { email: 'A@x.org' }, { email: 'c@x.org' }]
  const count = async () =>
    (await stack.sql('SELECT count(*)::integer FROM customer WHERE store_id = $1', [bulker.storeId]))[0]?.count

  expect(await bulk({ customers })).toEqual({
    __typename: 'BulkCustomersRefused',
    message: '2 of 4 customers were refused, so nothing was changed.',
    rows: [
      { index: 0, customer: null, failure: null },
      { index: 1, customer: null, failure: { __typename: 'ValidationError', field: 'email' } },
      { index: 2, customer: null, failure: { __typename: 'ValidationError', field: 'email' } },
      { index: 3, customer: null, failure: null },
    ],
  })
  expect([await count(), await eventsOf(bulker)]).toEqual([0, []])

  const input = { customers: [...customers, { email: 'd@x.org', categoryIds: ['1'] }], onError: 'SKIP', idempotencyKey: 'bulk-1' }
  const [one, two] = await Promise.all([bulk(input), bulk(input)])
  expect(one).toEqual(two)
  expect(one.rows.map(({ customer }: { customer: { email: string } | null }) => customer?.email ?? null)).toEqual([
    'a@x.org',
    null,
    null,
    'c@x.org',
    null,
  ])
  expect(one.rows[4].failure).toMatchObject({ __typename: 'NotFoundError' })
  expect([await count(), (await eventsOf(bulker)).map(({ event }) => event)]).toEqual([
    2,
    ['customer_created', 'customer_created'],
  ])

  expect(await bulk({ customers: [] })).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'customers' }] })
  const many = Array.from({ length: 101 }, (_, index) => ({ email: `${index}@x.org` }))
  expect(await bulk({ customers: many })).toMatchObject({ __typename: 'ValidationError' })
  expect((await bulk({ customers: [{ email: 'k@x.org', idempotencyKey: 'own' }] })).rows[0].failure.field).toBe('idempotencyKey')
})

test('customers are changed together, in their order, and a row that would take an address of another leaves the rest alone', async () => {
  const bulker = await stack.aStore({ name: 'Changer' })
  const [a, b] = [await aCustomer({ email: 'a@x.org' }, bulker), await aCustomer({ email: 'b@x.org' }, bulker)]
  const CHANGE = `mutation ($input: BulkUpdateCustomersInput!) { result: bulkUpdateCustomers(input: $input) {
    ... on BulkCustomersSuccess { rows { customer { email phone version } failure { __typename ... on ConflictError { currentVersion } } } } } }`
  const { data } = await stack.ask(bulker, CHANGE, {
    input: {
      onError: 'SKIP',
      customers: [
        { id: a.id, input: { phone: '1' } },
        { id: b.id, input: { email: 'A@x.org' } },
        { id: b.id, input: { phone: '2', expectedVersion: 7 } },
        { id: String(b.number), input: { phone: '3' } },
        { id: '2147483647', input: {} },
      ],
    },
  })
  expect(data.result.rows).toEqual([
    { customer: { email: 'a@x.org', phone: '1', version: 2 }, failure: null },
    { customer: null, failure: { __typename: 'ValidationError' } },
    { customer: null, failure: { __typename: 'ConflictError', currentVersion: 1 } },
    { customer: { email: 'b@x.org', phone: '3', version: 2 }, failure: null },
    { customer: null, failure: { __typename: 'NotFoundError' } },
  ])
})

test('concurrent orders of one new e-mail address have one customer, with one event; an existing customer stays unchanged', async () => {
  const { pool, query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 4, onError: () => {} })
  const known = await aCustomer({ email: 'known@example.org', phone: '1' })
  const forOrder = (email: string) =>
    write(
      query,
      { storeId: shop.storeId, now: clock, announce: async () => {}, secrets: PLAIN_SECRETS, by: null },
      { name: 'order', input: {}, key: null },
      async (unit) => ({
        __typename: 'Success',
        customer: await customerForOrder(unit, { email, phone: '2', billingAddress: { name: 'Ordering' } }),
      }),
    )
  try {
    const made = await Promise.all(['New@example.org', 'new@example.org', 'NEW@example.org', 'new@EXAMPLE.org'].map(forOrder))
    expect(new Set(made.map((mutationResult) => 'customer' in mutationResult && mutationResult.customer)).size).toBe(1)
    const [row] = await stack.sql(`SELECT id, phone FROM customer WHERE email_key = 'new@example.org'`)
    expect(row?.phone).toBe('2')
    expect((await eventsOf(shop)).filter(({ id }) => id === row?.id)).toHaveLength(1)
    expect(await forOrder('KNOWN@example.org')).toMatchObject({ customer: known.number })
    expect(await stack.sql(`SELECT phone FROM customer WHERE email_key = 'known@example.org'`)).toEqual([{ phone: '1' }])
  } finally {
    await close()
    expect(pool.ended).toBe(true)
  }
})

test('a page of customers with categories and fields takes the same number of statements whatever its size', async () => {
  const reader = await stack.aStore({ name: 'Reader' })
  const category = await stack.ask(
    reader,
    'mutation { createCustomerCategory(input: { name: "All" }) { ... on CreateCustomerCategorySuccess { customerCategory { id } } } }',
  )
  const categoryIds = [category.data.createCustomerCategory.customerCategory.id]
  for (let index = 0; index < 12; index += 1) await aCustomer({ email: `${index}@x.org`, categoryIds }, reader)
  const queries = watchStatements()
  const statements = async (first: number) => {
    const before = queries.texts().length
    const { data } = await stack.ask(
      reader,
      `{ customers(first: ${first}) { nodes { categories { name } additionalFields { value checkoutCustomField { label } } } totalCount }
         customerCategories { nodes { customers(first: ${first}) { nodes { email categories { name } } totalCount } } } }`,
    )
    return { rows: data.customers.nodes.length, statements: queries.texts().length - before }
  }
  try {
    const small = await statements(3)
    expect(small.rows).toBe(3)
    expect(await statements(12)).toEqual({ rows: 12, statements: small.statements })
  } finally {
    queries.stop()
  }
})
