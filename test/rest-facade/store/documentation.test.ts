import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/store.md'), 'utf8')

/** The requests that docs/store.md tells its readers to paste, in order; a request may take several lines. */
const requests = [...page.matchAll(/```sh\n([\s\S]*?)```/g)]
  .flatMap(([, block = '']) => block.replace(/^#.*\n/gm, '').split(/\n(?=curl )/))
  .map((request) => request.trim())

/** What each of them shows. */
const SHOWN: readonly object[] = [
  { category: { id: 1, name: 'Shirts' } },
  { product: { id: 1, price: 39.9, categories: [{ id: 1 }], variants: [{ id: 1, sku: 'LS-S' }, { sku: 'LS-M' }] } },
  [{ product: { name: 'Linen shirt' } }],
  { product: { name: 'Linen shirt', price: 35 } },
  { order: { id: 1, status: 'Pending Payment', total: 79.8, products: [{ sku: 'LS-S', qty: 2 }] } },
  { order: { status_enum: 'paid' } },
  { order: { shipment_status_enum: 'requested', tracking_number: 'T1' } },
  [{ order: { id: 1 } }],
]

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
})
afterAll(() => stack.close())

test('what docs/store.md tells readers to paste shows what it says, one after the other', async () => {
  const { login, authtoken } = stack.own
  const env = { ...process.env, LOGIN: login, AUTHTOKEN: authtoken }
  const shown: unknown[] = []
  for (const request of requests) {
    const command = request.replace('curl ', 'curl -sS --fail-with-body ').replaceAll('localhost:4000', new URL(stack.url).host)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env })
    shown.push(JSON.parse(stdout))
  }
  expect(shown).toMatchObject(SHOWN)
})
