import { expect, test } from 'vitest'
import { whileLoaded } from './support/fault.ts'
import { startLoad } from './support/ledger.ts'

test('work that fails under load ends the clients, also those that repeat a write until it is acknowledged', async () => {
  let attempts = 0
  const write = async () => {
    attempts++
    throw new Error('503 UNAVAILABLE')
  }
  const load = startLoad([{ name: 'order', isRepeatable: true, pause: 1, write, written: async () => [] }], 1)
  await expect(whileLoaded(load, () => load.more(1, 50))).rejects.toThrow('Expected order to be acknowledged')
  const before = attempts
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(attempts).toBe(before)
  expect(before).toBeGreaterThan(0)
})
