import pino from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../../../platform/secrets/cipher.ts'
import { csvField } from '../../../../platform/text/csv.ts'
import { DEFAULT_STORE_QUOTAS } from '../../../../subgraphs/store/quota/quota.ts'
import { storeImportRepository } from '../../../../subgraphs/store/store-import/repository.ts'
import { runStoreImport, type StoreImportDeps } from '../../../../subgraphs/store/store-import/worker.ts'
import type { Tables } from '../../../../subgraphs/store/tables.ts'
import { write } from '../../../../subgraphs/store/write.ts'
import { agreedApp } from '../support/app.ts'
import { ANONYMOUS, type StoreStack, startStore, type TestStore } from '../support/store.ts'
import { storeImports } from './support.ts'

let now = new Date('2026-11-20T09:00:00Z')
let stack: StoreStack
let imports: ReturnType<typeof storeImports>
beforeAll(async () => {
  stack = await startStore(() => now)
  imports = storeImports(stack)
})
afterAll(() => stack.close())

/** As Shopify's own template: two variants with images, a product without options, another hidden. */
const SHOPIFY = [
  'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value,Option3 Name,Option3 Value,Variant SKU,Variant Grams,Variant Inventory Tracker,Variant Inventory Qty,Variant Inventory Policy,Variant Fulfillment Service,Variant Price,Variant Compare At Price,Variant Requires Shipping,Variant Taxable,Variant Barcode,Image Src,Image Position,Image Alt Text,Gift Card,SEO Title,SEO Description,Google Shopping / Google Product Category,Variant Image,Variant Weight Unit,Cost per item,Status',
  'linen-shirt,Linen Shirt,"<p>Soft, ""stonewashed""</p>",Casa,Apparel,Shirts,"summer, linen",TRUE,Size,S,Colour,Blue,,,LS-S-B,250,shopify,5,deny,manual,39.90,49.90,TRUE,TRUE,560001,https://cdn.example/a.jpg,1,Front,FALSE,Linen shirt,Soft shirt,Apparel > Shirts,,g,12.50,active',
  'linen-shirt,,,,,,,,,M,,Blue,,,LS-M-B,260,shopify,0,deny,manual,41.90,,TRUE,TRUE,560002,https://cdn.example/b.jpg,2,,,,,,,g,,',
  'linen-shirt,,,,,,,,,,,,,,,,,,,,,,,,,https://cdn.example/c.jpg,3,Back,,,,,,,,',
  'mug,Mug,,Casa,,,,TRUE,Title,Default Title,,,,,MUG,400,,,continue,manual,8.5,,TRUE,TRUE,,,,,FALSE,,,,,g,,active',
  'card,Card,,,,,,FALSE,Title,Default Title,,,,,CARD,0,shopify,10,deny,manual,25,,FALSE,TRUE,,,,,TRUE,,,,,g,,draft',
].join('\r\n')

describe('a file of Shopify', () => {
  test('becomes products with options, variants, stock, categories and addresses of images', async () => {
    const shop = await stack.aStore()
    expect(await imports.run(shop, SHOPIFY)).toMatchObject({
      ...{ status: 'COMPLETED', processed: 3, created: 3, updated: 0, skipped: 0, failed: 0, failure: null },
      errors: { totalCount: 0 },
    })
    const { data } = await stack.ask(
      shop,
      `{ products { nodes { name permalink description brand type status price compareAtPrice weight stock stockUnlimited sku shippingRequired pageTitle
        categories { name } options { name values { name } } variants { price stock sku barcode options { name value } } images { url } } } }`,
    )
    expect(data.products.nodes).toMatchObject([
      {
        ...{ name: 'Linen Shirt', permalink: 'linen-shirt', description: '<p>Soft, "stonewashed"</p>', brand: 'Casa' },
        ...{ status: 'AVAILABLE', price: '39.9', weight: '0.25', pageTitle: 'Linen shirt', images: [] },
        categories: [{ name: 'linen' }, { name: 'Shirts' }, { name: 'summer' }],
        options: [
          { name: 'Size', values: [{ name: 'S' }, { name: 'M' }] },
          { name: 'Colour', values: [{ name: 'Blue' }] },
        ],
        variants: [
          { price: '39.9', stock: 5, sku: 'LS-S-B', barcode: '560001' },
          { price: '41.9', stock: 0, sku: 'LS-M-B', barcode: '560002' },
        ],
      },
      { name: 'Mug', price: '8.5', weight: '0.4', stockUnlimited: true, sku: 'MUG', status: 'AVAILABLE', variants: [] },
      { name: 'Card', type: 'GIFT_CARD', status: 'DISABLED', stock: 10, shippingRequired: false },
    ])
    const urls = await stack.sql('SELECT url, alt FROM store.product_image_url WHERE store_id = $1 ORDER BY position', [
      shop.storeId,
    ])
    expect(urls).toEqual([
      { url: 'https://cdn.example/a.jpg', alt: 'Front' },
      { url: 'https://cdn.example/b.jpg', alt: null },
      { url: 'https://cdn.example/c.jpg', alt: 'Back' },
    ])
    const found = await stack.ask(shop, '{ products(search: { query: "stonewashed" }) { totalCount } }')
    expect(found.data.products.totalCount).toBe(1)
  })

  test('is written in the same form, and its own export changes nothing', async () => {
    const shop = await stack.aStore()
    await imports.run(shop, SHOPIFY)
    const csv = await imports.export(shop, 'PRODUCTS', 'CSV')
    const [header = '', first = ''] = csv.split('\r\n')
    expect(header.startsWith('Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name')).toBe(true)
    expect(first).toContain('linen-shirt,Linen Shirt,"<p>Soft, ""stonewashed""</p>",Casa,')
    expect(csv.split('\r\n')).toHaveLength(7)
    expect(await imports.run(shop, csv, { overwrite: true })).toMatchObject({
      status: 'COMPLETED',
      skipped: 3,
      updated: 0,
      failed: 0,
    })
    const other = await stack.aStore()
    await imports.run(other, csv)
    expect(await imports.export(other, 'PRODUCTS', 'CSV')).toBe(csv)
  })

  test('changes products that exist only when it is to overwrite them, and then only what it says', async () => {
    const shop = await stack.aStore()
    await imports.run(shop, SHOPIFY)
    const change =
      'Handle,Option1 Value,Option2 Value,Variant Price,Option1 Name,Option2 Name\nlinen-shirt,S,Blue,45,Size,Colour\nlinen-shirt,L,Blue,47,,\n'
    expect(await imports.run(shop, change)).toMatchObject({ skipped: 1, updated: 0 })
    expect(await imports.run(shop, change, { overwrite: true })).toMatchObject({ skipped: 0, updated: 1, failed: 0 })
    const { data } = await stack.ask(
      shop,
      '{ products(first: 1) { nodes { name brand variants { price stock sku options { value } } } } }',
    )
    expect(data.products.nodes[0]).toMatchObject({
      ...{ name: 'Linen Shirt', brand: 'Casa' },
      variants: [
        { price: '45', stock: 5, sku: 'LS-S-B' },
        { price: '41.9', stock: 0, sku: 'LS-M-B' },
        { price: '47', stock: 0, sku: null },
      ],
    })
  })
})

describe('JSON lines', () => {
  test('of a store, imported into an empty one, are exported byte by byte as they were', async () => {
    const [shop, other] = [await stack.aStore(), await stack.aStore()]
    const languages = `INSERT INTO store.store_language (store_id, code) VALUES ($1, 'fr')`
    for (const { storeId } of [shop, other]) await stack.sql(languages, [storeId])
    await imports.run(shop, SHOPIFY)
    const make = async (input: object) => {
      const { data } = await stack.ask(
        shop,
        'mutation ($input: CreateProductInput!) { result: createProduct(input: $input) { ... on CreateProductSuccess { product { id } } } }',
        { input },
      )
      return data.result.product.id as string
    }
    const id = await make({ name: '=cmd|calc', price: '12.3456', discount: '1.5', weight: '0.001', minimumQuantity: 2, stock: 7 })
    await stack.ask(
      shop,
      'mutation ($id: ID!) { updateProduct(id: $id, input: { locale: "fr", name: "Ça", permalink: "ca" }) { __typename } }',
      { id },
    )
    await stack.sql(
      `INSERT INTO store.product_category (store_id, name, permalink, created_at, updated_at) VALUES ($1, 'Home', 'maison', now(), now())`,
      [shop.storeId],
    )
    await stack.sql(
      `INSERT INTO store.product_category (store_id, parent_id, name, permalink, created_at, updated_at)
        SELECT store_id, id, 'Kitchen, all', 'cuisine', now(), now() FROM store.product_category WHERE store_id = $1 AND permalink = 'maison'`,
      [shop.storeId],
    )
    await stack.sql(
      `INSERT INTO store.product_category_member (store_id, category_id, product_id)
        SELECT category.store_id, category.id, product.id FROM store.product_category category JOIN store.product USING (store_id)
        WHERE store_id = $1 AND category.permalink = 'cuisine' AND product.permalink = 'mug'`,
      [shop.storeId],
    )
    const lines = await imports.export(shop, 'PRODUCTS', 'JSON_LINES', 2)
    expect(lines.split('\n')).toHaveLength(5)
    expect(await imports.run(other, lines, { format: 'JSON_LINES' })).toMatchObject({
      status: 'COMPLETED',
      created: 4,
      failed: 0,
    })
    expect(await imports.export(other, 'PRODUCTS', 'JSON_LINES')).toBe(lines)
    expect(await imports.run(other, lines, { format: 'JSON_LINES', overwrite: true })).toMatchObject({ skipped: 4, updated: 0 })
  })

  test('of customers come back byte by byte, without passwords', async () => {
    const [shop, other] = [await stack.aStore(), await stack.aStore()]
    const csv = `First Name,Last Name,Email,Accepts Email Marketing,Default Address Address1,Default Address City,Default Address Province Code,Default Address Country Code,Default Address Zip,Phone,Tags
Ana,Silva,Ana@example.org,yes,Rua 1,Porto,13,PT,4000-001,'+351912345678,"vip, retail"
Bo,,bo@example.org,no,,,,,,,
`
    expect(await imports.run(shop, csv, { kind: 'CUSTOMERS' })).toMatchObject({ status: 'COMPLETED', created: 2, failed: 0 })
    const lines = await imports.export(shop, 'CUSTOMERS', 'JSON_LINES', 1)
    expect(lines).not.toContain('password')
    expect(JSON.parse(lines.split('\n')[0] ?? '')).toMatchObject({
      ...{ email: 'Ana@example.org', phone: '+351912345678', acceptsMarketing: true },
      billingAddress: { name: 'Ana', surname: 'Silva', address: 'Rua 1', city: 'Porto', country: 'PT' },
      categories: [{ name: 'retail', code: 'retail' }, { name: 'vip' }],
    })
    expect(await imports.run(other, lines, { kind: 'CUSTOMERS', format: 'JSON_LINES' })).toMatchObject({ created: 2, failed: 0 })
    expect(await imports.export(other, 'CUSTOMERS', 'JSON_LINES')).toBe(lines)
    const own = await imports.export(shop, 'CUSTOMERS', 'CSV')
    expect(own).toContain(",'+351912345678,")
    expect(await imports.run(shop, own, { kind: 'CUSTOMERS', overwrite: true })).toMatchObject({
      skipped: 2,
      updated: 0,
      failed: 0,
    })
  })
})

describe('an import', () => {
  test('in a dry run says what it would do, and writes nothing', async () => {
    const shop = await stack.aStore()
    expect(await imports.run(shop, SHOPIFY, { isDryRun: true })).toMatchObject({ status: 'COMPLETED', created: 3, failed: 0 })
    expect(await imports.export(shop, 'PRODUCTS', 'JSON_LINES')).toBe('')
  })

  test('names row, column and expectation of what is wrong, and writes the rest', async () => {
    const shop = await stack.aStore()
    const csv = `Handle,Title,Variant Price,Variant Inventory Qty,Status,Option1 Name,Option1 Value,Image Src
good,Good,1,1,active,,,
negative,Negative,-1,1,active,,,
huge,Huge,1,10000000000,active,,,
most,Most,1,2000000000,active,,,
strange,Strange,1,1,sleeping,,,
nameless,,1,1,active,,,
,No handle,1,1,active,,,
two,Two,1,1,active,Size,S,
two,,2,1,,,S,
file,File,1,1,active,,,file:///etc/passwd
good,Again,1,1,active,,,
"=HYPERLINK(""x"")","=1+1",1,1,active,,,
`
    const run = await imports.run(shop, csv)
    expect(run).toMatchObject({ status: 'COMPLETED', created: 2 })
    const errors = run.errors.nodes.map(({ row, column, message }: { row: number; column: string; message: string }) => [
      row,
      column,
      message.slice(0, 60),
    ])
    expect(errors.slice(0, 3)).toEqual([
      [3, 'Variant Price', 'Expected "Variant Price" to be a decimal number of 0 or more'],
      [4, 'Variant Inventory Qty', 'Expected "Variant Inventory Qty" to be a whole number of at '],
      [5, 'Variant Inventory Qty', expect.stringContaining('Expected "Variant Inventory Qty" to be 0 to ')],
    ])
    expect(errors.map(([row, column]: unknown[]) => `${row} ${column}`)).toEqual([
      ...['3 Variant Price', '4 Variant Inventory Qty', '5 Variant Inventory Qty', '6 Status', '7 Title'],
      ...['8 Handle', '10 Option1 Value', '11 Image Src', '12 '],
    ])
    const { data } = await stack.ask(shop, '{ products { nodes { name permalink } } }')
    expect(data.products.nodes).toEqual([
      { name: 'Good', permalink: 'good' },
      { name: '=1+1', permalink: 'hyperlink-x' },
    ])
  })

  test.each([
    ['a ZIP archive', Buffer.from('504b0304140000000800', 'hex'), 'ZIP archive'],
    ['UTF-16', Buffer.from('\ufeffHandle,Title\n', 'utf16le'), 'UTF-16'],
    ['Latin-1', Buffer.from('Handle,Title\na,caf\u00e9\n', 'latin1'), 'UTF-8'],
    ['a NUL', Buffer.from('Handle,Title\na,b\0\n'), 'NUL'],
    ['no handle', Buffer.from('Title,Price\na,1\n'), '"Handle"'],
    ['nothing but blank lines', Buffer.from('\n\n'), '"Handle"'],
    ['a column twice', Buffer.from('Handle,Title,Title\na,b,c\n'), 'once'],
    ['an open quote', Buffer.from('Handle,Title\na,"b\n'), 'quotes'],
    ['too many cells', Buffer.from('Handle,Title\na,b,c\n'), 'cells'],
    ['a row of 3 MB', Buffer.from(`Handle,Title\na,${'x'.repeat(3_000_000)}\n`), '1,000,000 characters in row 2'],
    ['a quoted row of 3 MB', Buffer.from(`Handle,Title\na,"${'x\n'.repeat(1_500_000)}"\n`), '1,000,000 characters in row 2'],
  ])('of %s fails and says why', async (_, file, reason) => {
    const run = await imports.run(await stack.aStore(), file)
    expect(run).toMatchObject({ status: 'FAILED', created: 0 })
    expect(run.failure).toContain(reason)
  })

  test('reads a byte order mark, mixed line ends, quotes over lines and cells that are missing', async () => {
    const shop = await stack.aStore()
    const csv = '\ufeffHandle,Title,Body (HTML),Vendor\r\na,"A, ""b""","one\r\ntwo"\n\nb,B,,V\r\n'
    expect(await imports.run(shop, csv)).toMatchObject({ status: 'COMPLETED', created: 2, failed: 0 })
    const { data } = await stack.ask(shop, '{ products { nodes { name description brand } } }')
    expect(data.products.nodes).toEqual([
      { name: 'A, "b"', description: 'one\r\ntwo', brand: null },
      { name: 'B', description: null, brand: 'V' },
    ])
  })

  test('refuses lines that are no such object, each by its row', async () => {
    const shop = await stack.aStore()
    const lines = [
      '{"permalink":"a","name":"A"}',
      '{"permalink":"b","name":"B",',
      '[1]',
      '{"permalink":"c","name":"C","price":-1}',
      '{"permalink":"d","name":"D","options":{"__proto__":[]}}',
      '{"permalink":"e","name":"E","price":"1","colour":"red"}',
      '{"permalink":"f","name":"F","stock":2e9}',
      `{"permalink":"g","name":"G","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    ].join('\n')
    const run = await imports.run(shop, lines, { format: 'JSON_LINES' })
    expect(run).toMatchObject({ status: 'COMPLETED', created: 1, failed: 7 })
    expect(run.errors.nodes.map(({ row, column }: { row: number; column: string }) => `${row} ${column}`)).toEqual([
      ...['2 ', '3 permalink', '4 price', '5 options', '6 ', '7 stock', '8 '],
    ])
  })

  test('goes on behind the chunk that a dead process wrote last: nothing twice, nothing lost', async () => {
    const shop = await stack.aStore()
    const rows = Array.from({ length: 120 }, (_, index) => `p-${index},Product ${index},${index}`)
    const id = await imports.queue(shop, `Handle,Title,Variant Price\n${rows.join('\n')}\n`)
    // The database refuses the second chunk, as if the process died in it.
    await stack.sql(`CREATE FUNCTION store.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'gone'; END $$`)
    await stack.sql(
      `CREATE TRIGGER refuse BEFORE INSERT ON store.product FOR EACH ROW WHEN (NEW.permalink = 'p-70') EXECUTE FUNCTION store.refuse()`,
    )
    await stack.subgraph.runStoreImports()
    const stopped = await imports.until(shop, id, ({ processed }) => processed === 50)
    expect(stopped).toMatchObject({ status: 'RUNNING', created: 50 })
    await stack.sql('DROP TRIGGER refuse ON store.product')
    await stack.sql('DROP FUNCTION store.refuse()')
    // Its lease has not ended.
    await stack.subgraph.runStoreImports()
    expect(await imports.find(shop, id)).toMatchObject({ status: 'RUNNING', processed: 50 })
    now = new Date(now.getTime() + 61_000)
    await stack.subgraph.runStoreImports()
    const done = await imports.until(shop, id, ({ status }) => status !== 'RUNNING')
    expect(done).toMatchObject({ status: 'COMPLETED', processed: 120, created: 120, skipped: 0, failed: 0 })
    expect(done.bytesRead).toBe(done.byteCount)
    const { data } = await stack.ask(shop, '{ products { totalCount } }')
    expect(data.products.totalCount).toBe(120)
    expect(await stack.sql('SELECT 1 FROM store.store_import_piece WHERE store_id = $1', [shop.storeId])).toEqual([])
  })

  test('writes each chunk once, also when two processes believe to run it', async () => {
    const shop = await stack.aStore()
    const rows = Array.from({ length: 160 }, (_, index) => `q-${index},Product ${index}`)
    // Only the two below run it.
    const id = await imports.queue(shop, `Handle,Title\n${rows.join('\n')}\n`, {}, (number) =>
      stack.sql(`UPDATE store_import SET leased_until = '2099-01-01' WHERE id = $1`, [number]),
    )
    await stack.sql(`UPDATE store_import SET status = 'RUNNING' WHERE id = $1`, [id])
    const { query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 4, onError: () => {} })
    const deps: StoreImportDeps = {
      ...{
        database: query,
        quotas: DEFAULT_STORE_QUOTAS,
        publicUrl: (key) => key,
        log: pino({ level: 'silent' }),
        now: () => now,
      },
      writeStore: (storeId, change) =>
        write(
          query,
          { storeId, now, announce: async () => {}, secrets: PLAIN_SECRETS, by: null },
          { name: 'import', input: null, key: null },
          change,
        ),
    }
    const run = () => runStoreImport(deps, { storeId: shop.storeId, id: Number(id), attempts: 1 }, new AbortController().signal)
    await Promise.all([run(), run()])
    expect(await imports.find(shop, id)).toMatchObject({ status: 'COMPLETED', created: 160, skipped: 0, processed: 160 })
    await close()
  })

  test('takes each piece once, in order, and ends when it is canceled', async () => {
    const shop = await stack.aStore()
    const { storeImport } = await imports.create(shop, { fileName: 'a.csv' })
    const id = String(storeImport.number)
    const [one, two] = [Buffer.from('Handle,Title\n'), Buffer.from('a,A\n')]
    expect(await imports.start(shop, id)).toMatchObject({ __typename: 'ValidationError' })
    expect(await imports.append(shop, id, 5, one)).toMatchObject({ __typename: 'ConflictError' })
    expect(await imports.append(shop, id, 0, one)).toMatchObject({ storeImport: { byteCount: one.length } })
    expect(await imports.append(shop, id, 0, one)).toMatchObject({ storeImport: { byteCount: one.length } })
    expect(await imports.append(shop, id, 0, two)).toMatchObject({ __typename: 'ConflictError' })
    expect(await imports.append(shop, id, one.length, 'no base64!')).toMatchObject({
      __typename: 'ValidationError',
      field: 'bytes',
    })
    expect(await imports.append(shop, id, one.length, Buffer.alloc(65_537))).toMatchObject({ __typename: 'ValidationError' })
    expect(await imports.append(shop, id, one.length, two)).toMatchObject({ storeImport: { byteCount: one.length + two.length } })
    expect(await imports.cancel(shop, id)).toMatchObject({ storeImport: { status: 'CANCELED' } })
    expect(await imports.start(shop, id)).toMatchObject({ __typename: 'ConflictError' })
    expect(await imports.append(shop, id, 0, one)).toMatchObject({ __typename: 'ConflictError' })
    await stack.subgraph.runStoreImports()
    expect(await imports.find(shop, id)).toMatchObject({ status: 'CANCELED', created: 0 })
  })

  test('is one of five open ones, of a file of at most 100 MB', async () => {
    const shop = await stack.aStore()
    for (let count = 0; count < 5; count += 1)
      expect(await imports.create(shop, {})).toMatchObject({ __typename: 'StoreImportSuccess' })
    expect(await imports.create(shop, {})).toMatchObject({
      __typename: 'ConflictError',
      message: expect.stringContaining('at most 5'),
    })
    const other = await stack.aStore()
    const { storeImport } = await imports.create(other, {})
    await stack.sql('UPDATE store.store_import SET byte_count = 99999999 WHERE id = $1', [storeImport.number])
    expect(await imports.append(other, String(storeImport.number), 99_999_999, Buffer.from('ab'))).toMatchObject({
      ...{ __typename: 'ValidationError', message: expect.stringContaining('100000000 bytes') },
    })
  })

  test('belongs to the owner of its store: not to apps, other stores and strangers', async () => {
    const [shop, other] = [await stack.aStore(), await stack.aStore()]
    const { storeImport } = await imports.create(shop, {})
    const id = String(storeImport.number)
    expect(await imports.find(other, id)).toBeNull()
    expect(await imports.cancel(other, id)).toMatchObject({ __typename: 'NotFoundError' })
    const app = await agreedApp(stack, shop)
    for (const who of [app.caller, ANONYMOUS]) {
      const { errors } = await stack.ask(who, '{ storeExport(kind: CUSTOMERS, format: CSV) { text } }')
      expect(errors?.[0]?.extensions.code).toBe(who === ANONYMOUS ? 'UNAUTHENTICATED' : 'FORBIDDEN')
      const made = await stack.ask(who, 'mutation { createStoreImport(input: { kind: PRODUCTS, format: CSV }) { __typename } }')
      expect(made.errors?.[0]?.extensions.code).toBe(who === ANONYMOUS ? 'UNAUTHENTICATED' : 'FORBIDDEN')
    }
  })

  test('is deleted after 30 days, and its file after a day without a start', async () => {
    const shop = await stack.aStore()
    const { storeImport: waiting } = await imports.create(shop, {})
    const done = await imports.run(shop, 'Handle,Title\na,A\n')
    const { query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
    const repository = storeImportRepository(query)
    await repository.deleteOld({ ended: new Date(now.getTime() - 1), abandoned: new Date(now.getTime() - 1) })
    expect(await imports.find(shop, String(waiting.number))).toMatchObject({ status: 'RECEIVING' })
    await repository.deleteOld({ ended: new Date(now.getTime() - 1), abandoned: new Date(now.getTime() + 1) })
    expect(await imports.find(shop, String(waiting.number))).toBeNull()
    expect(await imports.find(shop, String(done.number))).toMatchObject({ status: 'COMPLETED' })
    await repository.deleteOld({ ended: new Date(now.getTime() + 1), abandoned: new Date(0) })
    expect(await imports.find(shop, String(done.number))).toBeNull()
    await close()
  })
})

describe('an export', () => {
  test('keeps formulas from spreadsheets, and comes back as it was', async () => {
    const [shop, other] = [await stack.aStore(), await stack.aStore()]
    for (const name of ['=1+1', '@SUM(A1)', '+cmd', '-2', "'=quoted", '\tx'])
      await stack.ask(
        shop,
        'mutation ($name: String!) { createProduct(input: { name: $name, price: "1", brand: $name }) { __typename } }',
        { name },
      )
    const csv = await imports.export(shop, 'PRODUCTS', 'CSV')
    const cells = csv
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[1] ?? '')
    for (const cell of cells.filter((each) => each !== '')) expect(cell).not.toMatch(/^"?[=+@\t\r-]/)
    expect(csv).toContain(csvField('=1+1'))
    await imports.run(other, csv)
    const names = async (who: TestStore) =>
      (await stack.ask(who, '{ products { nodes { name } } }')).data.products.nodes.map((each: { name: string }) =>
        each.name.trim(),
      )
    expect(await names(other)).toEqual(await names(shop))
  })

  test('of long texts has shorter pages, and is whole', async () => {
    const shop = await stack.aStore()
    const rows = Array.from({ length: 60 }, (_, index) => `long-${index},Long ${index}`)
    expect(await imports.run(shop, `Handle,Title\n${rows.join('\n')}\n`)).toMatchObject({ created: 60 })
    await stack.sql(`UPDATE store.product SET description = repeat('x', 50000) WHERE store_id = $1`, [shop.storeId])
    const { data } = await stack.ask(
      shop,
      '{ storeExport(kind: PRODUCTS, format: JSON_LINES, first: 250) { text hasNextPage endCursor } }',
    )
    expect(data.storeExport.text.split('\n')).toHaveLength(51)
    expect(data.storeExport.hasNextPage).toBe(true)
    const lines = (await imports.export(shop, 'PRODUCTS', 'JSON_LINES', 250)).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).permalink)).toEqual(rows.map((row) => row.split(',')[0]))
  })

  test('of orders has no carts that were left', async () => {
    const shop = await stack.aStore()
    const { data } = await stack.ask(
      shop,
      'mutation { createProduct(input: { name: "Lamp", price: "10", stock: 9 }) { ... on CreateProductSuccess { product { id } } } }',
    )
    for (const status of ['ABANDONED', 'PAID'])
      await stack.ask(
        shop,
        `mutation ($id: ID!) { createOrder(input: { status: ${status}, customer: { email: "a@example.org" }, lines: [{ productId: $id, quantity: 1 }] }) { __typename } }`,
        { id: data.createProduct.product.id },
      )
    expect(await stack.sql('SELECT status FROM store."order" WHERE store_id = $1 ORDER BY id', [shop.storeId])).toEqual([
      { status: 'ABANDONED' },
      { status: 'PAID' },
    ])
    const lines = (await imports.export(shop, 'ORDERS', 'JSON_LINES')).trimEnd().split('\n')
    expect(lines.map((text) => JSON.parse(text).status)).toEqual(['PAID'])
  })

  test('of orders has a row for each line, and no secret of a link', async () => {
    const shop = await stack.aStore()
    const { data } = await stack.ask(
      shop,
      `mutation { createProduct(input: { name: "Lamp", price: "10", stock: 9, sku: "L1" }) { ... on CreateProductSuccess { product { id } } } }`,
    )
    const id = data.createProduct.product.id
    await stack.ask(
      shop,
      `mutation ($id: ID!) { createOrder(input: { status: PAID, customer: { email: "a@example.org", fullname: "Ana" }, lines: [{ productId: $id, quantity: 2 }, { productId: $id, quantity: 1 }] }) { __typename } }`,
      { id },
    )
    const csv = await imports.export(shop, 'ORDERS', 'CSV')
    const [header = '', first = '', second = ''] = csv.split('\r\n')
    expect(header.startsWith('Name,Email,Financial Status,Paid at,Fulfillment Status')).toBe(true)
    expect(first).toMatch(/^#\d+,a@example\.org,paid,/)
    expect(second).toMatch(/^#\d+,a@example\.org,,,/)
    const lines = await imports.export(shop, 'ORDERS', 'JSON_LINES')
    expect(JSON.parse(lines)).toMatchObject({ status: 'PAID', total: '30', lines: [{ quantity: 2 }, { quantity: 1 }] })
    const [row] = await stack.sql('SELECT token FROM store."order" WHERE store_id = $1', [shop.storeId])
    expect(lines).not.toContain(String(row?.token))
    const cell = (of: string, column: string) => of.split(',')[header.split(',').indexOf(column)]
    expect(cell(first, 'Outstanding Balance')).toBe('0')
    const number = /^#(\d+)/.exec(first)?.[1]
    await stack.ask(shop, 'mutation ($id: ID!) { editOrder(id: $id, input: {shippingPrice: "5"}) { __typename } }', {
      id: number,
    })
    const [, edited = ''] = (await imports.export(shop, 'ORDERS', 'CSV')).split('\r\n')
    expect(['Financial Status', 'Outstanding Balance'].map((column) => cell(edited, column))).toEqual(['partially_paid', '5'])
  })
})
