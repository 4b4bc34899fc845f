import type { Logger } from 'pino'
import type { Gateway } from '../gateway.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { countedOperation } from './counted-operation.ts'
import { createGraphGenerations, type Generation, type Graph } from './graph-generations.ts'
import { routedOperation, type VersionRoute } from './routed-operation.ts'

export type { Graph } from './graph-generations.ts'

/** A gateway whose graph can be replaced while it serves requests. */
export type HotSwappableGateway = Gateway & {
  /**
   * Makes `next` the graph of new operations. Running operations finish on theirs, which is then
   * released.
   */
  readonly swap: (next: Graph) => void
  /**
   * Runs the operations that `route` chooses on `next`, until another call. Null: all run on the
   * current graph again.
   */
  readonly routeToCandidate: (next: { readonly graph: Graph; readonly route: VersionRoute } | null) => void
  /** Swaps the candidate in; no effect without one. */
  readonly promoteCandidate: () => void
}

type Prepare = (gateway: Gateway) => PreparedOperation

/**
 * Serves `first` until another graph is swapped in. Clients of facades continue to use the graph
 * they were created with.
 */
export function hotSwappableGateway(first: Graph, log: Logger): HotSwappableGateway {
  const listeners = new Set<() => void>()
  const generations = createGraphGenerations(first, log)
  const { current, candidate, subscriptions, close } = generations
  let route: VersionRoute | null = null
  const graphChanged = () => {
    for (const listener of listeners) listener()
  }

  return {
    get schema() {
      return current().gateway.schema
    },
    get client() {
      return current().gateway.client
    },
    get cache() {
      return current().gateway.cache
    },
    get readsClientHeaders() {
      return current().gateway.readsClientHeaders || route?.readsHeaders === true
    },
    get queryTraces() {
      return current().gateway.queryTraces
    },
    get uploads() {
      return current().gateway.uploads
    },
    get limits() {
      return current().gateway.limits
    },
    get slots() {
      return current().gateway.slots
    },
    prepareText: (text, operationName) => prepare((gateway) => gateway.prepareText(text, operationName)),
    prepare: (params) => prepare((gateway) => gateway.prepare(params)),
    circuits: () => current().gateway.circuits(),
    subscriptions,
    onSwap: (listener) => void listeners.add(listener),
    swap(next) {
      generations.replace(next)
      graphChanged()
    },
    routeToCandidate(next) {
      const isRetired = candidate() !== null
      route = next?.route ?? null
      generations.replaceCandidate(next?.graph ?? null)
      if (isRetired) graphChanged()
    },
    promoteCandidate() {
      if (!candidate()) return
      route = null
      generations.promoteCandidate()
      graphChanged()
    },
    close,
  }

  function prepare(prepareIn: Prepare): PreparedOperation {
    const served = prepareOn(current(), prepareIn)
    if (!route) return served
    return routedOperation(served, route, () => {
      const generation = candidate()
      return generation && prepareOn(generation, prepareIn)
    })
  }

  function prepareOn(generation: Generation, prepareIn: Prepare): PreparedOperation {
    const prepared = prepareIn(generation.gateway)
    if (prepared.kind === 'rejected') return prepared
    const cached = generation.counted.get(prepared)
    if (cached) return cached
    const prepareAgain = () => prepareOn(current(), prepareIn)
    const operation = countedOperation(prepared, { generation, generations, prepareAgain })
    generation.counted.set(prepared, operation)
    return operation
  }
}
