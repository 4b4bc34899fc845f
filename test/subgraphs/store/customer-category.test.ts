import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const FAILURES = `... on ValidationError { errors { field message } } ... on NotFoundError { message } ... on ConflictError { message currentVersion }`
const ADD = `mutation ($id: ID!, $customers: [CustomerReferenceInput!]!) { result: addCustomersToCategory(id: $id, input: { customers: $customers }) {
  __typename ... on AddCustomersToCategorySuccess { customers { email version } customerCategory { version customers { totalCount nodes { email } } } } ${FAILURES} } }`
const REMOVE = `mutation ($id: ID!, $customerId: ID!, $expectedVersion: Int) {
  result: removeCustomerFromCategory(id: $id, customerId: $customerId, expectedVersion: $expectedVersion) {
  __typename ... on RemoveCustomerFromCategorySuccess { customerCategory { customers { totalCount } } } ${FAILURES.replace('... on ValidationError { errors { field message } }', '')} } }`

const result = async (query: string, variables: Record<string, unknown>, who = shop) => {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data.result
}
const aCategory = async (name: string, who = shop) => {
  const query = `mutation ($name: String!) { result: createCustomerCategory(input: { name: $name }) {
    __typename ... on CreateCustomerCategorySuccess { customerCategory { id number name code version } } ... on ValidationError { errors { field } } } }`
  const made = await result(query, { name }, who)
  return made.customerCategory ?? made
}
const aCustomer = async (email: string, who = shop) => {
  const query = `mutation ($email: String!) { result: createCustomer(input: { email: $email }) { ... on CreateCustomerSuccess { customer { id number } } } }`
  return (await result(query, { email }, who)).customer
}

test('a category has a code made from its name, which stays when the name changes; four at once get four', async () => {
  const made = await aCategory('Große Kunden')
  expect(made).toMatchObject({ name: 'Große Kunden', code: 'große-kunden', version: 1 })
  const UPDATE = `mutation ($id: ID!, $name: String, $version: Int) { result: updateCustomerCategory(id: $id, input: { name: $name, expectedVersion: $version }) {
    __typename ... on UpdateCustomerCategorySuccess { customerCategory { name code version } } ${FAILURES} } }`
  expect(await result(UPDATE, { id: made.id, name: 'VIP' })).toMatchObject({
    customerCategory: { name: 'VIP', code: 'große-kunden', version: 2 },
  })
  expect(await result(UPDATE, { id: made.id, name: 'x', version: 1 })).toMatchObject({ currentVersion: 2 })
  expect(await result(UPDATE, { id: made.id, name: null })).toMatchObject({ errors: [{ field: 'name' }] })
  for (const name of ['', ' ', 'x'.repeat(201), 'nul \0', 'half \ud800']) {
    expect(await aCategory(name)).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'name' }] })
  }
  const codes = (await Promise.all(['Gold', 'gold', 'Göld', 'GOLD'].map((name) => aCategory(name)))).map(({ code }) => code)
  expect(codes.sort()).toEqual(['gold', 'gold-1', 'gold-2', 'gold-3'])
})

test('customers are added by id or e-mail address, once, and removed; each is a change of the customer', async () => {
  const category = await aCategory('Members')
  const [ann, bea] = [await aCustomer('ann@x.org'), await aCustomer('bea@x.org')]
  const added = await result(ADD, {
    id: category.id,
    customers: [{ email: 'ANN@x.org' }, { id: String(bea.number) }, { id: ann.id }],
  })
  expect(added).toEqual({
    __typename: 'AddCustomersToCategorySuccess',
    customers: [
      { email: 'ann@x.org', version: 2 },
      { email: 'bea@x.org', version: 2 },
    ],
    customerCategory: { version: 1, customers: { totalCount: 2, nodes: [{ email: 'ann@x.org' }, { email: 'bea@x.org' }] } },
  })
  const again = await result(ADD, { id: category.id, customers: [{ id: ann.id, email: 'ann@x.org' }] })
  expect(again.customers).toEqual([{ email: 'ann@x.org', version: 2 }])
  const listed = await stack.ask(
    shop,
    `{ customers(filter: { categoryId: "${category.id}" }) { nodes { email categories { name } } } }`,
  )
  expect(listed.data.customers.nodes[1]).toEqual({ email: 'bea@x.org', categories: [{ name: 'Members' }] })

  expect(await result(REMOVE, { id: category.id, customerId: ann.id, expectedVersion: 9 })).toMatchObject({ currentVersion: 1 })
  expect((await result(REMOVE, { id: category.id, customerId: ann.id })).customerCategory.customers.totalCount).toBe(1)
  expect((await result(REMOVE, { id: category.id, customerId: ann.id })).__typename).toBe('NotFoundError')
  const events = await stack.sql(
    `SELECT count(*)::integer FROM event WHERE payload->>'event' = 'customer_updated' AND payload->>'id' = $1`,
    [String(ann.number)],
  )
  expect(events).toEqual([{ count: 2 }])
})

test('a request with a missing customer, or two references in one, adds none', async () => {
  const category = await aCategory('Strict')
  const [ann, bea] = [await aCustomer('ann@strict.org'), await aCustomer('bea@strict.org')]
  for (const wrong of [
    { id: '2147483647' },
    { id: 'nonsense' },
    { email: 'nobody@strict.org' },
    { email: 'nul\0@strict.org' },
    { id: ann.id, email: 'bea@strict.org' },
  ]) {
    expect((await result(ADD, { id: category.id, customers: [{ id: bea.id }, wrong] })).__typename).toBe('NotFoundError')
  }
  expect(await result(ADD, { id: category.id, customers: [{ id: ann.id }, {}] })).toMatchObject({
    errors: [{ field: 'customers.1' }],
  })
  expect(await result(ADD, { id: category.id, customers: [] })).toMatchObject({ errors: [{ field: 'customers' }] })
  const many = Array.from({ length: 251 }, () => ({ id: ann.id }))
  expect(await result(ADD, { id: category.id, customers: many })).toMatchObject({ errors: [{ field: 'customers' }] })
  expect(await stack.sql('SELECT 1 FROM customer_category_member WHERE category_id = $1', [category.number])).toEqual([])
})

test('a category of another store is not found, and a customer of another store cannot be added', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const [own, theirs] = [await aCategory('Own'), await aCategory('Own', other)]
  expect(theirs.code).toBe(own.code)
  const ann = await aCustomer('ann@tenant.org')
  expect((await stack.ask(other, `{ customerCategory(id: "${own.id}") { name } }`)).data).toEqual({ customerCategory: null })
  expect((await result(ADD, { id: theirs.id, customers: [{ id: ann.id }] }, other)).__typename).toBe('NotFoundError')
  expect((await result(ADD, { id: theirs.id, customers: [{ email: 'ann@tenant.org' }] }, other)).__typename).toBe('NotFoundError')
  expect((await result(ADD, { id: own.id, customers: [{ id: ann.id }] }, other)).__typename).toBe('NotFoundError')
  const create = `mutation { result: createCustomer(input: { email: "x@tenant.org", categoryIds: ["${own.number}"] }) { __typename } }`
  expect((await result(create, {}, other)).__typename).toBe('NotFoundError')
})

test('a category that goes leaves its customers; one that goes while a customer is put into it is not found', async () => {
  const DELETE = 'mutation ($id: ID!) { result: deleteCustomerCategory(id: $id) { __typename } }'
  const ann = await aCustomer('ann@gone.org')
  const ADDED = `mutation ($id: ID!) { result: addCustomersToCategory(id: $id, input: { customers: [{ id: "${ann.id}" }] }) { __typename } }`
  for (let round = 0; round < 5; round += 1) {
    const { id } = await aCategory(`Gone ${round}`)
    const [added, gone] = await Promise.all([result(ADDED, { id }), result(DELETE, { id })])
    expect(['AddCustomersToCategorySuccess', 'NotFoundError']).toContain(added.__typename)
    expect(gone.__typename).toBe('DeleteCustomerCategorySuccess')
  }
  expect((await stack.ask(shop, `{ customer(id: "${ann.id}") { email categories { name } } }`)).data.customer).toEqual({
    email: 'ann@gone.org',
    categories: [],
  })
})

test('members are read page by page', async () => {
  const category = await aCategory('Pages')
  const customers = []
  for (const name of ['a', 'b', 'c']) customers.push({ id: (await aCustomer(`${name}@pages.org`)).id })
  await result(ADD, { id: category.id, customers })
  const page = async (after: string | null) =>
    (
      await stack.ask(
        shop,
        `query ($after: String) { customerCategory(id: "${category.id}") { customers(first: 2, after: $after) {
          nodes { email } totalCount pageInfo { hasNextPage endCursor } } } }`,
        { after },
      )
    ).data.customerCategory.customers
  const first = await page(null)
  expect([first.nodes.length, first.totalCount, first.pageInfo.hasNextPage]).toEqual([2, 3, true])
  const second = await page(first.pageInfo.endCursor)
  expect([second.nodes, second.pageInfo.hasNextPage]).toEqual([[{ email: 'c@pages.org' }], false])
})
