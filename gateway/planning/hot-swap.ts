import type { Logger } from 'pino'
import type { Gateway } from '../gateway.ts'
import type { PreparedOperation } from '../operations/prepared-operation.ts'
import { countedOperation } from './counted-operation.ts'
import { createGraphGenerations, type Graph } from './graph-generations.ts'

export type { Graph } from './graph-generations.ts'

/** A gateway whose graph can be replaced while it serves requests. */
export type HotSwappableGateway = Gateway & {
  /**
   * Makes `next` the graph of new operations. Running operations finish on theirs, which is then
   * released.
   */
  readonly swap: (next: Graph) => void
}

type Prepare = (gateway: Gateway) => PreparedOperation

/**
 * Serves `first` until another graph is swapped in. Clients of facades continue to use the graph
 * they were created with.
 */
export function hotSwappableGateway(first: Graph, log: Logger): HotSwappableGateway {
  const listeners = new Set<() => void>()
  const generations = createGraphGenerations(first, log)
  const { current, subscriptions, close } = generations

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
      return current().gateway.readsClientHeaders
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
      for (const listener of listeners) listener()
    },
    close,
  }

  function prepare(prepareIn: Prepare): PreparedOperation {
    const generation = current()
    const prepared = prepareIn(generation.gateway)
    if (prepared.kind === 'rejected') return prepared
    const cached = generation.counted.get(prepared)
    if (cached) return cached
    const operation = countedOperation(prepared, { generation, generations, prepareAgain: () => prepare(prepareIn) })
    generation.counted.set(prepared, operation)
    return operation
  }
}
