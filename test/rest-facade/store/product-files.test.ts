import { afterAll, beforeAll, expect, test } from 'vitest'
import { aProduct, aVariant } from '../../subgraphs/store/support/product.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { PDF, PNG } from '../../support/images.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

let stack: StoreRestStack
let product: number
let server: Awaited<ReturnType<typeof startHttpServer>>
beforeAll(async () => {
  stack = await startStoreStack()
  product = await aProduct(stack, stack.own)
  server = await startHttpServer({
    '/a.png': (_, response) => response.end(PNG),
    '/manual.pdf': (_, response) => response.end(PDF),
  })
})
afterAll(async () => {
  await server.close()
  await stack.close()
})

const kinds = [
  { path: 'images', envelope: 'image', file: 'a.png', keys: ['id', 'position', 'url'] },
  { path: 'attachments', envelope: 'attachment', file: 'manual.pdf', keys: ['id', 'url'] },
  {
    path: 'digital_products',
    envelope: 'digital_product',
    file: 'manual.pdf',
    keys: ['id', 'url', 'expiration_seconds', 'external'],
  },
] as const

test.each(kinds)('$path of a product are added, read, listed, counted and deleted', async ({ path, envelope, file, keys }) => {
  const { ask } = stack
  const base = `/products/${product}/${path}`
  expect((await ask(`GET ${base}.json`)).json).toEqual([])
  const made = await ask(`POST ${base}.json`, { body: { [envelope]: { url: `${server.url}/${file}` } } })
  expect([made.status, Object.keys(made.json[envelope])]).toEqual([200, keys])
  const { id, url } = made.json[envelope]
  const [read] = (await ask(`GET ${base}.json`)).json
  expect(read[envelope].id).toBe(id)
  expect((await ask(`GET ${base}/count.json`)).text).toBe('{"count":1}')
  expect((await ask(`GET ${base}/${id}.json`)).json[envelope].id).toBe(id)
  expect(await stack.files.open(new URL(url).pathname.slice('/files/'.length)).then((each) => each?.body.toArray())).toBeDefined()

  const gone = await ask(`DELETE ${base}/${id}.json`)
  expect([gone.status, gone.text]).toEqual([200, '"OK"'])
  for (const method of ['GET', 'DELETE']) expect((await ask(`${method} ${base}/${id}.json`)).status).toBe(404)
  expect(await stack.files.open(new URL(url).pathname.slice('/files/'.length))).toBeNull()
})

test.each(kinds)('$path are found under their product only, and in their store only', async ({ path, envelope, file }) => {
  const { ask } = stack
  const other = await aProduct(stack, stack.own)
  const stranger = await stack.aStore()
  const body = { [envelope]: { url: `${server.url}/${file}` } }
  const { id } = (await ask(`POST /products/${product}/${path}.json`, { body })).json[envelope]
  for (const method of ['GET', 'DELETE']) {
    expect((await ask(`${method} /products/${other}/${path}/${id}.json`)).status).toBe(404)
    expect((await ask(`${method} /products/${product}/${path}/${id}.json`, { as: stranger })).status).toBe(404)
  }
  for (const on of [`GET /products/${product}/${path}.json`, `GET /products/${product}/${path}/count.json`]) {
    expect((await ask(on, { as: stranger })).status).toBe(404)
    expect((await ask(on.replace(String(product), '999999'))).status).toBe(404)
  }
  expect((await ask(`POST /products/${product}/${path}.json`, { as: stranger, body })).status).toBe(404)
})

test.each(kinds)('every invalid field of $path is reported by its wire name, and nothing is fetched', async (kind) => {
  const on = `POST /products/${product}/${kind.path}.json`
  const before = server.requests.length
  for (const url of ['ftp://a.example/a.png', 'http://10.0.0.1/a.png', 'http://localhost:1/a.png', '', 7, null, undefined]) {
    const refused = await stack.ask(on, { body: { [kind.envelope]: { url } } })
    expect([url, refused.status, Object.keys(refused.json.errors)]).toEqual([url, 400, [`${kind.envelope}.url`]])
  }
  expect(server.requests).toHaveLength(before)
})

test('an image can be sent in the body, and is moved by the query as well as by the body', async () => {
  const shelf = await aProduct(stack, stack.own)
  const base = `/products/${shelf}/images`
  const add = async (more = {}) => {
    const image = { url: `data:image/png;base64,${PNG.toString('base64')}`, ...more }
    return (await stack.ask(`POST ${base}.json`, { body: { image } })).json.image
  }
  const [a, b] = [await add(), await add()]
  const first = await add({ position: 1 })
  expect([a.position, b.position, first.position]).toEqual([1, 2, 1])
  const order = async () => (await stack.ask(`GET ${base}.json`)).json.map(({ image }: { image: { id: number } }) => image.id)
  expect(await order()).toEqual([first.id, a.id, b.id])
  expect((await stack.ask(`PUT ${base}/${b.id}.json?position=1`)).json.image).toEqual({ ...b, position: 1 })
  expect(await order()).toEqual([b.id, first.id, a.id])
  expect((await stack.ask(`PUT ${base}/${b.id}.json`, { body: { image: { position: 9 } } })).json.image.position).toBe(3)
  expect(await order()).toEqual([first.id, a.id, b.id])
  for (const on of [`PUT ${base}/${b.id}.json`, `PUT ${base}/${b.id}.json?position=0`, `PUT ${base}/${b.id}.json?position=x`]) {
    expect([on, (await stack.ask(on)).status]).toEqual([on, 400])
  }
  expect((await stack.ask(`PUT ${base}/999999.json?position=1`)).status).toBe(404)
})

test('an idempotency key fetches and adds once', async () => {
  const shelf = await aProduct(stack, stack.own)
  const on = `POST /products/${shelf}/images.json`
  const body = { image: { url: `${server.url}/a.png` } }
  const headers = { 'idempotency-key': 'image-1' }
  const replies = [await stack.ask(on, { body, headers }), await stack.ask(on, { body, headers })]
  expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
  expect((await stack.ask(`GET /products/${shelf}/images/count.json`)).text).toBe('{"count":1}')
})

test('a digital product elsewhere is handed on, and its flag may be in the query or the body of its deletion', async () => {
  const base = `/products/${product}/digital_products`
  const body = { digital_product: { url: 'https://elsewhere.example/a', external: true } }
  const { digital_product: made } = (await stack.ask(`POST ${base}.json`, { body })).json
  expect(made).toEqual({ id: made.id, url: 'https://elsewhere.example/a', expiration_seconds: 3600, external: true })
  expect((await stack.ask(`GET ${base}/${made.id}.json?external=false`)).status).toBe(404)
  expect((await stack.ask(`GET ${base}/${made.id}.json?external=true`)).status).toBe(200)
  expect((await stack.ask(`DELETE ${base}/${made.id}.json?external=false`)).status).toBe(404)
  const flag = { body: { external: true } }
  expect((await stack.ask(`DELETE ${base}/${made.id}.json`, flag)).status).toBe(200)
})

test('a product is answered with its images and digital products, and a variant with its image', async () => {
  const shelf = await aProduct(stack, stack.own)
  const variant = await aVariant(stack, stack.own, shelf)
  const image = { url: `${server.url}/a.png` }
  const made = (await stack.ask(`POST /products/${shelf}/images.json`, { body: { image } })).json.image
  const digital_product = { url: 'https://elsewhere.example/a', external: true }
  const asset = (await stack.ask(`POST /products/${shelf}/digital_products.json`, { body: { digital_product } })).json
  await stack.sql('UPDATE product_variant SET image_id = $1 WHERE id = $2', [made.id, variant])
  const { product: read } = (await stack.ask(`GET /products/${shelf}.json`)).json
  expect(read).toMatchObject({ images: [made], digital_products: [asset.digital_product], variants: [{ image: made }] })
})
