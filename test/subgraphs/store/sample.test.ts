import { readdirSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { inflateSync } from 'node:zlib'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Files } from '../../../subgraphs/store/file/files.ts'
import { seedStore } from '../../../subgraphs/store/operator/sample.ts'
import { withStores } from '../../../subgraphs/store/operator/stores.ts'
import { priceIn } from '../../../subgraphs/store/sample/market.ts'
import { pictureOf } from '../../../subgraphs/store/sample/picture.ts'
import { readSample, variantsOf } from '../../../subgraphs/store/sample/sample.ts'
import { aFilledStore } from './support/sample.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from './support/store.ts'

const sample = readSample()
const NO_LOG = pino({ level: 'silent' })
const PATIENT = { timeout: 60_000 }

describe('the files', () => {
  test('name at least 40 products, each once, and each of their variants with its stock', () => {
    expect(sample.products.length).toBeGreaterThanOrEqual(40)
    const skus = sample.products.flatMap((product) => [product.sku, ...variantsOf(product).map(({ sku }) => sku)])
    expect(skus.filter((sku, index) => skus.indexOf(sku) !== index)).toEqual([])
    for (const product of sample.products) {
      expect([product.sku, product.stock.length]).toEqual([product.sku, Math.max(variantsOf(product).length, 1)])
      expect([product.in, product.in.split('/').length]).toEqual([product.in, 3])
      const values = new Set(variantsOf(product).flatMap((variant) => variant.values.map(({ value }) => value)))
      expect(Object.keys(product.dearer ?? {}).filter((value) => !values.has(value))).toEqual([])
    }
  })

  test('are unique texts of whole sentences, without real persons', () => {
    const texts = sample.products.map(({ text }) => text)
    expect(texts.filter((text, index) => texts.indexOf(text) !== index || !/^[A-Z].{19,}\.$/.test(text))).toEqual([])
    for (const { email, phone = '209100100' } of sample.customers) {
      // Reserved by RFC 2606, and by Ireland's regulator for drama.
      expect(email).toMatch(/@(\w+\.)?example\.(org|com)$/)
      expect(phone).toMatch(/^20910\d{4}$/)
    }
  })
})

test('a picture is a PNG of 240 by 240 pixels with the colour of its product, the same each time', () => {
  for (const motif of new Set(sample.products.map((product) => product.motif))) {
    const picture = pictureOf(motif, '#4d7a86')
    expect(picture.equals(pictureOf(motif, '#4d7a86'))).toBe(true)
    expect([picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([240, 240])
    const rows = inflateSync(picture.subarray(41, 41 + picture.readUInt32BE(33)))
    expect(rows.length).toBe(240 * (1 + 240 * 3))
    expect([motif, rows.includes(Buffer.from('4d7a86', 'hex'))]).toEqual([motif, true])
  }
})

test('prices are sums that shops of a currency would write', () => {
  expect([priceIn('EUR', 11.5), priceIn('CLP', 11.5), priceIn('JPY', 8.5), priceIn('MXN', 8.5)]).toEqual([
    '11.5',
    '11500',
    '1360',
    '170',
  ])
})

describe('a filled store', () => {
  let stack: StoreStack
  let shop: TestStore
  const of = (text: string) => stack.sql(text, [shop.storeId])
  const words = async (text: string) => (await of(text)).map((row) => Object.values(row)[0])
  beforeAll(async () => {
    stack = await startStore()
    shop = await aFilledStore(stack)
  })
  afterAll(() => stack.close())

  test('has everything in every state', async () => {
    expect(await words('SELECT DISTINCT status FROM product WHERE store_id = $1 ORDER BY 1')).toEqual([
      'AVAILABLE',
      'DISABLED',
      'NOT_AVAILABLE',
    ])
    expect(await words('SELECT DISTINCT status FROM "order" WHERE store_id = $1 ORDER BY 1')).toEqual([
      'ABANDONED',
      'CANCELED',
      'PAID',
      'PENDING_PAYMENT',
    ])
    expect(await words('SELECT DISTINCT shipment_status FROM "order" WHERE store_id = $1 ORDER BY 1')).toEqual([
      'DELIVERED',
      'FAILED',
      'IN_TRANSIT',
      'PICKUP_AVAILABLE',
      'REQUESTED',
      'UNFULFILLED',
    ])
    expect(await words('SELECT DISTINCT status FROM product_review WHERE store_id = $1 ORDER BY 1')).toEqual([
      'PUBLISHED',
      'UNPUBLISHED',
      'UNREAD',
    ])
    const tables = [
      'location',
      'tax',
      'shipping_method',
      'payment_method',
      'page',
      'page_category',
      'customer',
      'customer_category',
    ]
    for (const table of [...tables, 'promotion', 'coupon', 'fulfillment', 'order_refund', 'order_refund_line', 'ledger_entry']) {
      expect([table, Number((await of(`SELECT count(*) FROM ${table} WHERE store_id = $1`))[0]?.count) > 0]).toEqual([
        table,
        true,
      ])
    }
    const depth = await of(`
      WITH RECURSIVE tree AS (
        SELECT id, 1 AS depth FROM product_category WHERE store_id = $1 AND parent_id IS NULL
        UNION ALL SELECT child.id, depth + 1 FROM product_category child JOIN tree ON child.parent_id = tree.id
      ) SELECT max(depth) FROM tree`)
    expect(depth).toEqual([{ max: 3 }])
  })

  test('counts the same stock everywhere: at locations, of variants, of products, and with what orders hold', async () => {
    expect(
      await of(`
        SELECT variant.sku, variant.stock, sum(level.stock) AS levels FROM product_variant variant
        JOIN inventory_level level ON level.store_id = variant.store_id AND level.variant_id = variant.id
        WHERE variant.store_id = $1 GROUP BY 1, 2 HAVING variant.stock <> sum(level.stock)`),
    ).toEqual([])
    const items = await of(`
      SELECT coalesce(variant.sku, product.sku) AS sku, sum(level.stock)::integer AS stock,
        (SELECT coalesce(sum(quantity), 0)::integer FROM stock_allocation held
          WHERE held.store_id = product.store_id AND held.product_id = product.id AND held.variant_id IS NOT DISTINCT FROM variant.id) AS held
      FROM product JOIN inventory_level level ON level.store_id = product.store_id AND level.product_id = product.id
      LEFT JOIN product_variant variant ON variant.store_id = product.store_id AND variant.id = level.variant_id
      WHERE product.store_id = $1 GROUP BY product.store_id, product.id, variant.id, variant.sku, product.sku`)
    const begun = sample.products.flatMap((product) => {
      const skus = variantsOf(product).map(({ sku }) => sku)
      return (skus.length > 0 ? skus : [product.sku]).map(
        (sku, at) => [sku, (product.stock[at]?.[0] ?? 0) + (product.stock[at]?.[1] ?? 0)] as const,
      )
    })
    expect(new Map(items.map(({ sku, stock, held }) => [sku, Number(stock) + Number(held)]))).toEqual(new Map(begun))
    expect(
      await of('SELECT count(DISTINCT location_id)::integer AS locations FROM inventory_level WHERE store_id = $1 AND stock > 0'),
    ).toEqual([{ locations: 2 }])
  })

  test('adds up: lines to orders, orders to what was paid, and payments and refunds to the ledger', async () => {
    expect(
      await of(`
        SELECT id FROM "order" WHERE store_id = $1 AND total <> subtotal + tax + shipping + shipping_tax - discount - shipping_discount - gift_cards_discount`),
    ).toEqual([])
    expect(
      await of(`
        SELECT own.id FROM "order" own JOIN order_line line ON line.store_id = own.store_id AND line.order_id = own.id
        WHERE own.store_id = $1 GROUP BY own.store_id, own.id, own.subtotal, own.tax HAVING sum(line.subtotal) <> own.subtotal OR sum(line.tax) <> own.tax`),
    ).toEqual([])
    const [sums] = await of(`
      SELECT sum(total) FILTER (WHERE EXISTS (SELECT FROM ledger_entry entry WHERE entry.store_id = own.store_id AND entry.order_id = own.id)) - sum(refunded) AS earned,
        sum(refunded) AS refunded, (SELECT sum(amount) FROM ledger_entry WHERE store_id = $1) AS ledger,
        (SELECT sum(amount) FROM order_refund WHERE store_id = $1) AS refunds, sum(shipping) AS shipping, sum(discount) AS discount
      FROM "order" own WHERE store_id = $1`)
    expect([sums?.ledger, sums?.refunds]).toEqual([sums?.earned, sums?.refunded])
    expect(Number(sums?.earned)).toBeGreaterThan(1_000)
    expect(Math.min(Number(sums?.shipping), Number(sums?.discount))).toBeGreaterThan(0)
    // Once per order that entered the code, whatever became of it but a cancellation.
    const entered = sample.orders.filter(({ coupon, ends }) => coupon && ends !== 'CANCELED' && ends !== 'ABANDONED').length
    expect(await of('SELECT times_used FROM coupon WHERE store_id = $1')).toEqual([{ times_used: entered }])
  })

  test('happened in order, and in the past', async () => {
    for (const table of ['"order"', 'order_history', 'ledger_entry', 'fulfillment', 'product', 'customer', 'product_review']) {
      const times = (await words(`SELECT created_at FROM ${table} WHERE store_id = $1 ORDER BY id`)).map((at) =>
        (at as Date).getTime(),
      )
      expect([table, times]).toEqual([table, times.toSorted((one, other) => one - other)])
      expect([table, Math.max(...times) <= Date.now()]).toEqual([table, true])
    }
    const numbers = (await words(`SELECT number FROM event WHERE topic = 'store:' || $1 ORDER BY number`)).map(Number)
    expect(numbers).toEqual(numbers.map((_, index) => index + 1))
    expect(await of(`SELECT DISTINCT payload->>'event' AS event FROM event WHERE topic = 'store:' || $1 ORDER BY 1`)).toEqual(
      expect.arrayContaining([
        { event: 'fulfillment_created' },
        { event: 'order_paid' },
        { event: 'order_shipped' },
        { event: 'product_created' },
      ]),
    )
  })

  test('has a picture of every product, whose bytes are kept', async () => {
    const keys = await words(`
      SELECT file.key FROM product LEFT JOIN product_image image ON image.store_id = product.store_id AND image.product_id = product.id
      LEFT JOIN file ON file.store_id = image.store_id AND file.id = image.file_id WHERE product.store_id = $1`)
    expect(keys.length).toBeGreaterThan(sample.products.length)
    for (const key of keys) {
      const stored = await stack.files.open(String(key))
      expect(stored && (await buffer(stored.body)).subarray(1, 4).toString()).toBe('PNG')
    }
  })

  test('stands anywhere: in its own country, with its own money', { timeout: 60_000 }, async () => {
    const chile = await aFilledStore(stack, 'CL')
    expect(
      await stack.sql(
        `SELECT DISTINCT address->>'city' AS city, address->>'country' AS country FROM location WHERE store_id = $1`,
        [chile.storeId],
      ),
    ).toEqual([{ city: 'Santiago', country: 'CL' }])
    const prices = await stack.sql(
      `SELECT DISTINCT currency, (min(total) OVER ())::numeric % 1 AS odd FROM "order" WHERE store_id = $1`,
      [chile.storeId],
    )
    expect(prices).toEqual([{ currency: 'CLP', odd: '0.0000' }])
  })
})

describe('all or nothing', () => {
  let stack: StoreStack
  const stores = async () => (await stack.sql('SELECT code FROM store ORDER BY id')).map(({ code }) => code)
  const bytes = () =>
    readdirSync(stack.files.local.folder, { recursive: true, withFileTypes: true }).filter(
      (each) => each.isFile() && each.name.endsWith('.png'),
    ).length
  /** Takes so many pictures, and then does something else. */
  const filesUntil = (limit: number, then: () => never | Promise<never>): Pick<Files, 'keepOwn' | 'delete'> => {
    let taken = 0
    return {
      delete: stack.files.delete,
      keepOwn: async (...given) => {
        taken += 1
        return taken > limit ? then() : stack.files.keepOwn(...given)
      },
    }
  }
  const full = (): never => {
    throw new Error('no space left on device')
  }
  beforeAll(async () => {
    stack = await startStore()
  })
  afterAll(() => stack.close())

  test('a sample that fails midway leaves neither a store nor the bytes of its pictures', async () => {
    const failing = { files: filesUntil(20, full), onProgress: () => {} }
    const creating = withStores(stack.database.connection, (all) =>
      all.create({ name: 'Half done', country: 'IE', isPaid: true, sample: failing }),
    )
    await expect(creating).rejects.toThrow('no space left')
    expect([await stores(), bytes()]).toEqual([[], 0])
  })

  test('a server that stops while it sets up the demo store leaves nothing, and so does one that cannot', {
    timeout: 60_000,
  }, async () => {
    const half: string[] = []
    const stopped = seedStore(stack.database.connection, {
      files: filesUntil(
        20,
        () =>
          new Promise<never>((_, fail) =>
            setImmediate(() => {
              half.push('reached')
              fail(new Error('stopped'))
            }),
          ),
      ),
      log: NO_LOG,
    })
    await expect.poll(() => half, PATIENT).toEqual(['reached'])
    await stopped()
    const lines: string[] = []
    const failed = seedStore(stack.database.connection, {
      files: filesUntil(20, full),
      log: pino({}, { write: (line) => void lines.push(line) }),
    })
    await expect.poll(() => lines.join(), PATIENT).toContain('the demo store could not be set up')
    await failed()
    expect([await stores(), bytes()]).toEqual([[], 0])
  })

  test('two first starts at once make one demo store, and a later one none', { timeout: 60_000 }, async () => {
    const { connection } = stack.database
    const both = [0, 1].map(() => seedStore(connection, { files: stack.files, log: NO_LOG }))
    await expect.poll(stores, PATIENT).toEqual(['demo'])
    await Promise.all(both.map((stop) => stop()))
    expect(await stores()).toEqual(['demo'])
    expect(await stack.sql('SELECT is_sample FROM store')).toEqual([{ is_sample: true }])
    const { data } = await stack.ask(ANONYMOUS, '{ storefront(store: "demo") { sampleOrder { total } } }')
    expect(data.storefront.sampleOrder).toEqual({ total: expect.any(String) })
    const products = await stack.sql('SELECT count(*)::integer AS count FROM product')
    expect(products).toEqual([{ count: sample.products.length }])

    await stack.sql('DELETE FROM product')
    const lines: string[] = []
    await seedStore(connection, { files: stack.files, log: pino({}, { write: (line) => void lines.push(line) }) })()
    expect([await stores(), await stack.sql('SELECT id FROM product'), lines]).toEqual([['demo'], [], []])
  })
})
