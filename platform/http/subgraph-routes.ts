import type { IncomingMessage, ServerResponse } from 'node:http'

/** Where a request comes from, as the process that took it says. */
export type From = { readonly requestId: string; readonly address: string }

/** Requests that a subgraph answers itself, beside the graph: a protocol that is spoken over HTTP as it is. */
export type SubgraphRoutes = {
  /** What comes here, with the router's `:name` for a part of a path. */
  readonly routes: readonly {
    readonly method: 'GET' | 'POST' | 'OPTIONS'
    readonly path: string
    /** True where a part of the path is a secret, which no log may have. */
    readonly hasSecretPath?: boolean
  }[]
  /** Answers. The body has not been read. Rejects only when the answer could not be begun. */
  readonly answer: (request: IncomingMessage, response: ServerResponse, from: From) => Promise<void>
}
