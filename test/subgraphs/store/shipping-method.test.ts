import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type ShippingNetwork, shippingServices } from '../../../subgraphs/store/shipping-method/service.ts'
import { a, startDnsServer, zone } from '../../support/dns-server.ts'
import { type HttpServer, json, redirect, startHttpServer } from '../../support/http-server.ts'
import { aCertificate, anAuthority } from '../trust/collectors/support/certificates.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

/** A question that the carrier got. */
type Question = { headers: IncomingMessage['headers']; body: string }

let stack: StoreStack
let shop: TestStore
let carrier: HttpServer
const questions: Question[] = []
let answer: (request: IncomingMessage, response: ServerResponse) => void

beforeAll(async () => {
  carrier = await startHttpServer({
    '*': (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        questions.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
        answer(request, response)
      })
    },
  })
  // The carrier is on loopback; everything else stays as it is.
  const shippingNetwork: ShippingNetwork = {
    resolvers: [],
    allow: ({ address, port }) => address === '127.0.0.1' && port === carrier.port,
  }
  stack = await startStore(() => new Date(), { shippingNetwork })
})
afterAll(async () => {
  await stack.close()
  await carrier.close()
})
beforeEach(async () => {
  shop = await stack.aStore({ country: 'CL' })
  questions.length = 0
  answer = json({ rates: [] })
})

const FAILURES = `... on ValidationError { errors { field message } } ... on ConflictError { message currentVersion }`
const FIELDS = `id number type name enabled freeShipping freeShippingFrom fees { type value } callbackUrl fetchServicesUrl hasToken fallbackPrice
  state city postal services { number serviceCode serviceName originalServiceName enabled }
  tables { basedOn values { amount price } locations { country region municipality postalCodeRangeStart postalCodeRangeEnd } } version`
const CREATE = `mutation ($input: CreateShippingMethodInput!) { createShippingMethod(input: $input) { __typename
  ... on CreateShippingMethodSuccess { shippingMethod { ${FIELDS} } } ${FAILURES} } }`
const UPDATE = `mutation ($id: ID!, $input: UpdateShippingMethodInput!) { updateShippingMethod(id: $id, input: $input) { __typename
  ... on UpdateShippingMethodSuccess { shippingMethod { ${FIELDS} } } ... on NotFoundError { message } ${FAILURES} } }`
const DELETE = 'mutation ($id: ID!) { deleteShippingMethod(id: $id) { __typename } }'
const QUOTES = `query ($input: ShippingQuotesInput!) { shippingQuotes(input: $input) {
  name price serviceCode service { serviceName } rateId description isFallback shippingMethod { name } } }`

const create = async (input: Record<string, unknown>, who = shop) => {
  const { data, errors } = await stack.ask(who, CREATE, { input })
  expect(errors).toBeUndefined()
  return data.createShippingMethod
}
const update = async (id: string, input: Record<string, unknown>, who = shop) =>
  (await stack.ask(who, UPDATE, { id, input })).data.updateShippingMethod
async function aMethod(input: Record<string, unknown>, who = shop) {
  const result = await create(input, who)
  expect(result).toMatchObject({ __typename: 'CreateShippingMethodSuccess' })
  return result.shippingMethod
}
const quotes = async (input: Record<string, unknown> = {}) => {
  const lines = [{ price: '1990', quantity: 2, weight: '0.5', name: 'Mug', sku: 'MUG-1' }]
  const { data, errors } = await stack.ask(shop, QUOTES, { input: { lines, country: 'CL', region: '03', ...input } })
  expect(errors).toBeUndefined()
  return data.shippingQuotes
}

const TABLE = {
  basedOn: 'WEIGHT',
  values: [
    { amount: '5', price: '9000' },
    { amount: '0', price: '4500' },
  ],
}
const external = (more: Record<string, unknown> = {}) => ({
  type: 'EXTERNAL',
  name: 'Carrier',
  callbackUrl: `${carrier.url}/rates`,
  ...more,
})
const rate = (more: Record<string, unknown> = {}) => ({
  rate_id: 'r-1',
  rate_description: 'Tomorrow',
  service_name: 'Express',
  service_code: 'EXP',
  total_price: '5500',
  ...more,
})

test('tables are sorted by amount, with their positions', async () => {
  const locations = [
    { country: 'CL', region: '03' },
    { country: 'CL', postalCodeRangeStart: '1000', postalCodeRangeEnd: '1999' },
  ]
  expect(await aMethod({ type: 'TABLES', name: 'Post', tables: [{ ...TABLE, locations }] })).toMatchObject({
    type: 'TABLES',
    enabled: true,
    freeShipping: false,
    fees: [],
    callbackUrl: null,
    hasToken: false,
    services: [],
    tables: [
      {
        basedOn: 'WEIGHT',
        values: [
          { amount: '0', price: '4500' },
          { amount: '5', price: '9000' },
        ],
        locations: [
          { country: 'CL', region: '03', municipality: null, postalCodeRangeStart: null, postalCodeRangeEnd: null },
          { country: 'CL', region: null, municipality: null, postalCodeRangeStart: '1000', postalCodeRangeEnd: '1999' },
        ],
      },
    ],
  })
})

const URL_OF = 'https://carrier.example.com/rates'
test.each([
  [{ type: 'FREE', name: '' }, 'name'],
  [{ type: 'UPS', name: 'x' }, 'type'],
  [{ type: 'TABLES', name: 'x' }, 'tables'],
  [{ type: 'FREE', name: 'x', tables: [TABLE] }, 'tables'],
  [{ type: 'TABLES', name: 'x', tables: [{ basedOn: 'PRICE', values: [] }] }, 'tables.0.values'],
  [
    { type: 'TABLES', name: 'x', tables: [{ basedOn: 'PRICE', values: [{ amount: '-1', price: '1' }] }] },
    'tables.0.values.0.amount',
  ],
  [
    { type: 'TABLES', name: 'x', tables: [{ basedOn: 'PRICE', values: [{ amount: '1', price: '-1' }] }] },
    'tables.0.values.0.price',
  ],
  [
    {
      type: 'TABLES',
      name: 'x',
      tables: [
        {
          basedOn: 'PRICE',
          values: [
            { amount: '1', price: '1' },
            { amount: '1.0', price: '2' },
          ],
        },
      ],
    },
    'tables.0.values.1.amount',
  ],
  [{ type: 'TABLES', name: 'x', tables: [{ ...TABLE, locations: [{ country: 'Chile' }] }] }, 'tables.0.locations.0.country'],
  [
    { type: 'TABLES', name: 'x', tables: [{ ...TABLE, locations: [{ country: 'CL', postalCodeRangeStart: '1' }] }] },
    'tables.0.locations.0.postalCodeRangeEnd',
  ],
  [{ type: 'FLAT', name: 'x', fees: [{ type: 'PERCENTAGE', value: '100.1' }] }, 'fees.0.value'],
  [{ type: 'FLAT', name: 'x', fees: [{ type: 'FIXED', value: '-1' }] }, 'fees.0.value'],
  [{ type: 'FLAT', name: 'x', freeShippingFrom: '-1' }, 'freeShippingFrom'],
  [{ type: 'FLAT', name: 'x', callbackUrl: URL_OF }, 'callbackUrl'],
  [{ type: 'FLAT', name: 'x', fallbackPrice: '1' }, 'fallbackPrice'],
  [{ type: 'EXTERNAL', name: 'x' }, 'callbackUrl'],
  [{ type: 'EXTERNAL', name: 'x', callbackUrl: 'file:///etc/passwd' }, 'callbackUrl'],
  [{ type: 'EXTERNAL', name: 'x', callbackUrl: `${URL_OF}/\0` }, 'callbackUrl'],
  [{ type: 'EXTERNAL', name: 'x', callbackUrl: URL_OF, city: 'nul \0' }, 'city'],
  [
    { type: 'TABLES', name: 'x', tables: [{ ...TABLE, locations: [{ country: 'CL', region: '\0' }] }] },
    'tables.0.locations.0.region',
  ],
  [{ type: 'EXTERNAL', name: 'x', callbackUrl: URL_OF, fetchServicesUrl: 'nowhere' }, 'fetchServicesUrl'],
  [{ type: 'EXTERNAL', name: 'x', callbackUrl: URL_OF, token: 'two words' }, 'token'],
])('%j is refused by its field', async (input, field) => {
  const result = await create(input)
  expect(result).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
  expect(JSON.stringify(result)).not.toContain('two words')
})

test('a shipping method keeps its type; an absent field keeps its value, null clears it', async () => {
  const { id } = await aMethod({ type: 'FLAT', name: 'Flat', freeShippingFrom: '100', fees: [{ type: 'FIXED', value: '5' }] })
  expect(await update(id, { type: 'TABLES', tables: [TABLE] })).toMatchObject({
    errors: [{ field: 'type' }, { field: 'tables' }],
  })
  expect(await update(id, { type: 'FLAT', freeShippingFrom: null })).toMatchObject({
    shippingMethod: { freeShippingFrom: null, fees: [{ type: 'FIXED', value: '5' }], version: 2 },
  })
  expect(await update(id, { fees: null, expectedVersion: 2 })).toMatchObject({ shippingMethod: { fees: [] } })
  expect(await update(id, { enabled: false, expectedVersion: 2 })).toMatchObject({
    __typename: 'ConflictError',
    currentVersion: 3,
  })
  expect(await update(id, { enabled: null })).toMatchObject({ errors: [{ field: 'enabled' }] })
})

test('another store neither sees, changes nor deletes it', async () => {
  const { id } = await aMethod({ type: 'FREE', name: 'Free' })
  const other = await stack.aStore({ name: 'Another shop' })
  expect((await stack.ask(other, '{ shippingMethods { id } }')).data.shippingMethods).toEqual([])
  expect((await update(id, { name: 'Theirs' }, other)).__typename).toBe('NotFoundError')
  expect((await stack.ask(other, DELETE, { id })).data.deleteShippingMethod.__typename).toBe('NotFoundError')
  expect((await stack.ask(shop, DELETE, { id })).data.deleteShippingMethod.__typename).toBe('DeleteShippingMethodSuccess')
})

test('quotes are of enabled shipping methods that serve the address, the cheapest first', async () => {
  await aMethod({ type: 'TABLES', name: 'Post', tables: [TABLE] })
  await aMethod({ type: 'TABLES', name: 'Abroad', tables: [{ ...TABLE, locations: [{ country: 'PT' }] }] })
  await aMethod({ type: 'FLAT', name: 'Flat', fees: [{ type: 'FIXED', value: '1000' }] })
  await aMethod({ type: 'FREE', name: 'Off', enabled: false })
  expect(await quotes()).toMatchObject([
    { name: 'Flat', price: '2000', serviceCode: null, isFallback: false, shippingMethod: { name: 'Flat' } },
    { name: 'Post', price: '4500' },
  ])
  expect(await quotes({ lines: [{ price: '1', quantity: 1, requiresShipping: false }] })).toEqual([])
  const enabled = async (value: boolean) =>
    (await stack.ask(shop, `{ shippingMethods(enabled: ${value}) { name } }`)).data.shippingMethods.length
  expect([await enabled(true), await enabled(false)]).toEqual([3, 1])
})

test.each([
  [{ lines: [] }, 'input.lines'],
  [{ lines: [{ price: '-1', quantity: 1 }] }, 'input.lines.0.price'],
  [{ lines: [{ price: '1', quantity: 0 }] }, 'input.lines.0.quantity'],
  [{ lines: [{ price: '1', quantity: 1 }], distance: '-1' }, 'input.distance'],
])('quotes for %j are refused', async (input, argument) => {
  const { errors } = await stack.ask(shop, QUOTES, { input })
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', argument })
})

test('an external service gets the published callback, signed with the token', async () => {
  await aMethod(external({ token: 'carrier-token', city: 'Calama', postal: '1390000', state: '03' }))
  answer = json({
    reference_id: 'x',
    rates: [rate(), rate({ rate_id: 2, service_code: 7, service_name: 'Slow', rate_description: '', total_price: 3000.6 })],
  })
  expect(await quotes({ city: 'Arica', municipality: '8261495', postal: '1000000' })).toEqual([
    {
      name: 'Slow',
      price: '3001',
      serviceCode: '7',
      service: null,
      rateId: '2',
      description: null,
      isFallback: false,
      shippingMethod: { name: 'Carrier' },
    },
    {
      name: 'Express',
      price: '5500',
      serviceCode: 'EXP',
      service: null,
      rateId: 'r-1',
      description: 'Tomorrow',
      isFallback: false,
      shippingMethod: { name: 'Carrier' },
    },
  ])
  const [{ headers, body } = { headers: {}, body: '{}' }] = questions
  expect(headers['jumpseller-hmac-sha256']).toBe(createHmac('sha256', 'carrier-token').update(body).digest('base64'))
  expect(headers['jumpseller-store-code']).toBe(shop.code)
  expect(JSON.stringify(headers)).not.toContain('carrier-token')
  expect(JSON.parse(body)).toMatchObject({
    request: {
      from: { country: 'CL', region: '03', city: 'Calama', postal: '1390000', name: 'Test shop' },
      to: { country: 'CL', region: '03', municipality: '8261495', city: 'Arica', postal: '1000000' },
      products: [{ name: 'Mug', sku: 'MUG-1', quantity: 2, price: 1990, weight: 0.5, shipping_required: true }],
      package: { weight: 1 },
      weight_unit: 'kg',
      currency: 'CLP',
    },
  })
})

test('without its own token the callback is signed with the webhook token of the store', async () => {
  await aMethod(external())
  await quotes()
  const { data } = await stack.ask(shop, '{ store { hooksToken } }')
  const [{ headers, body } = { headers: {}, body: '' }] = questions
  expect(headers['jumpseller-hmac-sha256']).toBe(createHmac('sha256', data.store.hooksToken).update(body).digest('base64'))
})

test('fees, and free shipping from a price on, count for external services, too', async () => {
  const { id } = await aMethod(external({ fees: [{ type: 'FIXED', value: '10' }] }))
  answer = json({ rates: [rate()] })
  expect(await quotes()).toMatchObject([{ price: '5520' }])
  await update(id, { freeShipping: true, freeShippingFrom: '3980' })
  expect(await quotes()).toMatchObject([{ price: '0', name: 'Express' }])
})

const broken: readonly (readonly [string, (request: IncomingMessage, response: ServerResponse) => void])[] = [
  ['a failure', json({ rates: [rate()] }, { status: 500 })],
  ['no JSON', json('<html>')],
  ['another shape', json({ prices: [] })],
  ['a negative price', json({ rates: [rate({ total_price: '-1' })] })],
  ['a price that is none', json({ rates: [rate({ total_price: '1e3' })] })],
  ['a name with NUL', json({ rates: [rate({ service_name: 'nul \0' })] })],
  ['too many bytes', json({ rates: [rate()], more: 'x'.repeat(300_000) })],
  ['too many rates', json({ rates: Array.from({ length: 101 }, () => rate()) })],
  ['a redirect', redirect('/elsewhere')],
  ['a broken connection', (_, response) => response.destroy()],
]
test.each(broken)('after %s the fallback price counts, and without one the method is not offered', async (_, bad) => {
  const { id } = await aMethod(external({ fallbackPrice: '7000' }))
  answer = bad
  expect(await quotes()).toMatchObject([{ name: 'Carrier', price: '7000', isFallback: true, rateId: null }])
  await update(id, { fallbackPrice: null })
  expect(await quotes()).toEqual([])
})

test('a service that never answers is waited for five seconds, beside the others', async () => {
  await aMethod(external({ fallbackPrice: '7000' }))
  await aMethod(external({ name: 'Second' }))
  await aMethod({ type: 'FLAT', name: 'Flat' })
  answer = () => {}
  expect(await quotes()).toMatchObject([{ name: 'Flat' }, { name: 'Carrier', isFallback: true }])
  expect(questions).toHaveLength(2)
})

test.each([
  'http://127.0.0.1:1/',
  'http://10.0.0.1/',
  'http://[::1]/',
  'http://169.254.169.254/latest/meta-data',
  'http://localhost/',
])('no request is sent to %s', async (callbackUrl) => {
  await aMethod(external({ callbackUrl, fetchServicesUrl: callbackUrl, fallbackPrice: '1' }))
  expect(await quotes()).toMatchObject([{ isFallback: true }])
  expect(questions).toEqual([])
})

test('services are learnt when the shipping method is created and changed; those that stay keep their ids, one that is off is not offered', async () => {
  answer = json({
    services: [
      { service_name: 'Express', service_code: 'EXP' },
      { service_name: 'Slow', service_code: 'SLO' },
    ],
  })
  const { id, services } = await aMethod(external({ fetchServicesUrl: `${carrier.url}/services`, token: 'carrier-token' }))
  expect(services).toMatchObject([
    { serviceCode: 'EXP', serviceName: 'Express', originalServiceName: 'Express', enabled: true },
    { serviceCode: 'SLO', serviceName: 'Slow' },
  ])
  expect(questions[0]?.headers['jumpseller-store-code']).toBe(shop.code)
  // The token is told over TLS only.
  expect(questions[0]?.headers.authorization).toBeUndefined()

  answer = json({
    services: [
      { service_name: 'Faster', service_code: 'EXP' },
      { service_name: 'New', service_code: 'NEW' },
    ],
  })
  const changed = (await update(id, { name: 'Carrier 2' })).shippingMethod.services
  expect(changed).toMatchObject([{ number: services[0].number, serviceName: 'Faster' }, { serviceCode: 'NEW' }])

  answer = json({}, { status: 503 })
  expect((await update(id, { name: 'Carrier 3' })).shippingMethod.services).toEqual(changed)

  await stack.sql('UPDATE shipping_service SET enabled = false WHERE id = $1', [changed[1].number])
  answer = json({ rates: [rate(), rate({ service_code: 'NEW' })] })
  expect(await quotes()).toMatchObject([{ name: 'Faster', serviceCode: 'EXP', service: { serviceName: 'Faster' } }])

  expect((await update(id, { fetchServicesUrl: null })).shippingMethod.services).toEqual([])
})

test('over TLS the service gets its own token only', async () => {
  const authority = await anAuthority()
  const authorizations: (string | undefined)[] = []
  const elsewhere: (string | undefined)[] = []
  const other = await startHttpServer({
    '/services': (request, response) => {
      elsewhere.push(request.headers.authorization)
      json({ services: [] })(request, response)
    },
  })
  const secure = await startHttpServer(
    {
      '/services': (request, response) => {
        authorizations.push(request.headers.authorization)
        json({ services: [] })(request, response)
      },
      '/moved': redirect(`${other.url}/services`),
    },
    { tls: await aCertificate({ names: ['carrier.test'], authority }) },
  )
  const names = await startDnsServer(zone({ 'carrier.test A': a('carrier.test', '127.0.0.1') }))
  const own = shippingServices({
    resolvers: [names],
    authorities: [authority.pem],
    allow: ({ port }) => port === secure.port || port === other.port,
  })
  const provider = { url: `https://carrier.test:${secure.port}/services`, storeId: 1, storeCode: 'shop', token: 'Secret-1' }
  expect(await own.services({ ...provider, isOwnToken: true })).toEqual([])
  expect(await own.services({ ...provider, isOwnToken: false })).toEqual([])
  expect(authorizations).toEqual(['Bearer Secret-1', undefined])
  const moved = { ...provider, url: `https://carrier.test:${secure.port}/moved`, isOwnToken: true }
  expect(await own.services(moved)).toEqual([])
  expect(elsewhere).toEqual([undefined])
  await own.close()
  await Promise.all([secure, other, names].map(({ close }) => close()))
})
