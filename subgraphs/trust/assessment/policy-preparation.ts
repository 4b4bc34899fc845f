import { setImmediate as nextTick } from 'node:timers/promises'
import { policySteps } from '../pipeline/policy.ts'

/** How long others wait at most while tables are made ready. Milliseconds. */
const MAX_SLICE_MS = 5

const preparing = new Map<string, Promise<void>>()

/**
 * Loads the tables of a version in small steps, so that only requests for that version wait.
 * Resolves at once when they are loaded, or unknown to this release.
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
