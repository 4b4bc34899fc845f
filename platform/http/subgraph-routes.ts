import type { IncomingMessage, ServerResponse } from 'node:http'

/** Request id and client address, as determined by the receiving process. */
export type RequestOrigin = { readonly requestId: string; readonly address: string }

/** HTTP routes that a subgraph answers itself, beside the graph, such as OAuth. */
export type SubgraphRoutes = {
  /** The routes, with the router's `:name` for a part of a path. */
  readonly routes: readonly {
    readonly method: 'GET' | 'POST' | 'OPTIONS'
    readonly path: string
    /** True where a part of the path is a secret, which no log may have. */
    readonly hasSecretPath?: boolean
  }[]
  /** Answers. The body has not been read. Rejects only when the answer could not be begun. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, from: RequestOrigin) => Promise<void>
}

/** The routes of all of these; each answers the requests whose path begins as one of its own does. */
export const joinedRoutes = (all: readonly SubgraphRoutes[]): SubgraphRoutes => ({
  routes: all.flatMap(({ routes }) => routes),
  handle: async (request, response, from) => {
    const path = request.url ?? ''
    const owner = all.find(({ routes }) => routes.some((route) => path.startsWith(route.path.split(':', 1)[0] ?? route.path)))
    if (!owner) throw new Error(`Expected a path of ${all.length} handlers, got ${path}.`)
    await owner.handle(request, response, from)
  },
})
