/** `open` rejects every attempt; `half-open` allows one at a time as a probe. */
export type CircuitState = 'closed' | 'open' | 'half-open'

/** Result of an attempt. `abandoned` (the client left first) says nothing about the service. */
export type AttemptResult = 'answered' | 'failed' | 'abandoned'

/** Stops requests to a service that does not answer. */
export type CircuitBreaker = {
  readonly state: () => CircuitState
  /**
   * Permission for one attempt, as a function to report its result to once; null while rejected.
   */
  readonly enter: () => ((result: AttemptResult) => void) | null
}

/** When a circuit opens, and for how long it stays open. */
export type CircuitSettings = {
  /** Length of the sliding window. */
  readonly windowSeconds: number
  /** Fewer attempts in the window never open the circuit. */
  readonly minAttempts: number
  /** First open period. */
  readonly initialCoolingMs: number
  /** Longest open period. */
  readonly maxCoolingMs: number
}

/**
 * For our own services. Window and failure ratio are Hystrix' defaults
 * (metrics.rollingStats.timeInMilliseconds, circuitBreaker.errorThresholdPercentage); five attempts
 * and 30 seconds Envoy's (outlier detection: consecutive_5xx, base_ejection_time). One second
 * first: a probe is one cheap fetch, and a restart takes about that long.
 */
const DEFAULT_SETTINGS: CircuitSettings = { windowSeconds: 10, minAttempts: 5, initialCoolingMs: 1_000, maxCoolingMs: 30_000 }
/** The circuit opens at this share of failed attempts. */
const FAILURE_RATIO = 0.5

/**
 * A circuit that opens when half of at least `minAttempts` in the window failed. After the cooling
 * time one probe may go: success closes the circuit, failure doubles the time, which resets after a
 * whole closed window. `now` is monotonic, in milliseconds; `onChange` is called once per state
 * change.
 */
export function circuitBreaker({
  now,
  onChange,
  pace: {
    windowSeconds,
    minAttempts: leastAttempts,
    initialCoolingMs: firstCooling,
    maxCoolingMs: maxCooling,
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
  /** Counts state changes: results of attempts from an earlier state are ignored. */
  let era = 0

  return { state: () => state, enter }

  function enter(): ((result: AttemptResult) => void) | null {
    if (state === 'open' && now() - changedAt >= cooling) change('half-open')
    if (state === 'open' || isProbing) return null
    isProbing = state === 'half-open'
    const startEra = era
    return (result) => {
      if (startEra !== era) return
      if (state === 'half-open') onProbe(result)
      else if (result !== 'abandoned') record(result)
    }
  }

  function onProbe(result: AttemptResult): void {
    isProbing = false
    if (result === 'answered') change('closed')
    if (result === 'failed') open(cooling * 2)
  }

  function record(result: 'answered' | 'failed'): void {
    const second = Math.floor(now() / 1000)
    window.add(second, result)
    if (result === 'answered') return
    const { answered, failed } = window.total(second)
    if (failed + answered < leastAttempts || failed < FAILURE_RATIO * (failed + answered)) return
    const isRelapse = now() - changedAt < windowSeconds * 1000
    open(isRelapse ? cooling * 2 : firstCooling)
  }

  function open(milliseconds: number): void {
    cooling = Math.min(milliseconds, maxCooling)
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

/** Attempts of the last seconds by result, one bucket per second. */
function recentAttempts(windowSeconds: number) {
  const buckets = Array.from({ length: windowSeconds }, () => ({ second: Number.NEGATIVE_INFINITY, answered: 0, failed: 0 }))
  return {
    add(second: number, result: 'answered' | 'failed'): void {
      const index = second % windowSeconds
      const bucket = buckets[index]
      if (bucket?.second === second) bucket[result]++
      else buckets[index] = { second, answered: 0, failed: 0, [result]: 1 }
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
