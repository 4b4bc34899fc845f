import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type HttpServer, json, startHttpServer } from '../../../support/http-server.ts'
import { shopping } from '../order/support.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { shipping } from './support.ts'

let stack: StoreStack
let shop: TestStore
let carrier: HttpServer
let shopper: ReturnType<typeof shopping>
let shipper: ReturnType<typeof shipping>
let locationId: string
const questions: string[] = []
beforeAll(async () => {
  carrier = await startHttpServer({
    '*': (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        questions.push(Buffer.concat(chunks).toString())
        json({ rates: [{ rate_id: 'r1', service_name: 'Fast', service_code: 'FAST', total_price: '12.5' }] })(request, response)
      })
    },
  })
  const allow = ({ address, port }: { address: string; port: number }) => address === '127.0.0.1' && port === carrier.port
  stack = await startStore(() => new Date(), { shippingNetwork: { resolvers: [], allow } })
})
afterAll(async () => {
  await stack.close()
  await carrier.close()
})
beforeEach(async () => {
  questions.length = 0
  shop = await stack.aStore()
  shopper = shopping(stack, shop)
  shipper = shipping(stack, shop)
  locationId = String(
    await shopper.aLocation({
      name: 'North',
      address: 'Rua A',
      city: 'Braga',
      postal: '4700',
      country: 'PT',
      region: '03',
    }),
  )
})

async function aMethod(input: Record<string, unknown>) {
  const { data } = await stack.ask(
    shop,
    'mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { __typename } }',
    { input },
  )
  expect(data.createShippingMethod.__typename).toBe('CreateShippingMethodSuccess')
}
const byWeight = (name: string, location?: string) =>
  aMethod({
    type: 'TABLES',
    name,
    tables: [
      {
        basedOn: 'WEIGHT',
        values: [
          { amount: 0, price: 3 },
          { amount: 5, price: 9 },
        ],
        ...(location && { locations: [{ country: location }] }),
      },
    ],
  })
async function anOrder(country = 'PT') {
  const { id } = await shopper.aProduct({ price: '10', weight: '1', stock: 100 })
  return shopper.anOrder({
    customer: { shippingAddress: { city: 'Faro', postal: '8000', country } },
    lines: [{ productId: String(id), quantity: 2 }],
  })
}

test('an order is quoted for its lines and where it goes, packages and another address before that', async () => {
  await byWeight('Post', 'PT')
  const orderId = String((await anOrder()).number)
  const rate = (amount: string) => [{ company: 'Post', serviceLabel: 'Post', serviceType: null, amount }]
  expect(await shipper.rates({ locationId, orderId })).toEqual({ __typename: 'FulfillmentRatesSuccess', rates: rate('3') })
  expect((await shipper.rates({ locationId, orderId, packages: [{ weight: 4 }, { weight: '1.5' }] })).rates).toEqual(rate('9'))
  // What is not weighed weighs what the lines weigh.
  expect((await shipper.rates({ locationId, orderId, packages: [{ length: 1 }] })).rates).toEqual(rate('3'))
  expect((await shipper.rates({ locationId, orderId, shippingAddress: { country: 'ES' } })).rates).toEqual([])
})

test('packages are quoted without an order', async () => {
  await byWeight('Post')
  await aMethod({ type: 'FREE', name: 'Pigeon' })
  const { rates } = await shipper.rates({ locationId, packages: [{ weight: 5 }] })
  expect(rates.map(({ company, amount }: { company: string; amount: string }) => [company, amount])).toEqual([
    ['Pigeon', '0'],
    ['Post', '9'],
  ])
})

test('an external service gets the packages and the location that they leave from', async () => {
  await aMethod({ type: 'EXTERNAL', name: 'Carrier', callbackUrl: `${carrier.url}/rates` })
  const { rates } = await shipper.rates({
    locationId,
    orderId: String((await anOrder()).number),
    packages: [{ length: 10, width: 20, height: '2.5', weight: 3 }, {}],
  })
  expect(rates).toEqual([{ company: 'Carrier', serviceLabel: 'Fast', serviceType: 'FAST', amount: '12.5' }])
  expect(JSON.parse(questions[0] ?? '').request).toMatchObject({
    from: { name: 'North', address: 'Rua A', city: 'Braga', postal: '4700', country: 'PT', region: '03' },
    to: { city: 'Faro', postal: '8000', country: 'PT' },
    package: { weight: 2 },
    packages: [
      { length: 10, width: 20, height: 2.5, weight: 3 },
      { length: null, width: null, height: null, weight: null },
    ],
  })
})

test('every invalid field of a rate request is reported', async () => {
  expect(await shipper.rates({ locationId })).toMatchObject({ errors: [{ field: 'packages' }] })
  expect(await shipper.rates({ locationId, packages: [] })).toMatchObject({ errors: [{ field: 'packages' }] })
  expect(await shipper.rates({ locationId, packages: [{ weight: -1 }] })).toMatchObject({
    errors: [{ field: 'packages.0.weight' }],
  })
  expect(await shipper.rates({ locationId, packages: [{}], shippingAddress: { country: 'Nowhere' } })).toMatchObject({
    errors: [{ field: 'shippingAddress.country' }],
  })
  const closed = String(await shopper.aLocation({ active: false }))
  expect(await shipper.rates({ locationId: closed, packages: [{}] })).toMatchObject({ errors: [{ field: 'locationId' }] })
  expect((await shipper.rates({ locationId: '999999', packages: [{}] })).__typename).toBe('NotFoundError')
  expect((await shipper.rates({ locationId, orderId: '999999' })).__typename).toBe('NotFoundError')
})

test('an order in a currency without a rate to that of the store is quoted by its packages alone', async () => {
  await byWeight('Post')
  const orderId = String((await anOrder()).number)
  await stack.ask(shop, 'mutation { updateStore(input: { currency: "JPY" }) { __typename } }')
  const refused = await shipper.rates({ locationId, orderId, packages: [{ weight: 1 }] })
  expect(refused).toMatchObject({ __typename: 'ValidationError', errors: [{ field: 'orderId' }] })
  expect(refused.errors[0].message).toContain('an order in JPY, or with a rate to it')
  const sent = { locationId, shippingAddress: { country: 'PT' }, packages: [{ weight: 1 }] }
  expect((await shipper.rates(sent)).rates).toMatchObject([{ amount: '3' }])
  expect((await shipper.rates({ ...sent, orderId: String((await anOrder()).number) })).rates).toMatchObject([{ amount: '3' }])
})
