import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../../platform/database/database.ts'
import { transaction } from '../../../../platform/database/transaction.ts'
import { PLAIN_SECRETS } from '../../../../platform/secrets/cipher.ts'
import { releaseStock } from '../../../../subgraphs/store/inventory/stock.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import { watchStatements } from '../support/statements.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { shopping } from './support.ts'

let stack: StoreStack
let shop: TestStore
let shopper: ReturnType<typeof shopping>
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  shopper = shopping(stack, shop)
})
afterAll(() => stack.close())

const line = (productId: number, more: Record<string, unknown> = {}) => ({ productId: String(productId), ...more })

test('fifty orders at once for one piece: one gets it, also where two lines want the same', async () => {
  const { id } = await shopper.aProduct({ stock: 1 })
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      shopper.create({
        lines: index % 10 === 9 ? [line(id), line(id)] : [line(id)],
        customer: { email: `b${index}@example.com` },
      }),
    ),
  )
  expect(results.filter(({ __typename }) => __typename === 'CreateOrderSuccess')).toHaveLength(1)
  expect(results.filter(({ __typename }) => __typename === 'InsufficientStock')).toHaveLength(49)
  expect((await shopper.stockOf(id)).stock).toBe(0)
})

test('the reserved stock of a line is returned once, however many requests return it', async () => {
  const { id } = await shopper.aProduct({ stock: 5 })
  await shopper.anOrder({ lines: [line(id, { quantity: 5 })] })
  const [held] = await stack.sql('SELECT order_line_id AS line FROM stock_allocation WHERE product_id = $1', [id])
  const database = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 10, onError: () => {} })
  try {
    await Promise.all(
      Array.from({ length: 10 }, () =>
        transaction(database.query, (query) =>
          releaseStock({ query, storeId: shop.storeId, now: new Date(), emit: () => {}, secrets: PLAIN_SECRETS }, [
            { orderLineId: Number(held?.line), quantity: null },
          ]),
        ),
      ),
    )
  } finally {
    await database.close()
  }
  expect((await shopper.stockOf(id)).stock).toBe(5)
  expect(await stack.sql('SELECT quantity FROM stock_allocation WHERE product_id = $1', [id])).toEqual([])
})

test('a location that sells nothing, or is closed, gives nothing; an order may take from several others', async () => {
  const locations = [
    await shopper.aLocation(),
    await shopper.aLocation(),
    await shopper.aLocation(),
    await shopper.aLocation({ isStockOrigin: false }),
  ]
  const [main, second, closed, showroom] = locations as [number, number, number, number]
  const { id } = await shopper.aProduct({ stock: 0 })
  for (const [locationId, stock] of [
    [main, 2],
    [second, 3],
    [closed, 50],
    [showroom, 50],
  ] as const) {
    await shopper.setStock({ productId: id, locationId, stock })
  }
  await stack.ask(shop, 'mutation ($id: ID!) { updateLocation(id: $id, input: { active: false }) { __typename } }', {
    id: String(closed),
  })
  expect(await shopper.create({ lines: [line(id, { quantity: 6 })] })).toMatchObject({ items: [{ wanted: 6, available: 5 }] })
  const order = await shopper.anOrder({ lines: [line(id, { quantity: 5 })] })
  expect(order.lines[0].allocations).toEqual([
    { locationNumber: main, quantity: 2 },
    { locationNumber: second, quantity: 3 },
  ])
  // A part comes back to where the first of it was from.
  await shopper.pay(order.id)
  const refund = await shopper.refund(order.id, { lines: [{ lineId: order.lines[0].id, quantity: 3 }], restock: true })
  expect(refund.order.lines[0].allocations).toEqual([{ locationNumber: second, quantity: 2 }])
  expect((await shopper.stockOf(id)).stock).toBe(103)
  await shopper.cancel(order.id)
  expect(await shopper.stockOf(id)).toMatchObject({
    stock: 105,
    inventoryLevels: [{ stock: 2 }, { stock: 3 }, { stock: 50 }, { stock: 50 }],
  })
})

test('what never runs out is not counted', async () => {
  const { id } = await shopper.aProduct({ stock: 0, stockUnlimited: true })
  const order = await shopper.anOrder({ lines: [line(id, { quantity: 1_000_000 })] })
  expect([order.lines[0].allocations, (await shopper.stockOf(id)).stock]).toEqual([[], 0])
})

test('stock of a deleted location is moved to another, and is deleted with the last location', async () => {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  const [main, second] = [await mine.aLocation(), await mine.aLocation()]
  const { id } = await mine.aProduct({ stock: 0 })
  await mine.setStock({ productId: id, locationId: main, stock: 1 })
  await mine.setStock({ productId: id, locationId: second, stock: 9 })
  const order = await mine.anOrder({ lines: [line(id, { quantity: 4 })] })
  const remove = (location: number) =>
    stack.ask(own, 'mutation ($id: ID!) { deleteLocation(id: $id) { __typename } }', { id: String(location) })
  await remove(second)
  expect((await mine.stockOf(id)).stock).toBe(1)
  await mine.cancel(order.id)
  expect(await mine.stockOf(id)).toMatchObject({ stock: 5, inventoryLevels: [{ stock: 5, locationNumber: main }] })
  await remove(main)
  expect(await mine.stockOf(id)).toMatchObject({ stock: 0, inventoryLevels: [] })
})

/** Something that somebody does; numbers pick things by their place, around the end. */
type Step =
  | {
      readonly do: 'create'
      readonly status: string
      readonly lines: readonly { readonly item: number; readonly quantity: number }[]
    }
  | { readonly do: 'move'; readonly order: number; readonly status: string }
  | { readonly do: 'ship'; readonly order: number; readonly shipmentStatus: string }
  | { readonly do: 'cancel'; readonly order: number; readonly restock: boolean }
  | { readonly do: 'refund'; readonly order: number; readonly restock: boolean; readonly line: number | null }
  | { readonly do: 'bulk'; readonly orders: readonly number[]; readonly status: string }
  | { readonly do: 'adjust'; readonly item: number; readonly delta: number; readonly location: number }

const status = fc.constantFrom('ABANDONED', 'PENDING_PAYMENT', 'PAID', 'CANCELED')
const place = fc.nat({ max: 1_000 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      status: fc.constantFrom('ABANDONED', 'PENDING_PAYMENT', 'PENDING_PAYMENT', 'PAID'),
      lines: fc.array(fc.record({ item: place, quantity: fc.integer({ min: 1, max: 4 }) }), { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('move' as const), order: place, status }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('ship' as const),
      order: place,
      shipmentStatus: fc.constantFrom('REQUESTED', 'IN_TRANSIT', 'FAILED', 'DELIVERED'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), order: place, restock: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      order: place,
      restock: fc.boolean(),
      line: fc.option(fc.nat({ max: 4 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('bulk' as const),
      orders: fc.uniqueArray(place, { minLength: 1, maxLength: 4 }),
      status,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('adjust' as const),
      item: place,
      delta: fc.integer({ min: -3, max: 5 }).filter((delta) => delta !== 0),
      location: place,
    }),
  },
)

test('under concurrency no unit is lost, created or sold twice, and the ledger is right', async () => {
  const runs = { seed: 20261120, numRuns: 6, endOnFailure: true }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 120, maxLength: 160 }), async (steps) => {
      const world = await aWorld()
      const queue = [...steps]
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          for (let next = queue.shift(); next; next = queue.shift()) await world.take(next)
        }),
      )
      await world.check()
    }),
    runs,
  )
}, 180_000)

/**
 * A shop with a plain product, one with variants, one in three places, and one that never runs out.
 */
async function aWorld() {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  const [plain, endless, digital] = [
    await mine.aProduct({ stock: 12 }),
    await mine.aProduct({ stock: 0, stockUnlimited: true }),
    await mine.aProduct({ stock: 0 }),
  ]
  const shirt = await mine.aProduct({
    stock: 0,
    variants: ['M', 'L'].map((value) => ({ price: '7.77', stock: 6, options: [{ name: 'Size', value }] })),
  })
  const locations = [await mine.aLocation(), await mine.aLocation(), await mine.aLocation({ isStockOrigin: false })]
  for (const locationId of locations) await mine.setStock({ productId: digital.id, locationId, stock: 5 })
  const items = [
    { productId: plain.id, variantId: null, initial: 12 },
    { productId: shirt.id, variantId: shirt.variants[0] ?? 0, initial: 6 },
    { productId: digital.id, variantId: null, initial: 15 },
    { productId: shirt.id, variantId: shirt.variants[1] ?? 0, initial: 6 },
    { productId: endless.id, variantId: null, initial: 0 },
  ]
  const added = items.map(() => 0)
  const orders: { id: string; lines: { id: string; quantity: number }[] }[] = []
  const pick = <Thing>(things: readonly Thing[], at: number): Thing | undefined => things[at % Math.max(1, things.length)]

  return {
    async take(step: Step): Promise<void> {
      if (step.do === 'create') {
        const lines = step.lines.map(({ item, quantity }) => {
          const { productId, variantId } = pick(items, item) ?? items[0] ?? { productId: 0, variantId: null }
          return line(productId, { quantity, ...(variantId !== null && { variantId: String(variantId) }) })
        })
        const result = await mine.create({ status: step.status, lines })
        expect(['CreateOrderSuccess', 'InsufficientStock']).toContain(result.__typename)
        if (result.order) orders.push(result.order)
        return
      }
      if (step.do === 'adjust') {
        const index = step.item % items.length
        const { productId = 0, variantId = null } = items[index] ?? {}
        const isStored = productId === digital.id
        const { data, errors } = await stack.ask(
          own,
          'mutation ($input: AdjustInventoryInput!) { adjustInventory(input: $input) { __typename } }',
          {
            input: {
              productId: String(productId),
              delta: step.delta,
              ...(variantId !== null && { variantId: String(variantId) }),
              ...(isStored && { locationId: String(pick(locations, step.location)) }),
            },
          },
        )
        expect(errors).toBeUndefined()
        if (data.adjustInventory.__typename === 'AdjustInventorySuccess') added[index] = (added[index] ?? 0) + step.delta
        return
      }
      if (step.do === 'bulk') {
        const chosen = [...new Set(step.orders.flatMap((at) => pick(orders, at)?.id ?? []))]
        if (chosen.length === 0) return
        const { errors } = await stack.ask(
          own,
          'mutation ($input: BulkUpdateOrdersInput!) { bulkUpdateOrders(input: $input) { __typename } }',
          {
            input: { onError: 'SKIP', orders: chosen.map((id) => ({ id, input: { status: step.status } })) },
          },
        )
        expect(errors).toBeUndefined()
        return
      }
      const order = pick(orders, step.order)
      if (!order) return
      if (step.do === 'move') await mine.update(order.id, { status: step.status })
      if (step.do === 'ship') await mine.update(order.id, { shipmentStatus: step.shipmentStatus })
      if (step.do === 'cancel') await mine.cancel(order.id, { restock: step.restock })
      if (step.do === 'refund') {
        const chosen = step.line === null ? undefined : pick(order.lines, step.line)
        await mine.refund(order.id, { restock: step.restock, ...(chosen && { lines: [{ lineId: chosen.id, quantity: 1 }] }) })
      }
    },

    async check(): Promise<void> {
      const store = own.storeId
      const held = `SELECT coalesce(sum(quantity), 0)::integer FROM stock_allocation held
        WHERE held.store_id = $1 AND held.product_id = $2 AND held.variant_id IS NOT DISTINCT FROM $3`
      for (const [index, { productId, variantId, initial }] of items.entries()) {
        const [table, id] = variantId === null ? ['product', productId] : ['product_variant', variantId]
        const [row] = await stack.sql(
          `SELECT stock, (${held}) AS held, (SELECT sum(stock)::integer FROM inventory_level level WHERE level.store_id = $1
            AND level.product_id = $2 AND level.variant_id IS NOT DISTINCT FROM $3) AS levels FROM ${table} WHERE store_id = $1 AND id = $4`,
          [store, productId, variantId, id],
        )
        const { stock, levels } = row as { stock: number; levels: number | null }
        expect(stock).toBeGreaterThanOrEqual(0)
        expect([index, stock + Number(row?.held)]).toEqual([index, initial + (added[index] ?? 0)])
        if (levels !== null) expect(levels).toBe(stock)
      }
      // Carts hold nothing; what is on hold for others is what was bought, as long as nothing was
      // put back.
      const lines = await stack.sql(
        `SELECT o.status, line.qty, coalesce((SELECT sum(quantity) FROM stock_allocation held
            WHERE held.store_id = line.store_id AND held.order_line_id = line.id), 0)::integer AS held,
          EXISTS (SELECT 1 FROM order_refund refund WHERE refund.store_id = o.store_id AND refund.order_id = o.id AND restocked) AS refunded,
          line.product_id = $2 AS endless
        FROM order_line line JOIN "order" o ON o.store_id = line.store_id AND o.id = line.order_id WHERE o.store_id = $1`,
        [store, endless.id],
      )
      for (const { status, qty, held: pieces, refunded, endless: isEndless } of lines) {
        if (status === 'ABANDONED' || isEndless) expect([status, pieces]).toEqual([status, 0])
        else if (status !== 'CANCELED' && !refunded) expect([status, pieces]).toEqual([status, qty])
        else expect(pieces as number).toBeLessThanOrEqual(qty as number)
      }
      const [money] = await stack.sql(
        `SELECT (SELECT coalesce(sum(amount), 0) FROM ledger_entry WHERE store_id = $1)
            = (SELECT coalesce(sum(total - refunded), 0) FROM "order" o WHERE store_id = $1
              AND EXISTS (SELECT 1 FROM ledger_entry entry WHERE entry.store_id = $1 AND entry.order_id = o.id)) AS balanced,
          (SELECT coalesce(max(n), 0)::integer FROM (SELECT count(*) AS n FROM ledger_entry WHERE store_id = $1 AND kind = 'PAYMENT' GROUP BY order_id) AS x) AS payments,
          (SELECT bool_and(refunded = (SELECT coalesce(sum(amount), 0) FROM order_refund refund
            WHERE refund.store_id = $1 AND refund.order_id = o.id)) FROM "order" o WHERE store_id = $1) AS refunds`,
        [store],
      )
      expect(money).toMatchObject({ balanced: true, refunds: true })
      expect(money?.payments as number).toBeLessThanOrEqual(1)
    },
  }
}

test('lists of orders take the same number of statements, whatever their size', async () => {
  const own = await stack.aStore()
  const mine = shopping(stack, own)
  const products: { id: number }[] = []
  for (let count = 0; count < 8; count += 1) products.push(await mine.aProduct({ stock: 1_000 }))
  for (const [index] of products.entries()) {
    await mine.anOrder({
      status: 'PAID',
      customer: { email: `c${index}@example.com` },
      lines: products.slice(0, index + 1).map(({ id }) => line(id)),
      additionalFields: [{ label: 'Gift', value: 'yes' }],
    })
  }
  const queries = watchStatements()
  const statements = async (first: number) => {
    const before = queries.texts().length
    const { data, errors } = await stack.ask(
      own,
      `query ($first: Int) { orders(first: $first) { totalCount nodes { number recoveryUrl customer { customer { orders(status: [PAID]) { totalCount nodes { number } } } }
        lines { product { name } variant { number } allocations { quantity } image } additionalFields { label } documents { url }
        history { totalCount nodes { message } } refunds { lines { quantity } } } } }`,
      { first },
    )
    expect(errors).toBeUndefined()
    return { rows: data.orders.nodes.length, statements: queries.texts().length - before }
  }
  try {
    const small = await statements(2)
    expect(await statements(8)).toEqual({ rows: 8, statements: small.statements })
    expect(small.statements).toBeLessThanOrEqual(20)
  } finally {
    queries.stop()
  }
})
