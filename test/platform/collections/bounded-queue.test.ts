import { expect, test } from 'vitest'
import { boundedQueue } from '../../../platform/collections/bounded-queue.ts'

const queueOf = (released: string[]) =>
  boundedQueue<string>({
    onDone() {},
    onReleased: () => void released.push('released'),
    charactersOf: ({ length }) => length,
  })
const large = 'x'.repeat(1_000_000)

test('more than 10,000,000 characters that wait end the queue, however few items they are', async () => {
  const released: string[] = []
  const { push, iterator } = queueOf(released)
  for (let count = 0; count < 10; count++) push(large)
  expect(released).toEqual([])
  push('y')
  expect(released).toEqual(['released'])
  await expect(iterator.next()).rejects.toMatchObject({ extensions: { code: 'SLOW_READER' } })
})

test('characters that were read do not count', async () => {
  const released: string[] = []
  const { push, iterator } = queueOf(released)
  for (let count = 0; count < 50; count++) {
    push(large)
    expect((await iterator.next()).value).toBe(large)
  }
  for (let count = 0; count < 10; count++) push(large)
  expect(released).toEqual([])
})
