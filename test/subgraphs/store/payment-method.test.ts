import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
})
afterAll(() => stack.close())

const FAILURES = `... on ValidationError { errors { field message } } ... on ConflictError { message currentVersion }`
const FIELDS = 'id number type name description paymentMethodUrl hasCredentials showReview useNewVersion enabled version'
const CREATE = `mutation ($input: CreatePaymentMethodInput!) { createPaymentMethod(input: $input) { __typename
  ... on CreatePaymentMethodSuccess { paymentMethod { ${FIELDS} } } ${FAILURES} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdatePaymentMethodInput!) { updatePaymentMethod(id: $id, input: $input) { __typename
  ... on UpdatePaymentMethodSuccess { paymentMethod { ${FIELDS} } } ... on NotFoundError { message } ${FAILURES} } }`
const DELETE = 'mutation ($id: ID!) { deletePaymentMethod(id: $id) { __typename } }'

const create = async (input: Record<string, unknown>, who = shop) =>
  (await stack.ask(who, CREATE, { input })).data.createPaymentMethod
const update = async (id: string, input: Record<string, unknown>, who = shop) =>
  (await stack.ask(who, UPDATE, { id, input })).data.updatePaymentMethod

const GATEWAY = { name: 'Gateway', paymentMethodUrl: 'https://pay.example.com/start', key: 'account-7', secret: 'Do-not-tell' }

test('a new payment method is an external gateway, whose key and secret cannot be read', async () => {
  const result = await create(GATEWAY)
  expect(result).toMatchObject({
    __typename: 'CreatePaymentMethodSuccess',
    paymentMethod: {
      type: 'EXTERNAL_PAYMENT_GATEWAY',
      name: 'Gateway',
      description: null,
      paymentMethodUrl: 'https://pay.example.com/start',
      hasCredentials: true,
      showReview: false,
      useNewVersion: true,
      enabled: true,
    },
  })
  const { data } = await stack.ask(shop, `{ paymentMethods { ${FIELDS} } __type(name: "PaymentMethod") { fields { name } } }`)
  expect(data.paymentMethods).toContainEqual(result.paymentMethod)
  expect(JSON.stringify(data.paymentMethods)).not.toMatch(/account-7|Do-not-tell/)
  const names = data.__type.fields.map(({ name }: { name: string }) => name)
  expect(names).not.toContain('key')
  expect(names).not.toContain('secret')
})

test.each([
  [{ name: ' ' }, 'name'],
  [{ name: 'x', description: '' }, 'description'],
  [{ name: 'x', paymentMethodUrl: 'ftp://pay.example.com' }, 'paymentMethodUrl'],
  [{ name: 'x', paymentMethodUrl: 'https://user:word@pay.example.com' }, 'paymentMethodUrl'],
  [{ name: 'x', paymentMethodUrl: `https://pay.example.com/${'x'.repeat(2_000)}` }, 'paymentMethodUrl'],
  [{ name: 'x', paymentMethodUrl: 'https://pay.example.com/\0' }, 'paymentMethodUrl'],
  [{ name: 'x', paymentMethodUrl: 'https://pay.example.com/\ud800' }, 'paymentMethodUrl'],
  [{ name: 'x', paymentMethodUrl: 'https://pay.example.com/a b' }, 'paymentMethodUrl'],
  [{ name: 'x', key: 'two words' }, 'key'],
  [{ name: 'x', secret: 'ñ-secret' }, 'secret'],
])('%j is refused by its field, and a secret is not repeated', async (input, field) => {
  const result = await create(input)
  expect(result).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  expect(JSON.stringify(result)).not.toMatch(/ñ-secret|two words/)
})

describe('Stripe', () => {
  const STRIPE = { type: 'STRIPE', name: 'Card', key: 'rk_test_51Abc', secret: 'whsec_one,whsec_two' }
  const MORE = `${FIELDS} testMode notificationUrl`
  const made = async (input: object) =>
    (await stack.ask(shop, CREATE.replace(FIELDS, MORE), { input: { ...STRIPE, ...input } })).data.createPaymentMethod

  test('is connected by a key and signing secrets, which are stored encrypted; its mode is shown', async () => {
    const { paymentMethod } = await made({})
    expect(paymentMethod).toMatchObject({ type: 'STRIPE', hasCredentials: true, testMode: true, paymentMethodUrl: null })
    expect(paymentMethod.notificationUrl).toMatch(new RegExp(`^https?://[^/]+/payments/${shop.storeId}/${paymentMethod.number}$`))
    const changed = async (input: object) =>
      (await stack.ask(shop, UPDATE.replace(FIELDS, MORE), { id: paymentMethod.id, input })).data.updatePaymentMethod
    expect((await changed({ key: 'sk_live_51Abc' })).paymentMethod).toMatchObject({ testMode: false, hasCredentials: true })
    expect((await changed({ name: 'Cards' })).paymentMethod).toMatchObject({ testMode: false, name: 'Cards' })
    expect((await changed({ key: null })).paymentMethod).toMatchObject({ testMode: null, hasCredentials: false })
    expect(await changed({ key: 'account-7' })).toMatchObject({ errors: [{ field: 'key' }] })
    expect((await made({ type: 'EXTERNAL_PAYMENT_GATEWAY' })).paymentMethod).toMatchObject({ testMode: null })
  })

  test('with a URL from before is changed, and gets no other one', async () => {
    const { paymentMethod } = await made({})
    await stack.sql(`UPDATE payment_method SET payment_method_url = 'https://old.example.com/' WHERE id = $1`, [
      paymentMethod.number,
    ])
    expect((await update(paymentMethod.id, { name: 'Cards' })).paymentMethod).toMatchObject({ name: 'Cards' })
    const paymentMethodUrl = 'https://pay.example.com/'
    expect(await update(paymentMethod.id, { paymentMethodUrl })).toMatchObject({ errors: [{ field: 'paymentMethodUrl' }] })
  })

  test.each([
    [{ key: 'pk_test_51Abc' }, 'key'],
    [{ secret: 'whsec_one,other' }, 'secret'],
    [{ secret: 'whsec_1,whsec_2,whsec_3,whsec_4' }, 'secret'],
    [{ paymentMethodUrl: 'https://pay.example.com/' }, 'paymentMethodUrl'],
    [{ type: 'PAYPAL' }, 'type'],
  ])('with %j is refused by its field, and no credential is repeated', async (input, field) => {
    const result = await made(input)
    expect(result).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
    expect(JSON.stringify(result)).not.toMatch(/51Abc|whsec_(one|1)/)
  })
})

test('absent keeps, null forgets', async () => {
  const { id } = (await create({ ...GATEWAY, description: 'By card' })).paymentMethod
  expect(await update(id, { enabled: false, description: null })).toMatchObject({
    paymentMethod: { enabled: false, description: null, hasCredentials: true, version: 2 },
  })
  expect(await update(id, { secret: null })).toMatchObject({ paymentMethod: { hasCredentials: false } })
  expect(await update(id, { enabled: null })).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'enabled' }] })
  expect(await update(id, { name: 'x', expectedVersion: 1 })).toMatchObject({ __typename: 'ConflictError', currentVersion: 3 })
})

test('another store neither sees it nor changes it; deleted, it is gone', async () => {
  const other = await stack.aStore({ name: 'Another shop' })
  const { id } = (await create(GATEWAY)).paymentMethod
  expect((await stack.ask(other, '{ paymentMethods { id } }')).data.paymentMethods).toEqual([])
  expect((await stack.ask(other, 'query ($id: ID!) { paymentMethod(id: $id) { id } }', { id })).data.paymentMethod).toBeNull()
  expect((await update(id, { name: 'Theirs' }, other)).__typename).toBe('NotFoundError')
  expect((await stack.ask(other, DELETE, { id })).data.deletePaymentMethod.__typename).toBe('NotFoundError')
  expect((await stack.ask(shop, DELETE, { id })).data.deletePaymentMethod.__typename).toBe('DeletePaymentMethodSuccess')
  expect((await stack.ask(shop, DELETE, { id })).data.deletePaymentMethod.__typename).toBe('NotFoundError')
})

test('a store has at most a hundred payment methods', async () => {
  const own = await stack.aStore({ name: 'Third shop' })
  await stack.sql(
    `INSERT INTO payment_method (store_id, type, name, created_at, updated_at)
     SELECT $1, 'MANUAL', 'Cash ' || n, now(), now() FROM generate_series(1, 100) n`,
    [own.storeId],
  )
  expect(await create(GATEWAY, own)).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'input' }] })
})
