/** Duration of a connection after which its attempt counter is reset. */
export const STABLE_MS = 10_000
/** Delays between reconnection attempts: doubled each time, with jitter. */
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5_000

/**
 * Delay before reconnecting, with a jitter of 50 to 100 %, so that gateways do not reconnect at the
 * same moment. `attempt` starts at 0.
 */
export const reconnectDelayMs = (attempt: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** attempt, MAX_DELAY_MS) * (0.5 + Math.random() / 2)
