import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/store.md'), 'utf8')

/**
 * What docs/store.md tells its readers to paste, in order: requests, which may take several lines,
 * and ids that they find in the answers.
 */
const pasted = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replace(/^#.*\n/gm, '').split(/\n(?=curl |[A-Z]+=)/))
  .map((request) => request.trim())

/** Where ids are in the answer before. */
const IDS: Readonly<Record<string, (answer: Answer) => number | string | undefined>> = {
  CATEGORY: ({ category }) => category?.id,
  PRODUCT: ({ product }) => product?.id,
  VARIANT: ({ product }) => product?.variants[0]?.id,
  ORDER: ({ order, data }) => order?.id ?? data?.completeStorefrontCheckout?.order.number,
  STORE: ({ code }) => code,
  SHIPPING: ({ data }) => data?.createShippingMethod?.shippingMethod.number,
  PAYMENT: ({ data }) => data?.createPaymentMethod?.paymentMethod.number,
  TOKEN: ({ data }) => data?.createStorefrontCart?.token,
}
type Answer = {
  readonly category?: { readonly id: number }
  readonly product?: { readonly id: number; readonly variants: readonly { readonly id: number }[] }
  readonly order?: { readonly id: number }
  readonly code?: string
  readonly data?: {
    readonly createShippingMethod?: { readonly shippingMethod: { readonly number: number } }
    readonly createPaymentMethod?: { readonly paymentMethod: { readonly number: number } }
    readonly createStorefrontCart?: { readonly token: string }
    readonly completeStorefrontCheckout?: { readonly order: { readonly number: number } }
  }
}

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

test('what docs/store.md tells readers to paste shows what it says, one after the other', async () => {
  // Ids do not begin with 1, as anywhere with a store before.
  await stack.ask('POST /categories.json', { as: await stack.aStore(), body: { category: { name: 'Of somebody else' } } })
  const { login, authtoken } = stack.own
  const env: NodeJS.ProcessEnv = { ...process.env, LOGIN: login, AUTHTOKEN: authtoken }
  const shown: unknown[] = []
  for (const request of pasted) {
    const [, name = ''] = /^([A-Z]+)=\w+ # /.exec(request) ?? []
    if (name !== '') {
      env[name] = String(IDS[name]?.(shown.at(-1) as Answer))
      continue
    }
    const command = request.replace('curl ', 'curl -sS --fail-with-body ').replaceAll('localhost:4000', new URL(stack.url).host)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env })
    shown.push(JSON.parse(stdout))
  }
  expect(shown).toMatchObject(SHOWN)
})
