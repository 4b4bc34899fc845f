import { setImmediate as nextTick } from 'node:timers/promises'
import { policySteps } from '../pipeline/policy.ts'

/** How long others wait at most while tables are made ready. Milliseconds. */
const MAX_SLICE_MS = 5

const preparing = new Map<string, Promise<void>>()

/**
 * Makes the tables of a version ready, a few at a time, so that nobody waits for them but whoever
 * is to be answered from them. Resolves at once when they are, or when this release does not have
 * them.
 */
export function preparePolicy(version: string): Promise<void> {
  const known = preparing.get(version)
  if (known) return known
  const work = runInSlices(policySteps(version))
  preparing.set(version, work)
  return work
}

async function runInSlices(steps: Iterator<void>): Promise<void> {
  let since = performance.now()
  while (!steps.next().done) {
    if (performance.now() - since < MAX_SLICE_MS) continue
    await nextTick()
    since = performance.now()
  }
}
