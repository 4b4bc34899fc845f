/** How many retries a subgraph gets beside its requests, as in Finagle's RetryBudget. */
export type RetryBudgetOptions = {
  /** Retries per request: 0.2 allows one retry for five requests. */
  readonly ratio: number
  /** Retries per second that are allowed whatever the number of requests. */
  readonly minimumPerSecond: number
}

export type RetryBudget = {
  /** Counts a request, which pays for a share of a retry. */
  readonly deposit: () => void
  /** Whether one more retry is allowed; it is then paid. */
  readonly withdraw: () => boolean
}

/** How long a request pays for retries: as long as Finagle's default. */
const WINDOW_SECONDS = 10

/**
 * A budget of retries, so that a failing subgraph does not get many times its load. Requests of the
 * last ten seconds pay, each with `ratio`; retries of the same time are taken off. `now`: a
 * monotonic clock in milliseconds.
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

  /** Empties the slots of seconds that have passed. */
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
