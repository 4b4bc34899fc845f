import type { IncomingMessage, ServerResponse } from 'node:http'

/** Request id and client address, as the process that received the request says. */
export type RequestOrigin = { readonly requestId: string; readonly address: string }

/** HTTP routes that a subgraph answers itself, beside the graph, such as OAuth. */
export type SubgraphRoutes = {
  /** What comes here, with the router's `:name` for a part of a path. */
  readonly routes: readonly {
    readonly method: 'GET' | 'POST' | 'OPTIONS'
    readonly path: string
    /** True where a part of the path is a secret, which no log may have. */
    readonly hasSecretPath?: boolean
  }[]
  /** Answers. The body has not been read. Rejects only when the answer could not be begun. */
  readonly handle: (request: IncomingMessage, response: ServerResponse, from: RequestOrigin) => Promise<void>
}
