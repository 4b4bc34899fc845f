import { expect, test } from 'vitest'
import { loadOnce } from '../../../platform/process/load-once.ts'

test('callers at once share one load, and nothing is loaded before the first', async () => {
  let loads = 0
  const loading = loadOnce(async () => {
    loads++
    await null
    return { loads }
  })
  expect(loading.started()).toBeNull()
  const [one, other] = await Promise.all([loading.get(), loading.get()])
  expect(one).toBe(other)
  expect(await loading.get()).toBe(one)
  expect(await loading.started()).toBe(one)
  expect(loads).toBe(1)
})

test('a failed load rejects all who wait for it, and is tried again by the next', async () => {
  let loads = 0
  const loading = loadOnce(async () => {
    loads++
    if (loads === 1) throw new Error('too many open files')
    return 'loaded'
  })
  const results = await Promise.allSettled([loading.get(), loading.get()])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(loading.started()).toBeNull()
  expect(await loading.get()).toBe('loaded')
  expect(loads).toBe(2)
})
