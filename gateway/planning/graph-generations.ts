import type { Logger } from 'pino'
import type { Gateway } from '../gateway.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'

/** A gateway and its resources. */
export type Graph = {
  readonly gateway: Gateway
  /** Called once, after the graph's last operation. */
  readonly release: () => Promise<unknown>
}

/** A graph with the number of its running operations. */
export type Generation = Graph & {
  running: number
  /** Whether it receives new operations. */
  isCurrent: boolean
  isReleased: boolean
  /** Prepared operations of its gateway, wrapped for counting. */
  readonly counted: WeakMap<PreparedOperation, PreparedOperation>
}

/** Graphs of a process: the current one, a candidate, and replaced ones with running operations. */
export type GraphGenerations = {
  readonly current: () => Generation
  /** The graph of a share of the new operations; null without one. */
  readonly candidate: () => Generation | null
  /** Replaces the candidate; null: ends it. The one before is released after its last operation. */
  readonly replaceCandidate: (next: Graph | null) => void
  /** Makes the candidate the current graph; no effect without one. */
  readonly promoteCandidate: () => void
  /** Makes `next` the current graph. The previous one is released after its last operation. */
  readonly replace: (next: Graph) => void
  readonly operationBegan: (generation: Generation) => void
  readonly operationEnded: (generation: Generation) => void
  /** Number of open subscriptions, in all generations. */
  readonly subscriptions: () => number
  /** Releases every generation. Resolves when all are released. */
  readonly close: () => Promise<void>
}

export function createGraphGenerations(first: Graph, log: Logger): GraphGenerations {
  const generations = new Set<Generation>()
  const releasing = new Set<Promise<unknown>>()
  let current = add(first)
  let candidate: Generation | null = null

  return {
    current: () => current,
    candidate: () => candidate,
    replace(next) {
      const previous = current
      current = add(next)
      retire(previous)
    },
    replaceCandidate(next) {
      const previous = candidate
      candidate = next && add(next)
      if (previous) retire(previous)
    },
    promoteCandidate() {
      if (!candidate) return
      const previous = current
      current = candidate
      candidate = null
      retire(previous)
    },
    operationBegan(generation) {
      generation.running++
    },
    operationEnded(generation) {
      generation.running--
      releaseWhenIdle(generation)
    },
    subscriptions: () => [...generations].reduce((sum, { gateway }) => sum + gateway.subscriptions(), 0),
    async close() {
      for (const generation of generations) release(generation)
      await Promise.all(releasing)
    },
  }

  function add(graph: Graph): Generation {
    const generation: Generation = { ...graph, running: 0, isCurrent: true, isReleased: false, counted: new WeakMap() }
    generations.add(generation)
    return generation
  }

  function retire(generation: Generation): void {
    generation.isCurrent = false
    releaseWhenIdle(generation)
  }

  function releaseWhenIdle(generation: Generation): void {
    if (!generation.isCurrent && generation.running === 0) release(generation)
  }

  function release(generation: Generation): void {
    if (generation.isReleased) return
    generation.isReleased = true
    generations.delete(generation)
    const ending = generation.gateway
      .close()
      .then(generation.release)
      .catch((error: unknown) => log.error({ err: error }, 'a replaced graph could not be released'))
      .finally(() => releasing.delete(ending))
    releasing.add(ending)
  }
}
