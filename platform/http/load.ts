/**
 * What a process is in the middle of, and whether it takes more on. An operation has ten seconds;
 * what waits behind hundreds of others is answered too late to be of use, and takes the time of
 * those that could be.
 */
export type LoadLimiter = {
  /** Counts `work` in; false, without any effect, over the limit. */
  readonly acquire: (work: object) => boolean
  /**
   * Starts accepted work in its turn: now, unless the processor is short and more arrives. Where
   * too much waits, the newest is rejected instead, and does not count any more.
   */
  readonly schedule: (work: object, then: Scheduled) => void
  /** Whether `acquire` would succeed now. Cheap: checked before a request is read. */
  readonly hasCapacity: () => boolean
  /**
   * Accepts the opening of a subscription; false where as many run as requests may at most. It
   * waits for a database or a subgraph, so it takes no capacity from requests, and a short
   * processor does not reduce it: after a cut all clients reconnect at once.
   */
  readonly acquireOpening: (work: object) => boolean
  /** `work` was answered or aborted; work that was not acquired is ignored. */
  readonly release: (work: object) => void
  /** A client connected: more may follow. */
  readonly onConnection: () => void
  /** A request was refused for lack of capacity. */
  readonly onRefusal: () => void
  /** Work in flight and its present limit; infinite without one. */
  readonly inFlight: () => number
  readonly limit: () => number
  readonly close: () => void
}

/** One of them is called, once, or none if the process ends before. */
export type Scheduled = { readonly start: () => void; readonly refuse: () => void }

/**
 * Lowest limit: the concurrent requests of one gateway to a subgraph, enough to keep a CPU and a
 * database busy.
 */
const MIN_LIMIT = 64
/**
 * While busy, the limit is the number of requests answered in this time, so the last one waits this
 * long (Little's law).
 */
const MAX_WAIT_MS = 1_000
/** Between two samples; the limit at most halves in this time. */
const SAMPLE_INTERVAL_MS = 500
/** Event loop utilization above which the process counts as busy. */
const BUSY_UTILIZATION_RATIO = 0.9
/** Length of the alternating slices that start waiting work and accept new connections. */
const SLICE_MS = 10

/**
 * A load of at most `highest`; 0 for no bound. So much may wait for databases and subgraphs; what
 * waits for the processor is bounded by the time that it takes.
 *
 * Node takes one new connection in a turn of the event loop. Were much work done in each turn, new
 * connections would wait where nobody sees them, in the system's queue, for many times as long. So
 * while the loop has no rest, and connections come or requests are refused, work waits here: slices
 * in which it begins take turns with slices in which whoever comes is let in. Requests over
 * connections that are there already are all seen in one turn, and need not wait.
 */
export function createLoadLimiter(highest: number): LoadLimiter {
  // A Set would keep answers alive that are long over (docs/adr/0018).
  const known = new WeakSet<object>()
  const openings = new WeakSet<object>()
  let opening = 0
  let running = 0
  const waiting: (Scheduled & { readonly work: object })[] = []
  const maxBound = highest === 0 ? Number.POSITIVE_INFINITY : highest
  let bound = maxBound
  let answered = 0
  let lookedAt = performance.now()
  let loop = performance.eventLoopUtilization()
  /** Since the last look. */
  let isMoreComing = false
  let isTooMuch = false
  let isCrowded = false
  let slice: 'arrivals' | 'work' = 'arrivals'
  let sliceBegan = 0
  /** Since the last turn. */
  let hasArrived = false
  const looking = setInterval(look, SAMPLE_INTERVAL_MS).unref()

  return {
    acquire(work) {
      hasArrived = true
      if (running >= bound) return false
      if (!known.has(work)) running++
      known.add(work)
      return true
    },
    schedule(work, { start, refuse }) {
      if (!isCrowded && waiting.length === 0) return start()
      if (waiting.push({ work, start, refuse }) === 1) setImmediate(turn)
    },
    hasCapacity: () => running < bound,
    acquireOpening(work) {
      if (opening >= maxBound) return false
      if (!openings.has(work)) opening++
      openings.add(work)
      return true
    },
    release(work) {
      if (openings.delete(work)) opening--
      if (gone(work)) answered++
    },
    onConnection: connected,
    onRefusal() {
      connected()
      isTooMuch = true
    },
    inFlight: () => running + opening,
    limit: () => bound,
    close: () => clearInterval(looking),
  }

  function gone(work: object): boolean {
    const wasKnown = known.delete(work)
    if (wasKnown) running--
    return wasKnown
  }

  function connected(): void {
    isMoreComing = true
    hasArrived = true
  }

  /** Starts one task at most: its load shows in the next turn. */
  function turn(): void {
    const now = performance.now()
    if (now - sliceBegan >= SLICE_MS || (slice === 'arrivals' && !hasArrived)) {
      slice = slice === 'work' ? 'arrivals' : 'work'
      sliceBegan = now
    }
    hasArrived = false
    if (slice === 'work') waiting.shift()?.start()
    if (waiting.length > 0) setImmediate(turn)
  }

  function look(): void {
    const isBusy = performance.eventLoopUtilization(loop).utilization > BUSY_UTILIZATION_RATIO
    isCrowded = isBusy && isMoreComing
    const since = performance.now() - lookedAt
    const fewer = Math.ceil(Math.max(MIN_LIMIT, (answered * MAX_WAIT_MS) / since, bound * 0.5 ** (since / SAMPLE_INTERVAL_MS)))
    bound = Math.min(maxBound, isBusy ? fewer : bound * 2)
    answered = 0
    lookedAt = performance.now()
    loop = performance.eventLoopUtilization()
    // A burst that there was room for is answered to its last, however long that takes.
    if (isBusy && isTooMuch) for (const { work, refuse } of waiting.splice(bound)) if (gone(work)) refuse()
    isMoreComing = false
    isTooMuch = false
  }
}
