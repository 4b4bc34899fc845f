import { readdirSync } from 'node:fs'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import { fileRepository } from '../../../subgraphs/store/file/repository.ts'
import { sweepFiles } from '../../../subgraphs/store/file/sweep.ts'
import type { Tables } from '../../../subgraphs/store/tables.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { GIF, PNG, SVG } from '../../support/images.ts'
import { aProduct, aVariant } from './support/product.ts'
import { watchStatements } from './support/statements.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let server: Awaited<ReturnType<typeof startHttpServer>>
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  server = await startHttpServer({
    '/a.png': (_, response) => response.end(PNG),
    '/b.gif': (_, response) => response.end(GIF),
    '/c.svg': (_, response) => response.end(SVG),
  })
})
afterAll(async () => {
  await server.close()
  await stack.close()
})

const CREATE = `mutation ($input: CreateProductImageInput!) { result: createProductImage(input: $input) {
  __typename
  ... on CreateProductImageSuccess { productImage { id number position url contentType byteCount product { number } } }
  ... on ValidationError { errors { field message } }
  ... on NotFoundError { message }
  ... on ConflictError { message }
} }`
const MOVE = `mutation ($id: ID!, $productId: ID, $position: Int) { result: moveProductImage(id: $id, productId: $productId, position: $position) {
  __typename
  ... on MoveProductImageSuccess { productImage { position product { images { number position } } } }
  ... on ValidationError { errors { field message } }
} }`
const DELETE = `mutation ($id: ID!, $productId: ID, $key: String) { result: deleteProductImage(id: $id, productId: $productId, idempotencyKey: $key) {
  __typename ... on DeleteProductImageSuccess { number }
} }`

async function run(query: string, variables: Record<string, unknown>, who = shop) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data.result
}

const create = (product: number, input: Record<string, unknown> = {}, who = shop) =>
  run(CREATE, { input: { productId: String(product), url: `${server.url}/a.png`, ...input } }, who)

async function anImage(product: number, input: Record<string, unknown> = {}) {
  const mutationResult = await create(product, input)
  expect(mutationResult.__typename).toBe('CreateProductImageSuccess')
  return mutationResult.productImage
}

/** Numbers of the images of a product, in their order; positions must be 1, 2, 3 … */
async function orderOf(product: number): Promise<number[]> {
  const query = 'query ($id: ID!) { product(id: $id) { imageCount images { number position } } }'
  const { data } = await stack.ask(shop, query, { id: String(product) })
  const { images, imageCount } = data.product
  expect(images.map((image: { position: number }) => image.position)).toEqual(
    images.map((_: unknown, index: number) => index + 1),
  )
  expect(imageCount).toBe(images.length)
  return images.map((image: { number: number }) => image.number)
}

/** Files below public/ and private/. */
const storedFiles = () =>
  readdirSync(stack.files.local.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)

async function isStored(key: string): Promise<boolean> {
  const opened = await stack.files.open(key)
  opened?.body.destroy()
  return opened !== null
}

const rowsOf = async (table: string) => Number((await stack.sql(`SELECT count(*) FROM ${table}`))[0]?.count)

test('a picture is fetched once, kept, and shown from where we keep it', async () => {
  const product = await aProduct(stack, shop)
  const image = await anImage(product)
  expect(image).toMatchObject({ position: 1, contentType: 'image/png', byteCount: PNG.length, product: { number: product } })
  expect(image.url).toMatch(/^https:\/\/atrium\.example\/files\/public\/\d+\/..\/[0-9a-f]{32}\.png$/)
  const key = image.url.split('/files/')[1]
  expect(Buffer.concat((await (await stack.files.open(key))?.body.toArray()) ?? [])).toEqual(PNG)
  const { data } = await stack.ask(shop, 'query ($id: ID!) { productImage(id: $id) { number } }', { id: image.id })
  expect(data.productImage).toEqual({ number: image.number })
})

test('a picture in the request is kept as well', async () => {
  const product = await aProduct(stack, shop)
  const image = await anImage(product, { url: `data:image/gif;base64,${GIF.toString('base64')}` })
  expect(image.contentType).toBe('image/gif')
})

test('pictures move back for one that is inserted between them', async () => {
  const product = await aProduct(stack, shop)
  const [a, b, c] = [await anImage(product), await anImage(product), await anImage(product, { position: 99 })]
  const first = await anImage(product, { position: 1 })
  const third = await anImage(product, { position: 3 })
  expect(await orderOf(product)).toEqual([first, a, third, b, c].map(({ number }) => number))
})

test.each([
  [1, 1, [0, 1, 2, 3]],
  [1, 3, [1, 2, 0, 3]],
  [4, 1, [3, 0, 1, 2]],
  [2, 4, [0, 2, 3, 1]],
  [2, 90, [0, 2, 3, 1]],
])('from position %i to position %i, the others move', async (from, to, expected) => {
  const product = await aProduct(stack, shop)
  const all = [await anImage(product), await anImage(product), await anImage(product), await anImage(product)]
  const moved = await run(MOVE, { id: all[from - 1].id, position: to })
  expect(moved.productImage.position).toBe(Math.min(to, 4))
  expect(await orderOf(product)).toEqual(expected.map((index) => all[index].number))
})

test('twenty moves at once leave no gap and no double', async () => {
  const product = await aProduct(stack, shop)
  const all = await Promise.all(Array.from({ length: 5 }, () => anImage(product)))
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => run(MOVE, { id: all[index % 5].id, position: ((index * 3) % 5) + 1 })),
  )
  expect((await orderOf(product)).toSorted()).toEqual(all.map(({ number }) => number).toSorted())
})

test('what is deleted is gone with its file, the rest closes up, and a variant that had it has none', async () => {
  const product = await aProduct(stack, shop)
  const [a, b] = [await anImage(product), await anImage(product)]
  const variant = await aVariant(stack, shop, product)
  await stack.sql('UPDATE product_variant SET image_id = $1 WHERE id = $2', [a.number, variant])
  const before = [storedFiles().length, await rowsOf('file')]
  expect(await run(DELETE, { id: a.id, key: 'once' })).toEqual({ __typename: 'DeleteProductImageSuccess', number: a.number })
  expect(await run(DELETE, { id: a.id, key: 'once' })).toEqual({ __typename: 'DeleteProductImageSuccess', number: a.number })
  expect((await run(DELETE, { id: a.id })).__typename).toBe('NotFoundError')
  expect([storedFiles().length + 1, (await rowsOf('file')) + 1]).toEqual(before)
  expect(await orderOf(product)).toEqual([b.number])
  expect(await stack.sql('SELECT image_id FROM product_variant WHERE id = $1', [variant])).toEqual([{ image_id: null }])
})

test('a key that is used twice fetches once and adds once, even when the source is gone by then', async () => {
  const product = await aProduct(stack, shop)
  const one = await startHttpServer({ '/a.png': (_, response) => response.end(PNG) })
  const input = { url: `${one.url}/a.png`, idempotencyKey: 'only-once' }
  const first = await create(product, input)
  expect(one.requests).toHaveLength(1)
  await one.close()
  expect(await create(product, input)).toEqual(first)
  expect(await orderOf(product)).toHaveLength(1)
  expect((await create(product, { ...input, position: 1 })).__typename).toBe('ConflictError')
})

test('one key ten times at once adds one picture and keeps one file', async () => {
  const product = await aProduct(stack, shop)
  const before = storedFiles().length
  const results = await Promise.all(Array.from({ length: 10 }, () => create(product, { idempotencyKey: 'at-once' })))
  expect(new Set(results.map((mutationResult) => mutationResult.productImage?.number)).size).toBe(1)
  expect(await orderOf(product)).toHaveLength(1)
  expect(storedFiles()).toHaveLength(before + 1)
})

test.each([
  ['what is no picture', { url: 'c.svg' }, 'url', /PNG, JPEG, GIF, WebP or AVIF/],
  ['what is not there', { url: 'nothing' }, 'url', /status 200, got 404/],
  ['no URL', { url: 'not a url' }, 'url', /http or https/],
  ['a private address', { url: 'http://10.0.0.1/a.png' }, 'url', /public address/],
  ['a URL without end', { url: `${'x'.repeat(3_000)}` }, 'url', /2048/],
  ['a place before the first', { position: 0 }, 'position', /1 or more/],
])('%s is refused by its field, and nothing is kept', async (_, given, field, message) => {
  const product = await aProduct(stack, shop)
  const before = [storedFiles().length, await rowsOf('file')]
  const url = 'url' in given && /^(c|nothing)/.test(given.url) ? { url: `${server.url}/${given.url}` } : {}
  const mutationResult = await create(product, { ...given, ...url })
  expect(mutationResult).toMatchObject({
    __typename: 'ValidationError',
    errors: [{ field, message: expect.stringMatching(message) }],
  })
  expect([storedFiles().length, await rowsOf('file')]).toEqual(before)
})

test('nothing is fetched for a product that is not there, or is full', async () => {
  const product = await aProduct(stack, shop)
  await stack.sql(
    `WITH made AS (
       INSERT INTO file (store_id, key, is_public, content_type, byte_count, sha256, filename, created_at)
       SELECT $1, 'made-' || n, true, 'image/png', 1, '', 'x', now() FROM generate_series(1, 100) n RETURNING id)
     INSERT INTO product_image (store_id, product_id, position, file_id) SELECT $1, $2, row_number() OVER (), id FROM made`,
    [shop.storeId, product],
  )
  const before = server.requests.length
  expect((await create(999_999)).__typename).toBe('NotFoundError')
  expect(await create(product)).toMatchObject({
    errors: [{ field: 'productId', message: expect.stringMatching(/fewer than 100/) }],
  })
  expect(server.requests).toHaveLength(before)
})

test('another store neither sees nor moves nor deletes a picture, and its products take none', async () => {
  const other = await stack.aStore()
  const product = await aProduct(stack, shop)
  const { id, number } = await anImage(product)
  for (const each of [id, String(number)]) {
    const seen = await stack.ask(other, 'query ($id: ID!) { productImage(id: $id) { url } }', { id: each })
    expect(seen).toEqual({ data: { productImage: null } })
    expect((await run(MOVE, { id: each, position: 1 }, other)).__typename).toBe('NotFoundError')
    expect((await run(DELETE, { id: each }, other)).__typename).toBe('NotFoundError')
  }
  expect((await create(product, {}, other)).__typename).toBe('NotFoundError')
})

test('a picture is found under its own product only, when one is named', async () => {
  const [product, other] = [await aProduct(stack, shop), await aProduct(stack, shop)]
  const { id } = await anImage(product)
  const query = 'query ($id: ID!, $productId: ID) { productImage(id: $id, productId: $productId) { number } }'
  expect((await stack.ask(shop, query, { id, productId: String(product) })).data.productImage).not.toBeNull()
  expect((await stack.ask(shop, query, { id, productId: String(other) })).data.productImage).toBeNull()
  expect((await run(MOVE, { id, productId: String(other), position: 1 })).__typename).toBe('NotFoundError')
  expect((await run(DELETE, { id, productId: String(other) })).__typename).toBe('NotFoundError')
})

test('a change of a picture emits an event of its product', async () => {
  const product = await aProduct(stack, shop)
  await anImage(product)
  const [row] = await stack.sql('SELECT version FROM product WHERE id = $1', [product])
  expect(row).toEqual({ version: 2 })
  const events = await stack.sql(`SELECT payload FROM event WHERE payload->>'id' = $1`, [String(product)])
  expect(events).toEqual([{ payload: { event: 'product_updated', entity: 'Product', id: product } }])
})

test('pictures of three products are read with as many statements as those of one', async () => {
  const products = await Promise.all(Array.from({ length: 3 }, () => aProduct(stack, shop)))
  for (const product of products) await anImage(product)
  const queries = watchStatements()
  const statements = async (ids: readonly number[]) => {
    const before = queries.texts().length
    const fields = 'imageCount images { url } attachmentCount attachments { url } digitalAssetCount digitalAssets { url }'
    const { data } = await stack.ask(shop, `{ ${ids.map((id) => `p${id}: product(id: "${id}") { ${fields} }`).join(' ')} }`)
    for (const product of Object.values<{ images: unknown[] }>(data)) expect(product.images).toHaveLength(1)
    return queries.texts().length - before
  }
  try {
    expect(await statements(products)).toBe(await statements(products.slice(0, 1)))
  } finally {
    queries.stop()
  }
})

test('files of a deleted product are deleted after the grace period for new references', async () => {
  const product = await aProduct(stack, shop)
  const stored = (await anImage(await aProduct(stack, shop))).url.split('/files/')[1]
  const key = (await anImage(product)).url.split('/files/')[1]
  const { query, close } = openDatabase<Tables>(stack.database.connection, { schema: 'store', max: 1, onError: () => {} })
  const repository = fileRepository(query)
  const hoursAhead = (hours: number) => () => new Date(Date.now() + hours * 3_600_000)
  const sweepAt = async (now: () => Date) => {
    const sweeping = sweepFiles({ files: stack.files, repository }, { log: pino({ level: 'silent' }), now })
    await sweeping.first
    await sweeping.stop()
  }
  await sweepAt(hoursAhead(2))
  expect(await isStored(key)).toBe(true)
  await stack.sql('DELETE FROM product WHERE id = $1', [product])
  await sweepAt(hoursAhead(0))
  expect(await isStored(key)).toBe(true)
  await sweepAt(hoursAhead(2))
  expect(await isStored(key)).toBe(false)
  expect(await stack.sql('SELECT 1 FROM file WHERE key = $1', [key])).toEqual([])
  expect(await isStored(stored)).toBe(true)
  await close()
})
