/**
 * What a process is in the middle of, and whether it takes more on. An operation has ten seconds; what waits behind hundreds of others is answered too late to be
 * of use, and takes the time of those that could be.
 */
export type Load = {
  /** Takes `work` on; false, and nothing is noted, where there is no room for it. */
  readonly enter: (work: object) => boolean
  /**
   * Starts what was taken on when it is its turn: now, unless the processor is short and more comes all the time. Where too much waits for that, the newest of it is
   * refused instead, and is not under way any more.
   */
  readonly begin: (work: object, then: Then) => void
  /** Whether `enter` would take something on now. Costs nothing, so it is asked before a request is read. */
  readonly hasRoom: () => boolean
  /**
   * Takes the opening of a subscription on; false where as many are under way as requests may be at the most. It waits for a database or a subgraph, so it takes
   * no room from requests, and the processor being short does not make it fewer: everybody who was cut off comes back at once.
   */
  readonly enterOpening: (work: object) => boolean
  /** `work` is answered, or given up; what was not taken on is ignored. */
  readonly leave: (work: object) => void
  /** Somebody connected, and others may. */
  readonly connected: () => void
  /** Somebody was told that there is no room, and others may have to be. */
  readonly refused: () => void
  /** How much is under way, and how much may be; infinite without a bound. */
  readonly running: () => number
  readonly most: () => number
  readonly close: () => void
}

/** One of them is called, once, or none if the process ends before. */
export type Then = { readonly start: () => void; readonly refuse: () => void }

/** Under way at least, whatever it takes: as many as one gateway asks a subgraph at once (`http-link.ts`), and enough to keep a processor and a database busy. */
const LEAST = 64
/** While the event loop has no rest, no more than is answered in this time is under way, so that it is what the last of it waits (Little's law). Milliseconds. */
const WAIT = 1_000
/** Between two looks, and what the bound is halved in at most, so that a burst of half of it has a second to arrive in. Milliseconds. */
const LOOK = 500
/** No rest: with a tenth of the time left the loop waits for others, and can take more on. */
const BUSY = 0.9
/** How long work is begun for before arrivals are looked at again, and how long they are looked at for while they come. Milliseconds. */
const SLICE = 10

/**
 * A load of at most `highest`; 0 for no bound. So much may wait for databases and subgraphs; what waits for the processor is bounded by the time that it takes.
 *
 * Node takes one new connection in a turn of the event loop. Were much work done in each turn, new connections would wait where nobody sees them, in the system's
 * queue, for many times as long. So while the loop has no rest, and connections come or requests are refused, work waits here: slices in which it begins take turns
 * with slices in which whoever comes is let in. Requests over connections that are there already are all seen in one turn, and need not wait.
 */
export function loadOf(highest: number): Load {
  // A Set would keep answers alive that are long over (docs/decisions.md, 98).
  const known = new WeakSet<object>()
  const openings = new WeakSet<object>()
  let opening = 0
  let running = 0
  const waiting: (Then & { readonly work: object })[] = []
  const most = highest === 0 ? Number.POSITIVE_INFINITY : highest
  let bound = most
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
  const looking = setInterval(look, LOOK).unref()

  return {
    enter(work) {
      hasArrived = true
      if (running >= bound) return false
      if (!known.has(work)) running++
      known.add(work)
      return true
    },
    begin(work, { start, refuse }) {
      if (!isCrowded && waiting.length === 0) return start()
      if (waiting.push({ work, start, refuse }) === 1) setImmediate(turn)
    },
    hasRoom: () => running < bound,
    enterOpening(work) {
      if (opening >= most) return false
      if (!openings.has(work)) opening++
      openings.add(work)
      return true
    },
    leave(work) {
      if (openings.delete(work)) opening--
      if (gone(work)) answered++
    },
    connected,
    refused() {
      connected()
      isTooMuch = true
    },
    running: () => running + opening,
    most: () => bound,
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

  /** Begins one thing at most: what that takes goes on after this function, and is seen in the next turn. */
  function turn(): void {
    const now = performance.now()
    if (now - sliceBegan >= SLICE || (slice === 'arrivals' && !hasArrived)) {
      slice = slice === 'work' ? 'arrivals' : 'work'
      sliceBegan = now
    }
    hasArrived = false
    if (slice === 'work') waiting.shift()?.start()
    if (waiting.length > 0) setImmediate(turn)
  }

  function look(): void {
    const isBusy = performance.eventLoopUtilization(loop).utilization > BUSY
    isCrowded = isBusy && isMoreComing
    const since = performance.now() - lookedAt
    const fewer = Math.ceil(Math.max(LEAST, (answered * WAIT) / since, bound * 0.5 ** (since / LOOK)))
    bound = Math.min(most, isBusy ? fewer : bound * 2)
    answered = 0
    lookedAt = performance.now()
    loop = performance.eventLoopUtilization()
    // A burst that there was room for is answered to its last, however long that takes.
    if (isBusy && isTooMuch) for (const { work, refuse } of waiting.splice(bound)) if (gone(work)) refuse()
    isMoreComing = false
    isTooMuch = false
  }
}
