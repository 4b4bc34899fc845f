import type { Logger } from 'pino'
import { type Graph, type HotSwappableGateway, hotSwappableGateway } from './hot-swap.ts'

/** A gateway whose graph is created from supergraph SDL. */
export type ServedGraph<Made extends Graph> = {
  /**
   * Serves a supergraph: the first creates the gateway, later ones replace the graph. Rejects when
   * `graphOf` does, without any change.
   */
  readonly serve: (sdl: string) => Promise<void>
  /** Replaces the graph by that of another supergraph. Throws before the first `serve`. */
  readonly replace: (sdl: string, graph: Made) => void
  /** Records a candidate that the gateway has swapped in. */
  readonly promoted: (sdl: string, graph: Made) => void
  /** The gateway, its current graph and the SDL of that. Throws before the first `serve`. */
  readonly current: () => { readonly gateway: HotSwappableGateway; readonly graph: Made; readonly sdl: string }
}

/** Creates a served graph; its gateway is created with the first supergraph. */
export function createServedGraph<Made extends Graph>(
  graphOf: (sdl: string) => Made | Promise<Made>,
  log: Logger,
): ServedGraph<Made> {
  let current: ReturnType<ServedGraph<Made>['current']> | null = null
  const orThrow = () => {
    if (!current) throw new Error('Expected a supergraph that is served.')
    return current
  }
  const replace = (sdl: string, graph: Made): void => {
    const { gateway } = orThrow()
    gateway.swap(graph)
    current = { gateway, graph, sdl }
  }
  return {
    async serve(sdl) {
      const graph = await graphOf(sdl)
      if (current) replace(sdl, graph)
      else current = { gateway: hotSwappableGateway(graph, log), graph, sdl }
    },
    replace,
    promoted(sdl, graph) {
      if (current) current = { ...current, graph, sdl }
    },
    current: orThrow,
  }
}
