import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Fault } from '../../../../platform/outbound/fault.ts'
import { type PaymentGateway, PaymentRefused } from '../../../../subgraphs/store/payment/gateway.ts'
import { paymentGateways } from '../../../../subgraphs/store/payment/gateways.ts'
import { isBalanced } from '../../../../subgraphs/store/payment/payment.ts'
import type { GatewayAccess } from '../../../../subgraphs/store/payment/repository.ts'
import { decimalOf, minorUnitsOf } from '../../../../subgraphs/store/payment/stripe/minor-units.ts'
import { OPERATION, paymentOf } from '../../../../subgraphs/store/payment/stripe/stripe-payment.ts'
import { stripeServer } from '../support/stripe-server.ts'

const now = new Date('2026-11-20T09:00:00Z')
const ACCESS: GatewayAccess = { type: 'STRIPE', url: '', key: 'sk_test_merchant7', secret: 'whsec_one,whsec_two' }
/** Path of the program stripe-mock, which has Stripe's published document. */
const MOCK = process.env.STRIPE_MOCK
const CONTRACT = new URL('../support/stripe-contract.json', import.meta.url)

let server: Awaited<ReturnType<typeof stripeServer>>
let gateways: ReturnType<typeof paymentGateways>
let stripe: PaymentGateway
let mock: { readonly process: ChildProcess; readonly url: string } | null = null
beforeAll(async () => {
  mock = MOCK === undefined ? null : await startMock(MOCK)
  server = await stripeServer({ key: ACCESS.key, secret: 'whsec_two' }, mock?.url)
  const network = { resolvers: [], allow: ({ address }: { readonly address: string }) => address === '127.0.0.1' }
  gateways = paymentGateways(() => now, { ...network, stripe: server.api })
  stripe = gateways.of(ACCESS)
})
afterAll(async () => {
  await gateways?.close()
  await server?.close()
  mock?.process.kill()
})

async function startMock(program: string) {
  const probe = createServer()
  const port = await new Promise<number>((resolve) =>
    // A listening TCP server has an address of this kind.
    probe.listen(0, '127.0.0.1', () => resolve((probe.address() as { readonly port: number }).port)),
  )
  await new Promise((resolve) => probe.close(resolve))
  const started = spawn(program, ['-http-addr', `127.0.0.1:${port}`], { stdio: ['ignore', 'pipe', 'inherit'] })
  await new Promise<void>((resolve, reject) => {
    started.once('error', reject)
    started.once('exit', () => reject(new Error('Expected stripe-mock to listen.')))
    started.stdout.on('data', (text: Buffer) => text.toString().includes('Listening for HTTP') && resolve())
  })
  return { process: started, url: `http://127.0.0.1:${port}` }
}

const request = (amount: string, currency = 'EUR') => ({
  ...{ amount, currency, order: '12', returnUrl: 'https://shop.example/orders/x' },
  notificationUrl: 'https://shop.example/payments/1/2',
  createdAt: now,
})
const aKey = () => randomUUID()
/** A payment that the shopper has confirmed. */
async function paid(amount: string, currency = 'EUR') {
  const { reference } = await stripe.authorize(ACCESS, aKey(), request(amount, currency))
  await server.pay(reference, 'good')
  return reference
}
/** What was rejected. */
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  )

test('a capture of a part releases the rest, and only what was paid back counts as refunded', async () => {
  const reference = await paid('30')
  const amounts = { authorized: '30', captured: '20', voided: '10' }
  expect(await stripe.capture(ACCESS, aKey(), reference, '20')).toMatchObject({ ...amounts, refunded: '0' })
  // Stripe has a refund of 10 now, of money that nobody paid.
  expect(await stripe.find(ACCESS, reference)).toMatchObject({ ...amounts, refunded: '0' })
  expect(await stripe.refund(ACCESS, aKey(), reference, '10')).toMatchObject({ ...amounts, refunded: '10' })
  server.refundByHand(reference, 400)
  const last = await stripe.find(ACCESS, reference)
  expect(last).toMatchObject({ ...amounts, refunded: '14' })
  expect([isBalanced(last), server.shown(reference)]).toEqual([true, { ...amounts, refunded: '14' }])
})

test('of several refunds of the amount that was released, only the oldest of all can be the release', () => {
  const intent = { id: 'pi_1', status: 'succeeded', amount: 3_000, amount_received: 2_000, latest_charge: 'ch_1' } as const
  const session = { id: 'cs_1', status: 'complete', url: null, currency: 'eur', payment_intent: intent } as const
  const [byHand, ours] = [
    { amount: 1_000, status: 'succeeded', metadata: {} },
    { amount: 500, status: 'succeeded', metadata: { [OPERATION]: 'a' } },
  ]
  expect(paymentOf(session, [ours, byHand]).refunded).toBe('5')
  expect(paymentOf(session, [byHand, ours, byHand]).refunded).toBe('15')
  // Stripe has shown no release.
  expect(paymentOf(session, [byHand, ours]).refunded).toBe('15')
})

test('refunds that failed or were canceled later are counted apart, beside what a capture of a part released', async () => {
  const reference = await paid('30')
  await stripe.capture(ACCESS, aKey(), reference, '20')
  for (const amount of ['5', '7']) await stripe.refund(ACCESS, aKey(), reference, amount)
  server.failRefund(reference, '5')
  const said = await stripe.find(ACCESS, reference)
  expect(said).toMatchObject({ captured: '20', voided: '10', refunded: '12', refundsFailed: '5' })
  expect([isBalanced(said), isBalanced({ ...said, refundsFailed: '13' })]).toEqual([true, false])
  // What failed can be paid back again, and all of it once.
  expect(await stripe.refund(ACCESS, aKey(), reference, '13')).toMatchObject({ refunded: '25', refundsFailed: '5' })
})

test('a page of Stripe ends two hours after its payment was created, at whatever attempt', async () => {
  const createdAt = new Date(now.getTime() - 3_600_999)
  const { reference } = await stripe.authorize(ACCESS, aKey(), { ...request('30'), createdAt })
  expect(server.expiresAt(reference)).toBe(Math.floor(createdAt.getTime() / 1_000) + 7_200)
})

test('a merchant with as many requests as one may have does not hold up another', async () => {
  const { reference } = await stripe.authorize(ACCESS, aKey(), request('30'))
  server.holdUntil(21)
  const own = Array.from({ length: 20 }, () => stripe.find(ACCESS, reference))
  // With a key that is wrong: what counts is that the request arrives.
  const others = refusal(stripe.find({ ...ACCESS, key: 'sk_test_other' }, reference))
  expect(await Promise.all([...own, others])).toHaveLength(21)
})

test('only whole authorizations are voided, and one that ended by itself counts as voided', async () => {
  const reference = await paid('30')
  expect(await refusal(stripe.voidOpen(ACCESS, aKey(), reference, '10'))).toBeInstanceOf(PaymentRefused)
  const voided = { status: 'AUTHORIZED', authorized: '30', captured: '0', voided: '30', refunded: '0' }
  const key = aKey()
  expect(await stripe.voidOpen(ACCESS, key, reference, '30')).toMatchObject(voided)
  expect(await stripe.voidOpen(ACCESS, key, reference, '30')).toMatchObject(voided)
  expect(await refusal(stripe.capture(ACCESS, aKey(), reference, '30'))).toBeInstanceOf(PaymentRefused)
  const expired = await paid('30')
  server.expire(expired)
  expect(await stripe.find(ACCESS, expired)).toMatchObject(voided)
})

test('a session that the shopper left is failed when it expires, a declined card is not the end of it', async () => {
  const { reference, redirectUrl } = await stripe.authorize(ACCESS, aKey(), request('30'))
  expect(redirectUrl).toBe(`${server.url}/c/pay/${reference}`)
  expect(await server.pay(reference, 'declined')).toBe(200)
  expect(await stripe.find(ACCESS, reference)).toMatchObject({ status: 'REQUIRES_ACTION', redirectUrl, authorized: '0' })
  expect(await refusal(stripe.capture(ACCESS, aKey(), reference, '30'))).toBeInstanceOf(PaymentRefused)
  server.expire(reference)
  expect(await stripe.find(ACCESS, reference)).toMatchObject({ status: 'FAILED', redirectUrl: null, authorized: '0' })
})

test('an attempt whose answer was lost is carried out once, a refund even when Stripe has forgotten its key', async () => {
  const [authorized, captured, refunded] = [aKey(), aKey(), aKey()]
  Object.assign(server.faults, { loseAnswer: 1 })
  expect(await refusal(stripe.authorize(ACCESS, authorized, request('30')))).toBeInstanceOf(Fault)
  const before = server.ids().length
  const { reference } = await stripe.authorize(ACCESS, authorized, request('30'))
  expect(server.ids()).toHaveLength(before)
  await server.pay(reference, 'good')
  Object.assign(server.faults, { loseAnswer: 1 })
  expect(await refusal(stripe.capture(ACCESS, captured, reference, '30'))).toBeInstanceOf(Fault)
  server.forgetKeys()
  expect(await stripe.capture(ACCESS, captured, reference, '30')).toMatchObject({ captured: '30', voided: '0' })
  Object.assign(server.faults, { loseAnswer: 1 })
  expect(await refusal(stripe.refund(ACCESS, refunded, reference, '10'))).toBeInstanceOf(Fault)
  server.forgetKeys()
  expect(await stripe.refund(ACCESS, refunded, reference, '10')).toMatchObject({ captured: '30', refunded: '10' })
  expect(server.shown(reference)).toMatchObject({ captured: '30', refunded: '10' })
})

test('errors are refusals or faults, and their messages have codes only', async () => {
  const key = aKey()
  await stripe.authorize(ACCESS, key, request('30'))
  const cases: readonly [string, object, () => Promise<unknown>, object][] = [
    [
      'declined',
      { refuse: 1 },
      () => stripe.authorize(ACCESS, aKey(), request('30')),
      { message: 'Stripe: StripeCardError, card_declined, insufficient_funds', name: 'PaymentRefused' },
    ],
    [
      'key of another request',
      {},
      () => stripe.authorize(ACCESS, key, request('31')),
      { name: 'PaymentRefused', message: 'Stripe: StripeIdempotencyError' },
    ],
    [
      'too little',
      {},
      () => stripe.authorize(ACCESS, aKey(), request('0.49')),
      { name: 'PaymentRefused', message: /amount_too_small/ },
    ],
    [
      'too much',
      {},
      () => stripe.authorize(ACCESS, aKey(), request('1000000')),
      { name: 'PaymentRefused', message: /amount_too_large/ },
    ],
    [
      'no such amount',
      {},
      () => stripe.authorize(ACCESS, aKey(), request('1.005')),
      { name: 'PaymentRefused', message: 'Stripe has no amount of 1.005 EUR.' },
    ],
    ['unknown', {}, () => stripe.find(ACCESS, 'cs_test_unknown'), { name: 'PaymentRefused', message: /resource_missing/ }],
    ['too many', { rateLimit: 1 }, () => stripe.authorize(ACCESS, aKey(), request('30')), { reason: 'rate_limited' }],
    ['no object', { nothing: 1 }, () => stripe.authorize(ACCESS, aKey(), request('30')), { reason: 'unavailable' }],
    ['unavailable', { unavailable: 1 }, () => stripe.authorize(ACCESS, aKey(), request('30')), { reason: 'unavailable' }],
    [
      'wrong key',
      {},
      () => stripe.authorize({ ...ACCESS, key: 'sk_test_old' }, aKey(), request('30')),
      { reason: 'unavailable' },
    ],
  ]
  for (const [why, faults, ask, expected] of cases) {
    Object.assign(server.faults, faults)
    const error = await refusal(ask())
    expect(error, why).toMatchObject(
      Object.fromEntries(
        Object.entries(expected).map(([name, value]) => [name, value instanceof RegExp ? expect.stringMatching(value) : value]),
      ),
    )
    expect(String(error), why).not.toMatch(/4242|sk_test/)
  }
  const elsewhere = paymentGateways(() => now, { resolvers: [], stripe: server.api })
  // Without the exception for tests, the guarded connection is all there is.
  expect(await refusal(elsewhere.of(ACCESS).find(ACCESS, 'cs_test_x'))).toMatchObject({ reason: 'blocked' })
  await elsewhere.close()
})

test('an event leads to its payment, whatever its snapshot says, with one of several secrets', async () => {
  const reference = await paid('30')
  const intent = server.intentOf(reference)
  const notified = (object: object, by?: string, at = now, body?: string) => {
    const event = server.event(object, at, by)
    return stripe.notified(ACCESS, event.headers, body ?? event.body)
  }
  const session = { object: 'checkout.session', id: reference, status: 'expired' }
  const itself = { kind: 'payment', reference }
  for (const object of [
    session,
    { object: 'payment_intent', id: intent },
    { object: 'charge', id: 'ch_1', payment_intent: intent },
    { object: 'refund', id: 're_1', payment_intent: intent },
  ])
    expect(await notified(object)).toEqual(itself)
  expect(await notified(session, 'whsec_one')).toEqual(itself)
  expect(await notified(session, 'whsec_three')).toMatchObject({ kind: 'unsigned' })
  expect(await notified(session, undefined, new Date(now.getTime() - 301_000))).toMatchObject({ kind: 'unsigned' })
  expect(await notified(session, undefined, now, '{}')).toMatchObject({ kind: 'unsigned' })
  expect(await stripe.notified(ACCESS, {}, '{}')).toMatchObject({ kind: 'unsigned' })
  expect(await notified({ object: 'payment_intent', id: 'pi_other' })).toEqual({ kind: 'other' })
  expect(await notified({ object: 'customer', id: 'cus_1' })).toEqual({ kind: 'other' })
  expect(await notified({ object: 7 })).toMatchObject({ kind: 'unreadable' })
  Object.assign(server.faults, { unavailable: 1 })
  expect(await refusal(notified({ object: 'payment_intent', id: intent }))).toBeInstanceOf(Fault)
  // Of test mode, after the key became one of live mode.
  Object.assign(server.faults, { missing: 1 })
  expect(await notified({ object: 'payment_intent', id: intent })).toEqual({ kind: 'other' })
})

test.each([
  ['12.5', 'EUR', 1250],
  ['0.01', 'usd', 1],
  ['500', 'JPY', 500],
  ['5.5', 'JPY', null],
  ['5.12', 'KWD', 5120],
  ['5.125', 'KWD', null],
  ['5', 'ISK', 500],
  ['5.5', 'ISK', null],
  ['7', 'UGX', 700],
  ['12.505', 'EUR', null],
  ['9999999999', 'EUR', 999_999_999_900],
  ['9999999999', 'KWD', null],
])('%s %s are %s minor units', (amount, currency, units) => {
  expect(minorUnitsOf(amount, currency)).toBe(units)
  if (units !== null) expect(decimalOf(units, currency)).toBe(amount)
})

/** Names of parameters, and types of fields by their path. */
type Shape = { readonly sent: readonly string[]; readonly answered: Readonly<Record<string, string>> }

describe('the recorded contract', () => {
  const shapeOf = (value: unknown, path = ''): [string, string][] => {
    if (Array.isArray(value)) return [[path, 'list'], ...value.slice(0, 1).flatMap((each) => shapeOf(each, `${path}[]`))]
    if (typeof value !== 'object' || value === null) return [[path, value === null ? 'null' : typeof value]]
    return Object.entries(value).flatMap(([name, each]) => shapeOf(each, path === '' ? name : `${path}.${name}`))
  }
  const shapes = (read: (request: (typeof server.exchanges)[number]) => unknown): Record<string, Shape> => {
    const found: Record<string, { sent: Set<string>; answered: Record<string, string> }> = {}
    for (const exchange of server.exchanges) {
      const shape = found[exchange.route] ?? { sent: new Set(), answered: {} }
      found[exchange.route] = shape
      for (const name of exchange.sent) shape.sent.add(name)
      Object.assign(shape.answered, Object.fromEntries(shapeOf(read(exchange)).filter(([path]) => !path.includes('metadata'))))
    }
    return Object.fromEntries(
      Object.entries(found)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([route, { sent, answered }]) => [route, { sent: [...sent].toSorted(), answered }]),
    )
  }

  test('has every request that Atrium makes, and every field of the loopback server', () => {
    // JSON that this file writes.
    const contract = JSON.parse(readFileSync(CONTRACT, 'utf8')) as Record<string, Shape>
    const ours = shapes(({ answer }) => answer)
    expect(Object.keys(ours)).toEqual(Object.keys(contract))
    for (const [route, { sent, answered }] of Object.entries(ours)) {
      expect(sent, route).toEqual(contract[route]?.sent)
      const recorded = contract[route]?.answered ?? {}
      // Null stands for an object that is there in the recorded answer, or the other way round.
      const isKnown = ([path, type]: [string, string]) =>
        type === 'null'
          ? Object.keys(recorded).some((known) => known === path || known.startsWith(`${path}.`))
          : recorded[path] === type || recorded[path] === 'null'
      expect(
        Object.entries(answered).filter((field) => !isKnown(field)),
        route,
      ).toEqual([])
    }
  })

  test.skipIf(MOCK === undefined)(
    'is what stripe-mock accepts and answers (skipped without STRIPE_MOCK, the path of that program)',
    () => {
      expect(server.exchanges.filter(({ mirrored }) => mirrored?.status !== 200)).toEqual([])
      const recorded = shapes(({ mirrored }) => mirrored?.body)
      const ours = shapes(({ answer }) => answer)
      // Of every route: where one of them has null, another has the fields.
      const read = new Set(Object.values(ours).flatMap(({ answered }) => Object.keys(answered)))
      const reduced = Object.fromEntries(
        Object.entries(recorded).map(([route, { sent, answered }]) => [
          route,
          {
            sent,
            answered: Object.fromEntries(Object.entries(answered).filter(([path]) => read.has(path))),
          },
        ]),
      )
      if (process.env.STRIPE_RECORD === '1') writeFileSync(CONTRACT, `${JSON.stringify(reduced, null, 2)}\n`)
      expect(reduced).toEqual(JSON.parse(readFileSync(CONTRACT, 'utf8')))
    },
  )
})
