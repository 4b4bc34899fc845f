import { fairQueue } from '../collections/fair-queue.ts'

/**
 * What a process is in the middle of, and whether it takes more on. An operation has ten seconds;
 * what waits behind hundreds of others is answered too late to be of use, and takes the time of
 * those that could be.
 */
export type LoadLimiter = {
  /**
   * Counts `work` in; false, without any effect, over the limit. A tenant with less than its share
   * of the limit still gets in, up to a quarter over it. Absent: nobody in particular.
   */
  readonly acquire: (work: object, tenant?: string) => boolean
  /**
   * Starts accepted work in its turn: now, unless this turn of the event loop has started enough,
   * or the processor is short and more arrives. Tenants take turns. Where too much waits, the
   * newest of those with most is rejected instead, and does not count any more.
   */
  readonly schedule: (work: object, then: Scheduled) => void
  /** Whether `acquire` would succeed now. Cheap: checked before a request is read. */
  readonly hasCapacity: (tenant?: string) => boolean
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
/** Tenant of work of nobody in particular. */
const NOBODY = ''
/** Between two samples; the limit at most halves in this time. */
const SAMPLE_INTERVAL_MS = 500
/** Event loop utilization above which the process counts as busy. */
const BUSY_UTILIZATION_RATIO = 0.9
/** What tenants with less than their share may take over the limit, as a share of it. */
const OVERFLOW_RATIO = 0.25
/**
 * Time for starting work in one turn of the event loop, and the length of the alternating slices
 * that start waiting work and accept new connections.
 */
const SLICE_MS = 10

/**
 * A load of at most `highest`; 0 for no bound. So much may wait for databases and subgraphs; what
 * waits for the processor is bounded by the time that it takes.
 *
 * Node takes one new connection in a turn of the event loop. Were much work done in each turn, new
 * connections would wait where nobody sees them, in the system's queue, for many times as long. So
 * while the loop has no rest, and connections come or requests are refused, work waits here: slices
 * in which it begins take turns with slices in which whoever comes is let in. Requests over
 * connections that are there already are all seen in one turn: what a slice cannot start is started
 * in the next ones, so that answers and timers of others come in between.
 */
export function createLoadLimiter(highest: number): LoadLimiter {
  const openings = new WeakSet<object>()
  let opening = 0
  const work = countWork()
  const waiting = fairQueue<Scheduled & { readonly work: object }>()
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
  const hasTurnTime = createTurnBudget()
  const startLater = () => setImmediate(() => (isCrowded ? turn() : startSlice()))
  /** Since the last turn. */
  let hasArrived = false
  const looking = setInterval(look, SAMPLE_INTERVAL_MS).unref()

  return {
    acquire(each, tenant) {
      hasArrived = true
      if (!hasCapacity(tenant)) return false
      work.add(each, tenant ?? NOBODY)
      return true
    },
    schedule(each, { start, refuse }) {
      if (!isCrowded && waiting.size() === 0 && hasTurnTime()) return start()
      waiting.push(work.tenantOf(each) ?? NOBODY, { work: each, start, refuse })
      if (waiting.size() === 1) startLater()
    },
    hasCapacity,
    acquireOpening(work) {
      if (opening >= maxBound) return false
      if (!openings.has(work)) opening++
      openings.add(work)
      return true
    },
    release(each) {
      if (openings.delete(each)) opening--
      if (work.remove(each)) answered++
    },
    onConnection: connected,
    onRefusal() {
      connected()
      isTooMuch = true
    },
    inFlight: () => work.running() + opening,
    limit: () => bound,
    close: () => clearInterval(looking),
  }

  function hasCapacity(tenant?: string): boolean {
    if (work.running() < bound) return true
    const overflowBound = Math.floor(bound * (1 + OVERFLOW_RATIO))
    return tenant !== undefined && work.running() < overflowBound && work.isBelowShare(tenant, bound)
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
    if (waiting.size() > 0) startLater()
  }

  /** What a task does before it waits for something counts: it runs in front of the next. */
  function startSlice(end = performance.now() + SLICE_MS): void {
    waiting.shift()?.start()
    if (waiting.size() > 0) queueMicrotask(() => (performance.now() < end ? startSlice(end) : startLater()))
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
    if (isBusy && isTooMuch) for (const { work: each, refuse } of waiting.trim(bound)) if (work.remove(each)) refuse()
    isMoreComing = false
    isTooMuch = false
  }
}

/** Says whether a turn of the event loop is shorter than a slice, counted from the first call in it. */
function createTurnBudget(): () => boolean {
  let beganAt: number | null = null
  const onNextTurn = (): void => {
    beganAt = null
  }

  return () => {
    const now = performance.now()
    if (beganAt === null) {
      beganAt = now
      setImmediate(onNextTurn)
    }
    return now - beganAt < SLICE_MS
  }
}

/** Running work, and how much each tenant has of it. */
function countWork() {
  // A Set would keep answers alive that are long over (docs/adr/0018).
  const tenants = new WeakMap<object, string>()
  const counts = new Map<string, number>()
  let running = 0

  return {
    running: () => running,
    tenantOf: (work: object) => tenants.get(work),
    add(work: object, tenant: string): void {
      if (tenants.has(work)) return
      tenants.set(work, tenant)
      running++
      counts.set(tenant, (counts.get(tenant) ?? 0) + 1)
    },
    /** False when it does not run. */
    remove(work: object): boolean {
      const tenant = tenants.get(work)
      if (tenant === undefined) return false
      tenants.delete(work)
      running--
      const left = (counts.get(tenant) ?? 1) - 1
      if (left > 0) counts.set(tenant, left)
      else counts.delete(tenant)
      return true
    },
    /** Whether it has less than an equal share of `total`, counted in where it has nothing yet. */
    isBelowShare(tenant: string, total: number): boolean {
      const own = counts.get(tenant)
      return (own ?? 0) < total / (counts.size + (own === undefined ? 1 : 0))
    },
  }
}
