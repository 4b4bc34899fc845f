import { expect, test } from 'vitest'
import { fairQueue } from '../../../platform/collections/fair-queue.ts'

/** A queue in which each of these lines waits with so many items, named as a1, a2 … */
function queueOf(lines: Readonly<Record<string, number>>) {
  const queue = fairQueue<string>()
  for (const [key, length] of Object.entries(lines))
    for (let number = 1; number <= length; number++) queue.push(key, `${key}${number}`)
  return queue
}

const rest = (queue: ReturnType<typeof queueOf>): readonly string[] =>
  Array.from({ length: queue.size() }, () => queue.shift() ?? expect.unreachable())

test('lines take turns, and each keeps its order', () => {
  const queue = queueOf({ a: 4, b: 2, c: 1 })
  expect(rest(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4'])
  expect([queue.size(), queue.shift()]).toEqual([0, undefined])
})

test('who comes behind a thousand of another line is second', () => {
  const queue = queueOf({ hot: 1_000 })
  queue.push('quiet', 'quiet1')
  expect([queue.shift(), queue.shift()]).toEqual(['hot1', 'quiet1'])
  // Another one of the same line waits for one of the other, whenever it comes.
  expect(queue.shift()).toBe('hot2')
  queue.push('quiet', 'quiet2')
  expect([queue.shift(), queue.shift()]).toEqual(['hot3', 'quiet2'])
})

test('an item that gave up is not served, and its line goes with its last item', () => {
  const queue = queueOf({ a: 2, b: 1 })
  expect([queue.remove('b', 'b1'), queue.remove('b', 'b1'), queue.remove('a', 'b1')]).toEqual([true, false, false])
  expect(rest(queue)).toEqual(['a1', 'a2'])
})

test.each<readonly [Readonly<Record<string, number>>, number, readonly string[]]>([
  [{ hot: 10, quiet: 2 }, 6, ['hot5', 'hot6', 'hot7', 'hot8', 'hot9', 'hot10']],
  [{ hot: 3, other: 3 }, 5, ['other3']],
  [{ a: 1, b: 1, c: 1 }, 2, ['c1']],
  [{ a: 2, b: 2 }, 4, []],
  [{ only: 3 }, 0, ['only1', 'only2', 'only3']],
])('of %o, at most %i are left: the longest lines lose their newest', (lines, max, removed) => {
  const queue = queueOf(lines)
  expect(queue.trim(max)).toEqual(removed)
  expect(rest(queue).filter((item) => removed.includes(item))).toEqual([])
})

test('a cut leaves exactly as many as it may, whatever the lines', () => {
  for (let round = 0; round < 500; round++) {
    const lines = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, Math.floor(Math.random() * 9)]))
    const queue = queueOf(lines)
    const [before, max] = [queue.size(), Math.floor(Math.random() * 25)]
    const removed = queue.trim(max)
    expect([queue.size(), removed.length]).toEqual([Math.min(before, max), Math.max(0, before - max)])
    expect(rest(queue).length).toBe(Math.min(before, max))
  }
})
