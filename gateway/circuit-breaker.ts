/** Whether a subgraph is asked: `open` is no; `half-open` is one fetch at a time, to see whether it is back. */
export type CircuitState = 'closed' | 'open' | 'half-open'

/** What came of an attempt. `abandoned` says nothing about the subgraph: the client was gone before it answered. */
export type AttemptOutcome = 'answered' | 'failed' | 'abandoned'

/** Stops asking who does not answer. */
export type CircuitBreaker = {
  readonly state: () => CircuitState
  /** Leave for one attempt, as the function that takes its outcome, once; null while nobody may try. */
  readonly enter: () => ((outcome: AttemptOutcome) => void) | null
}

/** What is looked back on. Hystrix' default, as is the half (metrics.rollingStats.timeInMilliseconds, circuitBreaker.errorThresholdPercentage). */
const WINDOW_SECONDS = 10
/** Fewer attempts than this in the window say nothing. Envoy's default for failures in a row (outlier detection, consecutive_5xx). */
const LEAST_ATTEMPTS = 5
/** The circuit opens when this part of the window's attempts failed. */
const FAILED_PART = 0.5
/** The first cooling time. A probe is one fetch, so being early costs little, and a restart takes about a second. */
const FIRST_COOLING = 1_000
/** The longest. Envoy's base_ejection_time. */
const LONGEST_COOLING = 30_000

/**
 * A circuit that opens when half of the attempts of the last ten seconds failed, five at least. After a cooling time one attempt may go; its success closes the
 * circuit, its failure doubles the time. The time is short again only after the circuit was closed for a whole window. `now` is in milliseconds, of any clock
 * that does not go backwards; `onChange` is told of each change of state, once.
 */
export function circuitBreaker({
  now,
  onChange,
}: {
  readonly now: () => number
  readonly onChange: (state: CircuitState) => void
}): CircuitBreaker {
  const window = recentAttempts()
  let state: CircuitState = 'closed'
  let changedAt = Number.NEGATIVE_INFINITY
  let cooling = 0
  let isProbing = false
  /** Counts changes: what was begun before one says nothing about the time after it. */
  let era = 0

  return { state: () => state, enter }

  function enter(): ((outcome: AttemptOutcome) => void) | null {
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

  function probed(outcome: AttemptOutcome): void {
    isProbing = false
    if (outcome === 'answered') change('closed')
    if (outcome === 'failed') open(cooling * 2)
  }

  function counted(outcome: 'answered' | 'failed'): void {
    const second = Math.floor(now() / 1000)
    window.add(second, outcome)
    if (outcome === 'answered') return
    const { answered, failed } = window.total(second)
    if (failed + answered < LEAST_ATTEMPTS || failed < FAILED_PART * (failed + answered)) return
    const isRelapse = now() - changedAt < WINDOW_SECONDS * 1000
    open(isRelapse ? cooling * 2 : FIRST_COOLING)
  }

  function open(milliseconds: number): void {
    cooling = Math.min(milliseconds, LONGEST_COOLING)
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

/** How many attempts of the last ten seconds were answered and failed: a bucket per second, however many there are. */
function recentAttempts() {
  const buckets = Array.from({ length: WINDOW_SECONDS }, () => ({ second: Number.NEGATIVE_INFINITY, answered: 0, failed: 0 }))
  return {
    add(second: number, outcome: 'answered' | 'failed'): void {
      const index = second % WINDOW_SECONDS
      const bucket = buckets[index]
      if (bucket?.second === second) bucket[outcome]++
      else buckets[index] = { second, answered: 0, failed: 0, [outcome]: 1 }
    },
    total(second: number): { readonly answered: number; readonly failed: number } {
      const recent = buckets.filter((bucket) => bucket.second > second - WINDOW_SECONDS)
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
