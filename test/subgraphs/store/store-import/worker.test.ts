import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../../../platform/secrets/cipher.ts'
import { DEFAULT_STORE_QUOTAS } from '../../../../subgraphs/store/quota/quota.ts'
import { runStoreImport, type StoreImportDeps } from '../../../../subgraphs/store/store-import/worker.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import { write } from '../../../../subgraphs/store/write.ts'
import { type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { type ImportOptions, storeImports } from './support.ts'

const now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let imports: ReturnType<typeof storeImports>
let database: ReturnType<typeof openDatabase<Tables>>
let deps: StoreImportDeps
beforeAll(async () => {
  stack = await startStore(() => now)
  imports = storeImports(stack)
  database = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 4, onError: () => {} })
  const { query } = database
  deps = {
    ...{ database: query, quotas: DEFAULT_STORE_QUOTAS, publicUrl: (key) => key, log: pino({ level: 'silent' }), now: () => now },
    writeStore: (storeId, change) =>
      write(
        query,
        { storeId, now, announce: async () => {}, secrets: PLAIN_SECRETS, by: null },
        { name: 'import', input: null, key: null },
        change,
      ),
  }
})
afterAll(async () => {
  await database?.close()
  await stack?.close()
})

/** A queued import that only this test runs. */
async function taken(shop: TestStore, file: string, options: ImportOptions = {}) {
  const id = await imports.queue(shop, file, options, (number) =>
    stack.sql(`UPDATE store_import SET leased_until = '2099-01-01' WHERE id = $1`, [number]),
  )
  await stack.sql(`UPDATE store_import SET status = 'RUNNING' WHERE id = $1`, [id])
  return { storeId: shop.storeId, id: Number(id), attempts: 1 }
}

const NEVER = new AbortController().signal

describe('a run of an import', () => {
  test.each([false, true])('writes nothing of a chunk that another process has written, dry run: %s', async (isDryRun) => {
    const shop = await stack.aStore()
    const rows = Array.from({ length: 160 }, (_, index) => `r-${index},Product ${index}`)
    const own = await taken(shop, `Handle,Title\n${rows.join('\n')}\n`, { isDryRun })
    let isFirst = true
    const slow: StoreImportDeps = {
      ...deps,
      // Before the first chunk of this process is written, another one writes it, and stops.
      async writeStore(storeId, change) {
        if (isFirst) {
          isFirst = false
          const stop = new AbortController()
          const other: StoreImportDeps['writeStore'] = (store, changing) => {
            stop.abort()
            return deps.writeStore(store, changing)
          }
          await runStoreImport({ ...deps, writeStore: other }, own, stop.signal)
        }
        return deps.writeStore(storeId, change)
      },
    }
    await runStoreImport(slow, own, NEVER)
    await stack.subgraph.runStoreImports()
    const done = await imports.until(shop, String(own.id), ({ status }) => status === 'COMPLETED')
    expect(done).toMatchObject({ processed: 160, created: 160, skipped: 0, failed: 0 })
  })

  test('writes a chunk after a million characters: memory holds a few long objects', async () => {
    const shop = await stack.aStore()
    const lines = Array.from({ length: 6 }, (_, index) => JSON.stringify({ permalink: `l-${index}`, x: 'y'.repeat(400_000) }))
    const own = await taken(shop, lines.join('\n'), { format: 'JSON_LINES' })
    let chunks = 0
    await runStoreImport(
      {
        ...deps,
        writeStore(storeId, change) {
          chunks += 1
          return deps.writeStore(storeId, change)
        },
      },
      own,
      NEVER,
    )
    expect(await imports.find(shop, String(own.id))).toMatchObject({ status: 'COMPLETED', failed: 6 })
    // Three objects each, and the end.
    expect(chunks).toBe(3)
  })

  test('leaves the stock that orders took while it ran', async () => {
    const shop = await stack.aStore()
    const file = (price: number) =>
      `Handle,Title,Option1 Name,Option1 Value,Variant Price${price === 1 ? ',Variant Inventory Tracker,Variant Inventory Qty' : ''}\nshirt,Shirt,Size,S,${price}${price === 1 ? ',shopify,5' : ''}\n`
    expect(await imports.run(shop, file(1))).toMatchObject({ created: 1 })
    // An order takes a unit after the product was read, and before its variants are written.
    await stack.sql(`CREATE FUNCTION store.sell() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE store.product_variant SET stock = stock - 1 WHERE product_id = NEW.id; RETURN NEW; END $$`)
    await stack.sql(
      `CREATE TRIGGER sell AFTER UPDATE OF name ON store.product FOR EACH ROW WHEN (NEW.store_id = ${shop.storeId}) EXECUTE FUNCTION store.sell()`,
    )
    expect(await imports.run(shop, file(2), { overwrite: true })).toMatchObject({ updated: 1 })
    await stack.sql('DROP TRIGGER sell ON store.product')
    await stack.sql('DROP FUNCTION store.sell()')
    const { data } = await stack.ask(shop, '{ products { nodes { variants { price stock } } } }')
    expect(data.products.nodes).toEqual([{ variants: [{ price: '2', stock: 4 }] }])
  })

  test('refuses an address that cannot be stored by its row, and writes the other customers', async () => {
    const shop = await stack.aStore()
    const lines = [{ email: 'ann@example.org' }, { email: 'a\0nn@example.org' }, { email: 'a\ud800@example.org' }]
    const run = await imports.run(shop, lines.map((line) => JSON.stringify(line)).join('\n'), {
      ...{ kind: 'CUSTOMERS', format: 'JSON_LINES' },
    })
    expect(run).toMatchObject({ status: 'COMPLETED', created: 1, failed: 2 })
    expect(run.errors.nodes.map(({ row, column }: { row: number; column: string }) => `${row} ${column}`)).toEqual([
      ...['2 email', '3 email'],
    ])
  })

  test('keeps customers out of the log when the database refuses a chunk', async () => {
    const shop = await stack.aStore()
    const own = await taken(shop, 'Email\nsecret.person@example.org\n', { kind: 'CUSTOMERS' })
    await stack.sql(`ALTER TABLE store.customer ADD CONSTRAINT refused CHECK (store_id <> ${shop.storeId})`)
    const lines: string[] = []
    await runStoreImport({ ...deps, log: pino({}, { write: (line: string) => void lines.push(line) }) }, own, NEVER)
    await stack.sql('ALTER TABLE store.customer DROP CONSTRAINT refused')
    expect(lines.join()).toContain('refused')
    expect(lines.join()).not.toContain('secret.person')
  })

  test.each([
    ['PRODUCTS', 'Handle,Title,Tags', 'many,Many', 'product_category'],
    ['CUSTOMERS', 'Email,First Name,Tags', 'many@example.org,Many', 'customer_category'],
  ] as const)('of %s refuses more than 250 categories in a cell', async (kind, header, cells, table) => {
    const shop = await stack.aStore()
    const tags = Array.from({ length: 251 }, (_, index) => `tag ${index}`)
    const run = await imports.run(shop, `${header}\n${cells},"${tags.join(',')}"\n`, { kind })
    expect(run).toMatchObject({ status: 'COMPLETED', created: 0, failed: 1 })
    expect(run.errors.nodes).toEqual([
      { row: 2, column: 'Tags', message: 'Expected "Tags" to be a list of at most 250, got 251.' },
    ])
    expect(await stack.sql(`SELECT 1 FROM store.${table} WHERE store_id = $1`, [shop.storeId])).toEqual([])
  })

  test('refuses more variants than a product may have', async () => {
    const shop = await stack.aStore()
    const rows = Array.from(
      { length: 501 },
      (_, index) =>
        `many,${index === 0 ? 'Many,Size' : ','},S${index % 250},${index === 0 ? 'Colour' : ''},C${Math.floor(index / 250)},1`,
    )
    const header = 'Handle,Title,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Variant Price'
    const run = await imports.run(shop, `${header}\n${rows.join('\n')}\n`)
    expect(run).toMatchObject({ status: 'COMPLETED', created: 0, failed: 1 })
    expect(run.errors.nodes[0].message).toContain('a list of at most 500')
  })
})
