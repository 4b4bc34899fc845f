import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLoadLimiter, type LoadLimiter } from '../../../platform/http/load.ts'

let load: LoadLimiter
beforeEach(() => {
  load = createLoadLimiter(1_000)
})
afterEach(() => load.close())

/**
 * Begins three things, and says in which turn of the event loop each began, in order; 0 is at once.
 */
async function begunIn(): Promise<readonly number[]> {
  let turns = 0
  const begun: number[] = []
  for (const _ of [1, 2, 3]) load.schedule({}, { start: () => begun.push(turns), refuse: () => expect.unreachable() })
  for (turns = 1; begun.length < 3; turns++) await turn()
  return begun
}

/**
 * Keeps the event loop from resting for as long as it takes until the load has looked twice, while
 * more comes where `isMoreComing`.
 */
async function withoutRest({ isMoreComing }: { readonly isMoreComing: boolean }): Promise<void> {
  const first = load.limit()
  while (load.limit() === first) {
    if (isMoreComing) load.onConnection()
    const end = performance.now() + 20
    while (performance.now() < end);
    await turn()
  }
}

test('work begins at once while there is time', async () => {
  load.onConnection()
  expect(await begunIn()).toEqual([0, 0, 0])
})

test('accepted work starts at once under high load, but new work is rejected', async () => {
  await withoutRest({ isMoreComing: false })
  expect(load.limit()).toBeLessThan(1_000)
  expect(await begunIn()).toEqual([0, 0, 0])
})

test('of tasks that arrive in one turn, each turn starts as many as take 10 ms', async () => {
  let turns = 0
  const begun: number[] = []
  const start = () => {
    begun.push(turns)
    // As a handler does, which has awaited something.
    queueMicrotask(() => {
      const end = performance.now() + 2
      while (performance.now() < end);
    })
  }
  for (let count = 0; count < 3; count++) load.schedule({}, { start, refuse: () => expect.unreachable() })
  const busyUntil = performance.now() + 12
  while (performance.now() < busyUntil);
  for (let count = 0; count < 50; count++) load.schedule({}, { start, refuse: () => expect.unreachable() })
  expect(begun).toEqual([0, 0, 0])
  for (turns = 1; begun.length < 53; turns++) await turn()
  const perTurn = Object.values(Object.groupBy(begun.slice(3), String)).map((all) => all?.length ?? 0)
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(5)
  expect(perTurn.length).toBeGreaterThanOrEqual(10)
})

test('under higher load one task starts per turn, so that others run in between', async () => {
  await withoutRest({ isMoreComing: true })
  const begun = await begunIn()
  expect(new Set(begun).size).toBe(3)
  expect(begun[0]).toBeGreaterThan(0)
})

/**
 * Takes on and begins all that there is room for while the processor is short; what of it has
 * begun, and what was refused, once the load has looked again.
 */
async function burst({ isTooMuch }: { readonly isTooMuch: boolean }) {
  await withoutRest({ isMoreComing: true })
  const [begun, refused]: [number[], number[]] = [[], []]
  let taken = 0
  for (let work = {}; load.acquire(work); work = {}) {
    const name = taken++
    load.schedule(work, { start: () => begun.push(name), refuse: () => refused.push(name) })
  }
  if (isTooMuch) load.onRefusal()
  await withoutRest({ isMoreComing: true })
  const running = load.inFlight()
  while (begun.length + refused.length < taken) await turn()
  return { begun, refused, running, all: Array.from({ length: taken }, (_, index) => index) }
}

test('all of a burst is begun, in order, where there was room for it', async () => {
  const { begun, running, all } = await burst({ isTooMuch: false })
  expect([begun, running]).toEqual([all, all.length])
})

test('where there was none for others, the newest of what waits is refused that there is no room for any more', async () => {
  const { begun, refused, running, all } = await burst({ isTooMuch: true })
  expect(refused.length).toBeGreaterThan(0)
  expect([[...begun, ...refused], running]).toEqual([all, begun.length])
})

test('no more work is accepted than the limit, and finished work makes room', async () => {
  load.close()
  load = createLoadLimiter(2)
  const [one, another, third] = [{}, {}, {}]
  expect([load.acquire(one), load.acquire(another), load.acquire(third)]).toEqual([true, true, false])
  load.release(third)
  expect([load.inFlight(), load.hasCapacity()]).toEqual([2, false])
  load.release(one)
  load.release(one)
  expect([load.inFlight(), load.hasCapacity(), load.acquire(third)]).toEqual([1, true, true])
})

test('while the processor is short, work of tenants begins in turn', async () => {
  await withoutRest({ isMoreComing: true })
  const begun: string[] = []
  const ask = (tenant: string) => {
    const work = {}
    expect(load.acquire(work, tenant)).toBe(true)
    load.schedule(work, { start: () => begun.push(tenant), refuse: () => expect.unreachable() })
  }
  for (let count = 0; count < 20; count++) ask('hot')
  ask('quiet')
  while (begun.length < 21) await turn()
  expect(begun.indexOf('quiet')).toBe(1)
})

test('over the limit, a tenant with less than its share is still let in, and one with more is not', () => {
  load.close()
  load = createLoadLimiter(8)
  const works = Array.from({ length: 8 }, () => ({}))
  for (const work of works) expect(load.acquire(work, 'hot')).toBe(true)
  expect([load.hasCapacity('hot'), load.hasCapacity(), load.hasCapacity('quiet')]).toEqual([false, false, true])
  const quiet = [{}, {}, {}]
  expect(quiet.map((work) => load.acquire(work, 'quiet'))).toEqual([true, true, false])
  expect(load.inFlight()).toBe(10)
  for (const work of [...works, ...quiet]) load.release(work)
  expect([load.inFlight(), load.hasCapacity('hot')]).toEqual([0, true])
})
