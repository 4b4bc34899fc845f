/** A connection that has lasted so long was good: the attempts begin again. */
export const STABLE_MS = 10_000
/** Between attempts, doubled each time, with jitter. */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5_000

/**
 * Milliseconds before a lost subscription is opened again: half of it at least, so that gateways do
 * not come back all at once. `attempt` counts from 0.
 */
export const reconnectDelayMs = (attempt: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + Math.random() / 2)
