import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contracts } from '../../../web/reference/contract.ts'
import { sampleRequest } from '../../../web/reference/operation.ts'
import type { TestStore } from '../../subgraphs/store/support/store.ts'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/store.md'), 'utf8')

/** What docs/store.md tells its readers to paste, in order, below the credentials. */
const pasted = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
  .map(([, block = '']) => block.replace(/^(LOGIN|AUTHTOKEN)=.*\n/gm, ''))
  .join('\n')

/** What each of them shows. */
const SHOWN: readonly object[] = [
  { category: { name: 'Shirts' } },
  { product: { price: 39.9, categories: [{ name: 'Shirts' }], variants: [{ sku: 'LS-S' }, { sku: 'LS-M' }] } },
  [{ product: { name: 'Linen shirt' } }],
  { variant: { sku: 'LS-S', price: 35 } },
  { order: { status: 'Pending Payment', total: 70, products: [{ sku: 'LS-S', qty: 2 }] } },
  { order: { status_enum: 'paid' } },
  { order: { shipment_status_enum: 'requested', tracking_number: 'T1' } },
  [{ order: { products: [{ sku: 'LS-S' }] } }],
  { name: 'Test shop' },
  { data: { createShippingMethod: { shippingMethod: {} } } },
  { data: { createPaymentMethod: { paymentMethod: {} } } },
  {
    data: {
      storefront: {
        products: {
          searchedFor: 'linen',
          nodes: [{ name: 'Linen shirt', price: { amount: '35' }, availability: 'IN_STOCK' }],
        },
      },
    },
  },
  { data: { createStorefrontCart: { cart: { totals: { total: '35' } } } } },
  {
    data: {
      updateStorefrontCart: { cart: { shippingRates: [{ name: 'Post', price: '4' }], totals: { total: '39' }, problems: [] } },
    },
  },
  {
    data: {
      completeStorefrontCheckout: {
        order: { status: 'PENDING_PAYMENT', total: '39' },
        paymentInstructions: 'To PT50 0000, with the number of your order.',
      },
    },
  },
  { order: { status_enum: 'paid' } },
]

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

/** Pastes all of it into one shell, for this store; what each request answered. */
async function paste({ login, authtoken }: TestStore): Promise<readonly unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), 'atrium-store-page-'))
  try {
    const curl = 'curl() { command curl -sS --fail-with-body "$@" | tee -a answers; echo >> answers; }'
    const script = `set -e\n${curl}\n${pasted.replaceAll('localhost:4000', new URL(stack.url).host)}`
    const env = { ...process.env, LOGIN: login, AUTHTOKEN: authtoken }
    await promisify(execFile)('bash', ['-c', script], { env, cwd: folder })
    const answers = await readFile(join(folder, 'answers'), 'utf8')
    return answers
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('the commands of docs/store.md print what the page shows, one after the other', async () => {
  // Ids do not begin with 1, as anywhere with a store before.
  await stack.ask('POST /categories.json', { as: await stack.aStore(), body: { category: { name: 'Of somebody else' } } })
  expect(await paste(stack.own)).toMatchObject(SHOWN)
})

test('the same lines go through in a shop with taxes, goods and orders, as the demo shop is, and change nothing of these', async () => {
  const as = await stack.aStore({ country: 'IE' })
  for (const shipping of [false, true])
    await stack.ask('POST /taxes.json', { as, body: { tax: { name: 'VAT', country: 'PT', tax: 23, shipping } } })
  const { product } = (await stack.ask('POST /products.json', { as, body: { product: { name: 'Mug', price: 5, stock: 9 } } }))
    .json
  const { order } = (
    await stack.ask('POST /orders.json', {
      as,
      body: { order: { status: 'Pending Payment', products: [{ id: product.id, qty: 1 }] } },
    })
  ).json
  const answers = await paste(as)
  expect(answers).toHaveLength(SHOWN.length)
  expect(answers.at(-2)).toMatchObject({
    data: { completeStorefrontCheckout: { order: { status: 'PENDING_PAYMENT', total: '47.97' } } },
  })
  expect(answers.at(-1)).toMatchObject({ order: { status_enum: 'paid' } })
  expect((await stack.ask(`GET /products/${product.id}.json`, { as })).json.product).toMatchObject({ price: 5, stock: 8 })
  expect((await stack.ask(`GET /orders/${order.id}.json`, { as })).json.order.status_enum).toBe('pending_payment')
})

/** Operations that create something without an object of before, whose samples a new store accepts. */
const CREATING =
  'hooks jsapps products categories customers customer_categories promotions pages payment_methods shipping_methods locations custom_fields checkout_custom_fields taxes themes orders'.split(
    ' ',
  )

test('the samples of the reference that create something in a store create it', async () => {
  const contract = contracts().find(({ name }) => name === 'store')?.contract
  if (!contract) throw new Error('Expected the contract of the store.')
  const as = await stack.aStore()
  const [refused, created]: [string[], string[]] = [[], []]
  for (const noun of CREATING) {
    const path = `/${noun}.json`
    const operation = contract.paths[path]?.post
    if (!operation) throw new Error(`Expected the contract to have POST ${path}.`)
    const { body } = sampleRequest({ method: 'post', path, operation }, contract, { publicUrl: stack.url })
    const { status, json } = await stack.ask(`POST ${path}`, { as, body: body?.value })
    // Ids of others are the reader's to fill in: a new store has none with the number 1.
    if (status >= 300 && !(status === 404 && /with the id "1"/.test(json.message)))
      refused.push(`${path} ${status} ${json.message}`)
    if (status < 300) created.push(noun)
  }
  expect(refused).toEqual([])
  expect(created.length).toBeGreaterThan(10)
})
