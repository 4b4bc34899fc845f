import { expect, test } from 'vitest'
import { createTurns } from '../../../subgraphs/toolkit/turns.ts'

/** Keeps the event loop for so long. */
function work(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

/** Turns of the event loop that others had while `task` ran. */
async function turnsDuring(task: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isRunning = true
  const count = (): void => {
    turns++
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  await task()
  isRunning = false
  return turns
}

test('work that many begin together leaves turns to others, and each gets its own in order', async () => {
  const turn = createTurns(5)
  const done: number[] = []
  const all = Array.from({ length: 60 }, (_, number) => number)
  const turns = await turnsDuring(() =>
    Promise.all(
      all.map(async (number) => {
        await turn()
        work(2)
        done.push(number)
      }),
    ),
  )
  expect(done).toEqual(all)
  expect(turns).toBeGreaterThanOrEqual(15)
})

test('work that ends before the turn does shares it with the next', async () => {
  const turn = createTurns(60_000)
  const turns = await turnsDuring(() => Promise.all(Array.from({ length: 60 }, () => turn())))
  expect(turns).toBeLessThanOrEqual(3)
})

test('a call when none is waiting, or within its own turn, continues as well', async () => {
  const turn = createTurns(5)
  await turn()
  await turn()
  expect(await Promise.all([turn().then(turn), turn()])).toEqual([undefined, undefined])
})
