import { IncomingMessage, type ServerResponse } from 'node:http'
import { Pool } from 'undici'
import type { From, SubgraphRoutes } from '../../platform/http/subgraph-routes.ts'
import { BOUNDS } from '../limits/limits.ts'
import type { Sign } from './signature.ts'

/** Where a subgraph answers what its door is asked. */
export const SUBGRAPH_ROUTES_PATH = '/door'

/** Of one connection (RFC 9110 §7.6.1), or said by us. */
const NOT_PASSED_ON = new Set([
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

/** A request of a client as it came, with where it came from: all of it is signed. */
type Carried = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  /** In base64. */
  readonly body: string
  readonly from: From
}

/** The door of a subgraph in another process: hands requests for its routes on, and its answers back. */
export function remoteRoutes(
  routes: SubgraphRoutes['routes'],
  { url, sign }: { readonly url: string; readonly sign: Sign },
): { readonly httpRoutes: SubgraphRoutes; readonly close: () => Promise<void> } {
  const pool = new Pool(new URL(url).origin, { headersTimeout: BOUNDS.milliseconds, bodyTimeout: BOUNDS.milliseconds })
  return { httpRoutes: { routes, answer }, close: () => pool.destroy() }

  async function answer(request: IncomingMessage, response: ServerResponse, from: From): Promise<void> {
    const bytes = await bytesOf(request)
    if (!bytes) {
      response.writeHead(413, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
      response.end(JSON.stringify({ error: 'invalid_request', error_description: 'Expected a shorter body.' }))
      return
    }
    const { method = '', url = '', headers } = request
    const carried: Carried = { method, url, headers: passedOn(headers), body: bytes.toString('base64'), from }
    const body = JSON.stringify(carried)
    const own = { accept: '*/*', 'content-type': 'application/json', 'x-request-id': from.requestId }
    const answered = await pool.request({
      method: 'POST',
      path: SUBGRAPH_ROUTES_PATH,
      headers: { ...own, ...sign({ method: 'POST', path: SUBGRAPH_ROUTES_PATH, headers: own }, body) },
      body,
    })
    response.writeHead(answered.statusCode, passedOn(answered.headers))
    response.end(await answered.body.bytes())
  }
}

/** A request that another process took, as this one's door reads it. */
export function carriedRequest(
  text: string,
  { socket }: IncomingMessage,
): { readonly request: IncomingMessage; readonly from: From } {
  const { method, url, headers, body, from } = JSON.parse(text) as Carried
  const bytes = Buffer.from(body, 'base64')
  const request = new IncomingMessage(socket)
  Object.assign(request, { method, url, httpVersion: '1.1' })
  request.headers = { ...headers, ...(bytes.length > 0 && { 'content-length': String(bytes.length) }) }
  // Otherwise its end would be taken for a client that went away, and cut the connection.
  request.complete = true
  request.push(bytes)
  request.push(null)
  return { request, from }
}

const passedOn = <Value>(headers: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)))

/** Null for more than anybody may send. */
async function bytesOf(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += (chunk as Buffer).length
    if (length > BOUNDS.bodyBytes) return null
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}
