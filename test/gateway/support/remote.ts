import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { graphql } from 'graphql'
import type { Counted } from './graph.ts'

/** One request, and all that may be done to the connection it came through. */
export type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly body: string }

/** A subgraph as another process would serve it. */
export type Remote = {
  readonly url: string
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly body: string }[]
  /** Connections that were ever opened. */
  readonly connections: () => number
  /**
   * What happens to the next requests, one each; then, and where it says null, they are answered.
   */
  readonly next: (((exchange: Exchange) => void) | null)[]
  /** What happens to every request that `next` does not concern. */
  always: ((exchange: Exchange) => void) | null
  readonly server: Server
}

/** Serves `subgraph` on a free port of loopback. */
export async function serveRemote(subgraph: Counted): Promise<Remote> {
  let connections = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    remote.requests.push({ headers: request.headers, body })
    const flaw = remote.next.shift() ?? remote.always
    if (flaw) return flaw({ request, response, body })
    response.setHeader('content-type', 'application/json').end(await answerOf(subgraph, body))
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const remote: Remote = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    requests: [],
    connections: () => connections,
    next: [],
    always: null,
    server,
  }
  return remote
}

/** What the subgraph has to say to the body of a request. */
export async function answerOf({ schema, context }: Counted, body: string): Promise<string> {
  const { query, variables } = JSON.parse(body)
  const contextValue = context({ requestId: '', address: '', credentials: {} })
  return JSON.stringify(await graphql({ schema, source: query, variableValues: variables, contextValue }))
}
