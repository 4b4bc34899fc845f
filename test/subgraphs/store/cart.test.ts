import { afterAll, beforeAll, expect, test } from 'vitest'
import { storefrontShopper } from './support/shopper.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof storefrontShopper>
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore({ name: 'Pottery' })
  shopper = storefrontShopper(stack, shop)
})
afterAll(() => stack.close())

test.each([
  ['addLines.0.quantity', { addLines: [{ productId: '1', quantity: 0 }] }],
  ['addLines.0.productId', { addLines: [{ productId: 'x' }] }],
  ['addLines', { addLines: Array.from({ length: 101 }, (_, index) => ({ productId: String(index + 1) })) }],
  ['setLines.0.lineId', { setLines: [{ lineId: 'x', quantity: 1 }] }],
  ['note', { note: 'x'.repeat(5_001) }],
  ['couponCodes', { couponCodes: Array.from({ length: 21 }, String) }],
  ['email', { email: 'nobody' }],
  ['email', { email: '\0@x' }],
  ['shippingAddress.city', { shippingAddress: { city: 'x'.repeat(201) } }],
  ['answers.0.value', { answers: [{ fieldId: '1', value: '\ud800' }] }],
  ['attributes.0.name', { attributes: [{ name: '', value: '' }] }],
  ['paymentMethodId', { paymentMethodId: 'x' }],
])('a cart with a wrong %s is refused by name, and nothing changes', async (field, change) => {
  const { token } = await shopper.create([])
  expect(await shopper.update(token, { note: 'not this', ...change })).toMatchObject({ __typename: 'ValidationError', field })
  expect((await shopper.read(token)).note).toBeNull()
})

test('a cart is opened by its token only, in its shop only, and its token is stored nowhere', async () => {
  const { token } = await shopper.create([])
  const other = storefrontShopper(stack, await stack.aStore())
  expect(await other.read(token)).toBeNull()
  expect(await other.update(token, { note: 'x' })).toMatchObject({ __typename: 'NotFoundError' })
  expect(await other.complete(token, '0')).toMatchObject({ __typename: 'NotFoundError' })
  for (const wrong of ['', 'x', '\0', `${token}x`, 'a'.repeat(43)]) expect(await shopper.read(wrong)).toBeNull()
  expect(JSON.stringify(await stack.sql('SELECT * FROM cart'))).not.toContain(token)
})
