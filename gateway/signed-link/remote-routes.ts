import { IncomingMessage, type ServerResponse } from 'node:http'
import type { RequestOrigin, SubgraphRoutes } from '../../platform/http/subgraph-routes.ts'
import { ConnectionPool } from '../../platform/outbound/undici.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { Sign } from './signature.ts'

/** Route on which a subgraph receives forwarded HTTP requests. */
export const SUBGRAPH_ROUTES_PATH = '/door'

/**
 * Headers not forwarded: hop-by-hop headers (RFC 9110 §7.6.1), and those set by the forwarding
 * process.
 */
const UNFORWARDED_HEADERS = new Set([
  'connection',
  'content-length',
  'date',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** A forwarded request with its origin, all of it signed. */
type Carried = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** Body as Base64. */
  readonly body: string
  readonly from: RequestOrigin
}

/** HTTP routes of a remote subgraph: forwards requests and responses. */
export function remoteRoutes(
  routes: SubgraphRoutes['routes'],
  { url, sign }: { readonly url: string; readonly sign: Sign },
): { readonly httpRoutes: SubgraphRoutes; readonly close: () => Promise<void> } {
  const pool = new ConnectionPool(new URL(url).origin, {
    headersTimeout: BOUNDS.operationTimeoutMs,
    bodyTimeout: BOUNDS.operationTimeoutMs,
  })
  return { httpRoutes: { routes, handle: answer }, close: () => pool.destroy() }

  async function answer(request: IncomingMessage, response: ServerResponse, from: RequestOrigin): Promise<void> {
    const bytes = await bytesOf(request)
    if (!bytes) {
      response.writeHead(413, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
      response.end(JSON.stringify({ error: 'invalid_request', error_description: 'Expected a shorter body.' }))
      return
    }
    const { method = '', url = '', headers } = request
    const carried: Carried = { method, url, headers: forwardedHeaders(headers), body: bytes.toString('base64'), from }
    const body = JSON.stringify(carried)
    const own = { accept: '*/*', 'content-type': 'application/json', 'x-request-id': from.requestId }
    const answered = await pool.request({
      method: 'POST',
      path: SUBGRAPH_ROUTES_PATH,
      headers: { ...own, ...sign({ method: 'POST', path: SUBGRAPH_ROUTES_PATH, headers: own }, body) },
      body,
    })
    response.writeHead(answered.statusCode, forwardedHeaders(answered.headers))
    response.end(await answered.body.bytes())
  }
}

/** Restores a forwarded request. */
export function carriedRequest(
  text: string,
  { socket }: IncomingMessage,
): { readonly request: IncomingMessage; readonly from: RequestOrigin } {
  // The signature shows that another process of this installation created it.
  const { method, url, headers, body, from } = JSON.parse(text) as Carried
  const bytes = Buffer.from(body, 'base64')
  const request = new IncomingMessage(socket)
  Object.assign(request, { method, url, httpVersion: '1.1' })
  request.headers = { ...headers, ...(bytes.length > 0 && { 'content-length': String(bytes.length) }) }
  // Marks the request as complete; otherwise its end counts as a client disconnect and closes the
  // connection.
  request.complete = true
  request.push(bytes)
  request.push(null)
  return { request, from }
}

const forwardedHeaders = <Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !UNFORWARDED_HEADERS.has(name)))

/** Reads a body; null above the limit. */
async function bytesOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    // Chunks are buffers, because no encoding is set.
    length += (chunk as Buffer).length
    if (length > BOUNDS.bodyBytes) return null
    // Chunks are buffers, because no encoding is set.
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
