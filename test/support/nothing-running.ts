import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

/** How long work that ends by itself may go on after its file. Milliseconds. */
const LIMIT_MS = 30_000

// A loop that a file leaves behind takes a processor from all files after it in the same process.
afterAll(async () => {
  const end = performance.now() + LIMIT_MS
  do await sleep(1)
  while (isLooping() && performance.now() < end)
  if (isLooping()) throw new Error('Expected a test file to leave nothing running, but it calls setImmediate again and again.')
}, 2 * LIMIT_MS)

/** Between two turns of the event loop something waits for the next one. */
const isLooping = (): boolean => process.getActiveResourcesInfo().includes('Immediate')
