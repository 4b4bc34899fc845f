import type { Logger } from 'pino'
import { type Graph, type HotSwappableGateway, hotSwappableGateway } from './hot-swap.ts'

/** A gateway whose graph is created from supergraph SDL. */
export type ServedGraph<Made extends Graph> = {
  /**
   * Serves a supergraph: the first creates the gateway, later ones replace the graph. Rejects when
   * `graphOf` does, without any change.
   */
  readonly serve: (sdl: string) => Promise<void>
  /** The gateway and its current graph. Throws before the first `serve`. */
  readonly current: () => { readonly gateway: HotSwappableGateway; readonly graph: Made }
}

/** Creates a served graph; its gateway is created with the first supergraph. */
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
