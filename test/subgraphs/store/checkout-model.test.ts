import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CheckoutWorld, checkoutWorld, type Stage } from './support/checkout-world.ts'
import { paymentGateway } from './support/payment-gateway.ts'
import { storefrontShopper } from './support/shopper.ts'
import { type StoreStack, startStore } from './support/store.ts'

/** CHECKOUT_HISTORIES=10000 runs the long form; CHECKOUT_SEED repeats one. */
const HISTORIES = Number(process.env.CHECKOUT_HISTORIES ?? 12)
const SEED = process.env.CHECKOUT_SEED === undefined ? {} : { seed: Number(process.env.CHECKOUT_SEED) }
const CREDENTIALS = { key: 'merchant-7', secret: 'whsec-very-secret' }

let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let stage: Stage
let close: () => Promise<void>
beforeAll(async () => {
  const gateway = await paymentGateway(CREDENTIALS)
  stack = await startStore(() => now, {
    paymentNetwork: { resolvers: [], allow: ({ address }) => address === '127.0.0.1' },
  })
  const shop = await stack.aStore({ name: 'Pottery' })
  const shopper = storefrontShopper(stack, shop)
  const server = createServer((request, response) =>
    stack.subgraph.httpRoutes?.handle(request, response, { requestId: 'test', address: '127.0.0.1' }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  await shopper.aCoupon('TEN', 10, 1)
  stage = {
    ...{ stack, shop, shopper, gateway, coupon: 'TEN', now: () => now },
    routesUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    methods: {
      manual: await shopper.aPaymentMethod(),
      gateway: await shopper.aGateway({ paymentMethodUrl: gateway.url, ...CREDENTIALS }),
    },
    pass: (minutes) => {
      now = new Date(now.getTime() + minutes * 60_000)
    },
  }
  close = async () => {
    server.close()
    await gateway.close()
    await stack.close()
  }
})
afterAll(() => close?.())

/** What is known of a history before it runs: how many carts there are. */
type Model = { carts: number }
type Command = fc.AsyncCommand<Model, CheckoutWorld>

/** A step; those about a cart or an order happen once there is one. */
const command = (name: string, run: (world: CheckoutWorld) => Promise<unknown>, { makesCart = false } = {}): Command => ({
  check: ({ carts }) => makesCart || carts > 0,
  async run(model, world) {
    if (makesCart) model.carts += 1
    await run(world)
    await world.check()
  },
  toString: () => name,
})
const pick = <Value>(list: readonly Value[], index: number): Value | undefined => list[index % Math.max(1, list.length)]
const index = fc.nat({ max: 5 })

const COMMANDS: fc.Arbitrary<Command>[] = [
  ...[1, 2].map(() =>
    fc
      .record({
        product: index,
        quantity: fc.integer({ min: 1, max: 3 }),
        isByGateway: fc.boolean(),
        withCoupon: fc.boolean(),
        withCards: fc.boolean(),
      })
      .map(({ product, quantity, ...how }) =>
        command(`fill(${product}, ${quantity}, ${JSON.stringify(how)})`, (world) => world.fill(product, quantity, how), {
          makesCart: true,
        }),
      ),
  ),
  fc
    .record({ cart: index, times: fc.integer({ min: 1, max: 3 }), isStale: fc.boolean(), isNewKey: fc.boolean() })
    .map(({ cart, ...how }) =>
      command(`complete(${cart}, ${JSON.stringify(how)})`, async (world) => {
        const chosen = pick(world.carts, cart)
        if (chosen) await world.complete(chosen, { ...how, isStale: how.isStale && how.times === 1 })
      }),
    ),
  fc.constant(command('race()', (world) => world.race(world.carts.slice(-4)))),
  fc
    .tuple(index, fc.integer({ min: 1, max: 3 }))
    .map(([product, units]) => command(`restock(${product}, ${units})`, (world) => world.restock(product, units))),
  index.map((product) => command(`reprice(${product})`, (world) => world.reprice(product, '9.03'))),
  ...(['pay', 'cancel'] as const).map((what) =>
    index.map((order) =>
      command(`${what}(${order})`, async (world) => {
        const chosen = pick(world.orders, order)
        if (chosen) await world[what](chosen)
      }),
    ),
  ),
  fc.tuple(index, fc.constantFrom({}, { toGiftCards: '1.5' }, { amount: '1' })).map(([order, input]) =>
    command(`refund(${order}, ${JSON.stringify(input)})`, async (world) => {
      const chosen = pick(world.orders, order)
      if (chosen) await world.refund(chosen, input)
    }),
  ),
  fc.tuple(index, fc.integer({ min: 1, max: 3 }), fc.boolean()).map(([order, units, restock]) =>
    command(`refundUnits(${order}, ${units}, ${restock})`, async (world) => {
      const chosen = pick(world.orders, order)
      if (chosen) await world.refundUnits(chosen, units, restock)
    }),
  ),
  ...[1, 2].map(() =>
    fc.tuple(index, fc.integer({ min: 1, max: 3 }), fc.boolean()).map(([order, units, isPaid]) =>
      command(`sendBack(${order}, ${units}, ${isPaid})`, async (world) => {
        const chosen = pick(world.orders, order)
        if (!chosen) return
        if (isPaid) await world.pay(chosen)
        await world.handOver(chosen)
        await world.sendBack(chosen, units)
      }),
    ),
  ),
  fc
    .tuple(
      index,
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom('RESTOCK' as const, 'DISCARD' as const),
      fc.integer({ min: 1, max: 3 }),
    )
    .map(([which, units, restock, times]) =>
      command(`receive(${which}, ${units}, ${restock}, ${times})`, async (world) => {
        const chosen = pick(world.returns, which)
        if (chosen) await world.receive(chosen, units, restock, times)
      }),
    ),
  fc
    .tuple(
      index,
      fc.record({
        throughGateway: fc.boolean(),
        times: fc.integer({ min: 1, max: 3 }),
        product: fc.option(index, { nil: null }),
      }),
    )
    .map(([which, how]) =>
      command(`refundReturn(${which}, ${JSON.stringify(how)})`, async (world) => {
        const chosen = pick(world.returns, which)
        if (chosen) await world.refundReturn(chosen, how)
      }),
    ),
  ...[1, 2].map(() =>
    fc.tuple(index, fc.integer({ min: 0, max: 4 }), fc.option(index, { nil: null })).map(([order, quantity, product]) =>
      command(`edit(${order}, ${quantity}, ${product})`, async (world) => {
        const chosen = pick(world.orders, order)
        if (chosen) await world.edit(chosen, quantity, product)
      }),
    ),
  ),
  fc
    .tuple(index, fc.constantFrom('payOrderBalance' as const, 'refundOrderBalance' as const), fc.boolean())
    .map(([order, field, throughGateway]) =>
      command(`${field}(${order}, ${throughGateway})`, async (world) => {
        const chosen = pick(world.orders, order)
        if (chosen) await world.balance(field, chosen, throughGateway)
      }),
    ),
  fc.tuple(index, fc.integer({ min: 1, max: 2 })).map(([order, times]) =>
    command(`payOnPage(${order}, ${times})`, async (world) => {
      const chosen = pick(world.orders, order)
      if (chosen) await world.payOnPage(chosen, times)
    }),
  ),
  fc.nat({ max: 1 }).map((card) => command(`disableCard(${card})`, (world) => world.disableCard(card))),
  fc.tuple(index, fc.boolean(), fc.integer({ min: 0, max: 3 })).map(([order, isConfirmed, times]) =>
    command(`confirm(${order}, ${isConfirmed}), notify ${times} times`, async (world) => {
      const chosen = pick(world.orders, order)
      if (!chosen) return
      await world.confirm(chosen, isConfirmed)
      await world.notify(chosen, times)
    }),
  ),
  fc
    .tuple(
      index,
      fc.constantFrom('capturePayment' as const, 'voidPayment' as const, 'refundPayment' as const),
      fc.constantFrom('1', '4.5', null),
    )
    .map(([order, field, amount]) =>
      command(`${field}(${order}, ${amount})`, async (world) => {
        const chosen = pick(world.orders, order)
        if (chosen) await world.operate(field, chosen, amount)
      }),
    ),
  fc
    .tuple(fc.constantFrom('loseAnswer' as const, 'unavailable' as const, 'refuse' as const), fc.integer({ min: 1, max: 2 }))
    .map(([fault, times]) => command(`fail(${fault}, ${times})`, async (world) => world.fail(fault, times))),
  fc.constantFrom(1, 10, 31, 8 * 24 * 60).map((minutes) => command(`wait(${minutes})`, (world) => world.wait(minutes))),
]

test(
  'whatever happens to carts, coupons, gift cards, stock and payments, nothing is sold, taken or paid twice, and nothing is lost',
  async () => {
    let steps = 0
    const histories = fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 24 }), async (commands) => {
      const world = await checkoutWorld(stage)
      await fc.asyncModelRun(() => ({ model: { carts: 0 }, real: world }), commands)
      steps += [...commands].length
      await world.settle()
    })
    await fc.assert(histories, { numRuns: HISTORIES, endOnFailure: HISTORIES > 100, ...SEED })
    expect(steps).toBeGreaterThan(HISTORIES)
  },
  60_000 + HISTORIES * 5_000,
)
