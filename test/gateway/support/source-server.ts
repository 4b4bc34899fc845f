import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request to a source. */
export type SourceExchange = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: string
}

/** A server that a supergraph comes from. */
export type SourceServer = {
  /** Without a slash at the end. */
  readonly url: string
  readonly requests: {
    readonly method: string
    readonly url: string
    readonly headers: IncomingHttpHeaders
    readonly body: string
  }[]
  /** What is done with each request. */
  answer: (exchange: SourceExchange) => void
  readonly close: () => void
}

/** Serves on a free port of loopback. */
export async function startSourceServer(answer: SourceServer['answer']): Promise<SourceServer> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url = '', headers } = request
    source.requests.push({ method, url, headers, body })
    source.answer({ request, response, body })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const source: SourceServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer,
    close: () => void server.close().closeAllConnections(),
  }
  return source
}

/** Answers with SDL, by its ETag. */
export const sdlWithEtag =
  (sdl: string, etag: string): SourceServer['answer'] =>
  ({ request, response }) => {
    response.setHeader('etag', etag)
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end()
    else response.setHeader('content-type', 'text/plain').end(sdl)
  }

/** Answers with a status and a text. */
export const status =
  (code: number, text = '', headers: Record<string, string> = {}): SourceServer['answer'] =>
  ({ response }) =>
    void response.writeHead(code, headers).end(text)
