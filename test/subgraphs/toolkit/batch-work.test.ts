import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { batchWork } from '../../../subgraphs/toolkit/batch-work.ts'

/**
 * Doubles numbers, and notes which came together; refuses those with a zero among them. `begun`
 * resolves when the first are being doubled.
 */
function doubling(options?: { readonly maxItems: number }) {
  const batches: (readonly number[])[] = []
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const double = batchWork(async (numbers: readonly number[]) => {
    batches.push(numbers)
    begin()
    await sleep(20)
    if (numbers.includes(0)) throw new Error('zero')
    return numbers.map((number) => number * 2)
  }, options)
  return { double, batches, begun }
}

test('calls of one turn of the event loop are batched, and each gets its own result', async () => {
  const { double, batches } = doubling()
  const later = Promise.resolve().then(() => double(3))
  expect(await Promise.all([double(1), double(2), later])).toEqual([2, 4, 6])
  expect(batches).toEqual([[1, 2, 3]])
})

test('calls during a batch form the next one, of a maximum size', async () => {
  const { double, batches, begun } = doubling({ maxItems: 2 })
  const first = double(1)
  await begun
  expect(batches).toEqual([[1]])
  expect(await Promise.all([first, double(2), double(3), double(4)])).toEqual([2, 4, 6, 8])
  expect(batches).toEqual([[1], [2, 3], [4]])
})

test('a failure is the failure of its batch, and of no other', async () => {
  const { double } = doubling({ maxItems: 2 })
  const results = await Promise.allSettled([double(0), double(1), double(2)])
  expect(results.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message))).toEqual(['zero', 'zero', 4])
  expect(await double(5)).toBe(10)
})

test('a value that the database rejects fails its own call, and no other of the batch', async () => {
  const batches: (readonly number[])[] = []
  const half = batchWork(async (numbers: readonly number[]) => {
    batches.push(numbers)
    if (numbers.includes(3)) throw Object.assign(new Error('odd'), { code: '22000' })
    return numbers.map((number) => number / 2)
  })
  const results = await Promise.allSettled([2, 3, 4, 6, 8].map(half))
  expect(results.map((each) => (each.status === 'fulfilled' ? each.value : each.reason.message))).toEqual([1, 'odd', 2, 3, 4])
  expect(batches).toEqual([[2, 3, 4, 6, 8], [2, 3], [2], [3], [4, 6, 8]])
})
