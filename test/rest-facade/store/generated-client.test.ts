import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StoreRestStack, startStoreStack } from './stack.ts'

const FOLDER = join(import.meta.dirname, 'generated-client')
const ROOT = join(import.meta.dirname, '../../..')
const TYPES = join(ROOT, '.generated/store-client.ts')

let stack: StoreRestStack
beforeAll(async () => {
  stack = await startStoreStack()
  rmSync(TYPES, { force: true })
})
afterAll(() => stack.close())

const run = promisify(execFile)

test('a client made from the served contract compiles, and runs a shop from the first category to an order that is paid and sent', async () => {
  await run(process.execPath, [join(FOLDER, 'generate.ts'), `${stack.url}/v1/openapi.json`, TYPES])
  expect(readFileSync(TYPES, 'utf8')).toContain('"/products/{id}.json"')
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  const compiled = await run(process.execPath, [compiler, '-p', FOLDER]).catch((error: { stdout: string }) => error)
  expect(compiled.stdout).toBe('')

  // Named by a variable: the rest of the tests is compiled before the types are there.
  const program = join(FOLDER, 'shop.ts')
  const { runShop } = await import(program)
  expect(await runShop(`${stack.url}/v1`, stack.own)).toEqual({
    image: 1,
    levels: [7],
    total: 79.8,
    lines: [['LS-S', 2]],
    paid: 'paid',
    sent: ['T1', 'T1', 'fulfilled'],
    found: ['Linen shirt'],
    left: [
      ['LS-S', 5],
      ['LS-M', 2],
    ],
    hook: [true, 'order_paid', 'https://receiver.example/hooks/paid'],
    hooks: ['https://receiver.example/hooks/paid'],
    gone: ['OK', 'OK', 'OK'],
    missing: [404, true],
  })
}, 60_000)
