import { afterAll, beforeAll, expect, test } from 'vitest'
import { startHttpServer } from '../../support/http-server.ts'
import { PDF } from '../../support/images.ts'
import { aProduct } from './support/product.ts'
import { type StoreStack, startStore, type TestStore } from './support/store.ts'

let stack: StoreStack
let shop: TestStore
let server: Awaited<ReturnType<typeof startHttpServer>>
beforeAll(async () => {
  stack = await startStore()
  shop = await stack.aStore()
  server = await startHttpServer({ '/docs/manual%201.pdf': (_, response) => response.end(PDF) })
})
afterAll(async () => {
  await server.close()
  await stack.close()
})

const ATTACH = `mutation ($input: CreateProductAttachmentInput!) { result: createProductAttachment(input: $input) {
  __typename
  ... on CreateProductAttachmentSuccess { made: productAttachment { id number filename url contentType byteCount } }
  ... on ValidationError { errors { field message } }
} }`
const DETACH = `mutation ($id: ID!, $productId: ID) { result: deleteProductAttachment(id: $id, productId: $productId) {
  __typename ... on DeleteProductAttachmentSuccess { number }
} }`
const ADD = `mutation ($input: CreateDigitalAssetInput!) { result: createDigitalAsset(input: $input) {
  __typename
  ... on CreateDigitalAssetSuccess { made: digitalAsset { id number filename url expirationSeconds isExternal contentType byteCount } }
  ... on ValidationError { errors { field message } }
} }`
const REMOVE = `mutation ($id: ID!, $productId: ID, $isExternal: Boolean) {
  result: deleteDigitalAsset(id: $id, productId: $productId, isExternal: $isExternal) { __typename }
}`

const manual = () => `${server.url}/docs/manual%201.pdf`

async function run(query: string, variables: Record<string, unknown>, who = shop) {
  const { data, errors } = await stack.ask(who, query, variables)
  expect(errors).toBeUndefined()
  return data.result
}

async function made(query: string, product: number, input: Record<string, unknown> = {}) {
  const payload = await run(query, { input: { productId: String(product), url: manual(), ...input } })
  expect(payload.errors).toBeUndefined()
  return payload.made
}

/** When a signed URL expires, in seconds from now. */
const lifeOf = (url: string): number => Number(new URL(url).searchParams.get('expires')) - Date.now() / 1000

test('an attachment is a private file, called as its author or its URL says, for an hour', async () => {
  const product = await aProduct(stack, shop)
  const named = await made(ATTACH, product, { filename: 'Anleitung/1.pdf' })
  const plain = await made(ATTACH, product)
  expect(named).toMatchObject({ filename: 'Anleitung1.pdf', contentType: 'application/pdf', byteCount: PDF.length })
  expect(plain.filename).toBe('manual 1.pdf')
  expect(named.url).toMatch(/^https:\/\/atrium\.example\/files\/private\/.*[?]name=Anleitung1\.pdf&expires=\d+&signature=/)
  expect(lifeOf(named.url)).toBeGreaterThan(3_500)
  expect(lifeOf(named.url)).toBeLessThanOrEqual(3_600)
  const query = 'query ($id: ID!) { product(id: $id) { attachmentCount attachments { number } } }'
  const { data } = await stack.ask(shop, query, { id: String(product) })
  expect(data.product).toEqual({ attachmentCount: 2, attachments: [{ number: named.number }, { number: plain.number }] })
  expect(await run(DETACH, { id: named.id })).toEqual({ __typename: 'DeleteProductAttachmentSuccess', number: named.number })
  expect(await stack.files.open(new URL(named.url).pathname.slice('/files/'.length))).toBeNull()
  expect((await run(DETACH, { id: named.id })).__typename).toBe('NotFoundError')
})

test('a digital asset is handed out for as long as its author says', async () => {
  const product = await aProduct(stack, shop)
  const asset = await made(ADD, product, { expirationSeconds: 120 })
  expect(asset).toMatchObject({ filename: 'manual 1.pdf', expirationSeconds: 120, isExternal: false })
  expect(lifeOf(asset.url)).toBeLessThanOrEqual(120)
  expect(await made(ADD, product)).toMatchObject({ expirationSeconds: 3_600 })
})

test('an external URL is stored as it is, and not fetched', async () => {
  const product = await aProduct(stack, shop)
  const url = 'http://10.0.0.1/download?key=1'
  const asset = await made(ADD, product, { url, isExternal: true })
  expect(asset).toMatchObject({ url, isExternal: true, filename: null, contentType: null, byteCount: null })
  const query = 'query ($id: ID!, $isExternal: Boolean) { digitalAsset(id: $id, isExternal: $isExternal) { number } }'
  const { id } = asset
  expect((await stack.ask(shop, query, { id, isExternal: false })).data.digitalAsset).toBeNull()
  expect((await stack.ask(shop, query, { id, isExternal: true })).data.digitalAsset).toEqual({ number: asset.number })
  expect((await run(REMOVE, { id, isExternal: false })).__typename).toBe('NotFoundError')
  expect((await run(REMOVE, { id, isExternal: true })).__typename).toBe('DeleteDigitalAssetSuccess')
})

test.each([
  ['no web address', { url: 'javascript:alert(1)', isExternal: true }, 'url'],
  ['an address with a NUL', { url: 'https://a.example/\0', isExternal: true }, 'url'],
  ['a file that is not there', { url: 'http://10.0.0.1/a.zip' }, 'url'],
  ['a life that is too short', { expirationSeconds: 59 }, 'expirationSeconds'],
  ['a life that is too long', { expirationSeconds: 604_801 }, 'expirationSeconds'],
])('%s is refused by its field', async (_, given, field) => {
  const product = await aProduct(stack, shop)
  const payload = await run(ADD, { input: { productId: String(product), url: manual(), ...given } })
  expect(payload).toMatchObject({ __typename: 'ValidationError', errors: [{ field }] })
})

test('another store, and another product, see neither', async () => {
  const other = await stack.aStore()
  const [product, second] = [await aProduct(stack, shop), await aProduct(stack, shop)]
  const [attachment, asset] = [await made(ATTACH, product), await made(ADD, product)]
  const query = `query ($attachment: ID!, $asset: ID!, $productId: ID) {
    productAttachment(id: $attachment, productId: $productId) { number }
    digitalAsset(id: $asset, productId: $productId) { number }
  }`
  const ids = { attachment: attachment.id, asset: asset.id }
  const none = { data: { productAttachment: null, digitalAsset: null } }
  expect(await stack.ask(other, query, ids)).toEqual(none)
  expect(await stack.ask(shop, query, { ...ids, productId: String(second) })).toEqual(none)
  for (const [mutation, id] of [
    [DETACH, attachment.id],
    [REMOVE, asset.id],
  ] as const) {
    expect((await run(mutation, { id }, other)).__typename).toBe('NotFoundError')
    expect((await run(mutation, { id, productId: String(second) })).__typename).toBe('NotFoundError')
  }
  for (const mutation of [ATTACH, ADD]) {
    expect((await run(mutation, { input: { productId: String(product), url: manual() } }, other)).__typename).toBe(
      'NotFoundError',
    )
  }
})
