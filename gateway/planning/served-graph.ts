import type { Logger } from 'pino'
import { type Graph, type HotSwappableGateway, hotSwappableGateway } from './hot-swap.ts'

/** A gateway whose graphs are made from the SDL of supergraphs. */
export type ServedGraph<Made extends Graph> = {
  /**
   * Serves a supergraph: the first one creates the gateway, others replace it. Rejects with what
   * `graphOf` rejects with, and changes nothing then.
   */
  readonly serve: (sdl: string) => Promise<void>
  /** The gateway and its present graph. Throws before the first one. */
  readonly current: () => { readonly gateway: HotSwappableGateway; readonly graph: Made }
}

/** Creates a gateway with the first supergraph that is served. */
export function createServedGraph<Made extends Graph>(
  graphOf: (sdl: string) => Made | Promise<Made>,
  log: Logger,
): ServedGraph<Made> {
  let current: ReturnType<ServedGraph<Made>['current']> | null = null
  return {
    async serve(sdl) {
      const graph = await graphOf(sdl)
      if (current) current.gateway.swap(graph)
      current = { gateway: current?.gateway ?? hotSwappableGateway(graph, log), graph }
    },
    current() {
      if (!current) throw new Error('Expected a supergraph that is served.')
      return current
    },
  }
}
