import { afterAll, beforeAll, expect, test } from 'vitest'
import { shopping } from './order/support.ts'
import { agreedApp } from './support/app.ts'
import { type StoreStack, startStore } from './support/store.ts'

let stack: StoreStack
beforeAll(async () => {
  stack = await startStore()
})
afterAll(() => stack.close())

const VALUE = '{ stockValue { currency locations { locationNumber location { name } units unitsWithoutCost cost price } } }'

test('stock counts at cost and at price where it is; what has no cost is counted apart', async () => {
  const shop = await stack.aStore({ country: 'PT' })
  const { aProduct, aLocation, setStock } = shopping(stack, shop)
  const stockValueOf = async () => (await stack.ask(shop, VALUE)).data.stockValue
  expect(await stockValueOf()).toEqual({ currency: 'EUR', locations: [] })

  await aProduct({ name: 'Unlimited', price: '10', costPerItem: '5', stockUnlimited: true })
  await aProduct({ name: 'Sold out', price: '10', costPerItem: '5', stock: 0 })
  await aProduct({ name: 'Without cost', price: '4', discount: '1', stock: 7 })
  const somewhere = { locationNumber: null, location: null }
  expect((await stockValueOf()).locations).toEqual([{ ...somewhere, units: '7', unitsWithoutCost: '7', cost: null, price: '21' }])

  await aProduct({ name: 'With cost', price: '10', costPerItem: '2.5', stock: 3 })
  expect((await stockValueOf()).locations).toEqual([
    { ...somewhere, units: '10', unitsWithoutCost: '7', cost: '7.5', price: '51' },
  ])

  const { id, variants } = await aProduct({
    name: 'Shirt',
    price: '20',
    discount: '2',
    costPerItem: '99',
    variants: [
      { price: '20', costPerItem: '8', stock: 1, options: [{ name: 'Size', value: 'S' }] },
      { price: '1', stock: 2, options: [{ name: 'Size', value: 'L' }] },
    ],
  })
  // The discount of 2 takes at most the price of 1; the large one has no cost of its own.
  expect((await stockValueOf()).locations).toEqual([
    { ...somewhere, units: '13', unitsWithoutCost: '9', cost: '15.5', price: '69' },
  ])

  const [store, cellar] = [await aLocation({ name: 'Shop' }), await aLocation({ name: 'Cellar' })]
  const small = { productId: id, ...(variants[0] && { variantId: variants[0] }) }
  await setStock({ ...small, locationId: store, stock: 4 })
  await setStock({ ...small, locationId: cellar, stock: 6 })
  const { locations } = await stockValueOf()
  expect(locations).toEqual([
    { locationNumber: store, location: { name: 'Shop' }, units: '4', unitsWithoutCost: '0', cost: '32', price: '72' },
    { locationNumber: cellar, location: { name: 'Cellar' }, units: '6', unitsWithoutCost: '0', cost: '48', price: '108' },
    { ...somewhere, units: '12', unitsWithoutCost: '9', cost: '7.5', price: '51' },
  ])
})

test('a thousand million units of many products are exact', async () => {
  const shop = await stack.aStore({ country: 'PT' })
  const { aProduct } = shopping(stack, shop)
  for (const price of ['9999999999.99', '0.01', '0.01']) await aProduct({ price, costPerItem: '0.0001', stock: 1_000_000_000 })
  expect((await stack.ask(shop, VALUE)).data.stockValue.locations).toMatchObject([
    { units: '3000000000', cost: '300000', price: '10000000000010000000' },
  ])
})

test('apps need read_products, and a scope of locations for their names', async () => {
  const shop = await stack.aStore({ country: 'PT' })
  const { aProduct, aLocation, setStock } = shopping(stack, shop)
  const { id } = await aProduct({ stock: 1 })
  await setStock({ productId: id, locationId: await aLocation(), stock: 2 })
  const ask = async (scopes: readonly string[], query: string) => {
    const { caller } = await agreedApp(stack, shop, { scopes })
    return (await stack.ask(caller, query)).errors?.[0]?.extensions.code
  }
  const withoutName = '{ stockValue { locations { locationNumber units } } }'
  expect([await ask(['read_products'], withoutName), await ask(['read_orders'], withoutName)]).toEqual([undefined, 'FORBIDDEN'])
  expect([await ask(['read_products'], VALUE), await ask(['read_products', 'read_locations'], VALUE)]).toEqual([
    'UNAUTHORIZED_FIELD_OR_TYPE',
    undefined,
  ])
})
