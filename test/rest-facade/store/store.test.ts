import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

test('the store has every documented key', async () => {
  const { status, json } = await stack.ask('GET /store/info.json')
  expect(status).toBe(200)
  expect(json).toMatchObject({
    code: stack.own.code,
    name: 'Test shop',
    country: 'PT',
    weight_unit: 'kg',
    logo: null,
    address: null,
  })
  expect((await stack.ask('GET /store/languages.json')).json).toEqual([{ code: 'pt', name: 'Portuguese' }])
})

test('a store sets up another one, whose credentials work', async () => {
  const { status, json } = await stack.ask('POST /store/setup.json', { body: { store: { name: 'Second shop', country: 'CL' } } })
  expect([status, json.store.name, json.credentials.authtoken]).toEqual([201, 'Second shop', expect.stringMatching(/^.{32}$/)])
  const as = { ...stack.own, ...json.credentials }
  expect((await stack.ask('GET /store/info.json', { as })).json).toMatchObject({ name: 'Second shop', country: 'CL' })
})

test('a name of three characters, a sixth store in a day and an unpaid store are refused', async () => {
  const setUp = (as = stack.own, name = 'Another') => stack.ask('POST /store/setup.json', { as, body: { store: { name } } })
  const short = await setUp(stack.own, 'abc')
  expect([short.status, Object.keys(short.json.errors)]).toEqual([400, ['store.name']])
  expect((await setUp(await stack.aStore({ isPaid: false }))).status).toBe(402)
  const busy = await stack.aStore()
  for (let made = 0; made < 5; made++) expect((await setUp(busy)).status).toBe(201)
  const sixth = await setUp(busy)
  expect([sixth.status, Number(sixth.headers['retry-after']) > 80_000]).toEqual([429, true])
})
