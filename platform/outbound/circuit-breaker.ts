/** Whether a service is asked: `open` is no; `half-open` is one attempt at a time, to see whether it is back. */
export type CircuitState = 'closed' | 'open' | 'half-open'

/** What came of an attempt. `abandoned` says nothing about the service: the client was gone before it answered. */
export type AttemptResult = 'answered' | 'failed' | 'abandoned'

/** Stops asking who does not answer. */
export type CircuitBreaker = {
  readonly state: () => CircuitState
  /** Leave for one attempt, as the function that takes its outcome, once; null while nobody may try. */
  readonly enter: () => ((outcome: AttemptResult) => void) | null
}

/** When a circuit opens, and for how long. */
export type CircuitSettings = {
  /** What is looked back on. */
  readonly windowSeconds: number
  /** Fewer attempts than this in the window say nothing. */
  readonly minAttempts: number
  /** The first cooling time. Milliseconds. */
  readonly initialCoolingMs: number
  /** The longest. Milliseconds. */
  readonly maxCoolingMs: number
}

/**
 * For services of our own. The window is Hystrix' default, as is the half below (metrics.rollingStats.timeInMilliseconds,
 * circuitBreaker.errorThresholdPercentage); five attempts are Envoy's default for failures in a row (outlier detection, consecutive_5xx), 30 seconds its
 * base_ejection_time. One second at first: a probe is one fetch, so being early costs little, and a restart takes about that.
 */
const DEFAULT_SETTINGS: CircuitSettings = { windowSeconds: 10, minAttempts: 5, initialCoolingMs: 1_000, maxCoolingMs: 30_000 }
/** The circuit opens when this part of the window's attempts failed. */
const FAILURE_RATIO = 0.5

/**
 * A circuit that opens when half of the attempts of its window failed, and they were enough to tell. After a cooling time one attempt may go; its success
 * closes the circuit, its failure doubles the time. The time is short again only after the circuit was closed for a whole window. `now` is in milliseconds, of
 * any clock that does not go backwards; `onChange` is told of each change of state, once.
 */
export function circuitBreaker({
  now,
  onChange,
  pace: {
    windowSeconds,
    minAttempts: leastAttempts,
    initialCoolingMs: firstCooling,
    maxCoolingMs: longestCooling,
  } = DEFAULT_SETTINGS,
}: {
  readonly now: () => number
  readonly onChange: (state: CircuitState) => void
  readonly pace?: CircuitSettings
}): CircuitBreaker {
  const window = recentAttempts(windowSeconds)
  let state: CircuitState = 'closed'
  let changedAt = Number.NEGATIVE_INFINITY
  let cooling = 0
  let isProbing = false
  /** Counts changes: what was begun before one says nothing about the time after it. */
  let era = 0

  return { state: () => state, enter }

  function enter(): ((outcome: AttemptResult) => void) | null {
    if (state === 'open' && now() - changedAt >= cooling) change('half-open')
    if (state === 'open' || isProbing) return null
    isProbing = state === 'half-open'
    const begun = era
    return (outcome) => {
      if (begun !== era) return
      if (state === 'half-open') probed(outcome)
      else if (outcome !== 'abandoned') counted(outcome)
    }
  }

  function probed(outcome: AttemptResult): void {
    isProbing = false
    if (outcome === 'answered') change('closed')
    if (outcome === 'failed') open(cooling * 2)
  }

  function counted(outcome: 'answered' | 'failed'): void {
    const second = Math.floor(now() / 1000)
    window.add(second, outcome)
    if (outcome === 'answered') return
    const { answered, failed } = window.total(second)
    if (failed + answered < leastAttempts || failed < FAILURE_RATIO * (failed + answered)) return
    const isRelapse = now() - changedAt < windowSeconds * 1000
    open(isRelapse ? cooling * 2 : firstCooling)
  }

  function open(milliseconds: number): void {
    cooling = Math.min(milliseconds, longestCooling)
    change('open')
  }

  function change(to: CircuitState): void {
    state = to
    changedAt = now()
    era++
    window.clear()
    onChange(to)
  }
}

/** How many attempts of the last seconds were answered and failed: a bucket per second, however many there are. */
function recentAttempts(windowSeconds: number) {
  const buckets = Array.from({ length: windowSeconds }, () => ({ second: Number.NEGATIVE_INFINITY, answered: 0, failed: 0 }))
  return {
    add(second: number, outcome: 'answered' | 'failed'): void {
      const index = second % windowSeconds
      const bucket = buckets[index]
      if (bucket?.second === second) bucket[outcome]++
      else buckets[index] = { second, answered: 0, failed: 0, [outcome]: 1 }
    },
    total(second: number): { readonly answered: number; readonly failed: number } {
      const recent = buckets.filter((bucket) => bucket.second > second - windowSeconds)
      return {
        answered: recent.reduce((sum, { answered }) => sum + answered, 0),
        failed: recent.reduce((sum, { failed }) => sum + failed, 0),
      }
    },
    clear(): void {
      for (const bucket of buckets) bucket.second = Number.NEGATIVE_INFINITY
    },
  }
}
