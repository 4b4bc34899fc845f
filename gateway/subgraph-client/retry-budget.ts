/** Retry budget of a subgraph, as in Finagle's RetryBudget. */
export type RetryBudgetOptions = {
  /** Retries per request: 0.2 allows one retry per five requests. */
  readonly ratio: number
  /** Retries per second that are always allowed. */
  readonly minimumPerSecond: number
}

export type RetryBudget = {
  /** Counts a request, which earns `ratio` retries. */
  readonly deposit: () => void
  /** Spends one retry; false when the budget is exhausted. */
  readonly withdraw: () => boolean
}

/** Period of the budget, as in Finagle's default. */
const WINDOW_SECONDS = 10

/**
 * Limits retries, so that a failing subgraph does not get a multiple of its load. The budget of a
 * period is its requests × `ratio` plus the minimum, minus its retries. `now`: a monotonic clock in
 * ms.
 */
export function createRetryBudget({ ratio, minimumPerSecond }: RetryBudgetOptions, now = () => performance.now()): RetryBudget {
  const requests = new Array<number>(WINDOW_SECONDS).fill(0)
  const retries = new Array<number>(WINDOW_SECONDS).fill(0)
  let second = Math.floor(now() / 1_000)

  return {
    deposit() {
      expire()
      requests[second % WINDOW_SECONDS] = (requests[second % WINDOW_SECONDS] ?? 0) + 1
    },
    withdraw() {
      expire()
      const allowed = sum(requests) * ratio + minimumPerSecond * WINDOW_SECONDS
      if (sum(retries) + 1 > allowed) return false
      retries[second % WINDOW_SECONDS] = (retries[second % WINDOW_SECONDS] ?? 0) + 1
      return true
    },
  }

  /** Clears the slots of expired seconds. */
  function expire(): void {
    const current = Math.floor(now() / 1_000)
    for (let passed = Math.min(current - second, WINDOW_SECONDS); passed > 0; passed--) {
      const slot = (current - passed + 1) % WINDOW_SECONDS
      requests[slot] = 0
      retries[slot] = 0
    }
    second = current
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
