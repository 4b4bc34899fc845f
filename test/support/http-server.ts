import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export type HttpServer = {
  /** Without a slash at the end. */
  readonly url: string
  readonly port: number
  /** Paths that were asked for, in order. */
  readonly requests: string[]
  readonly close: () => Promise<void>
}

/**
 * A server that answers by path; 404 for the rest. With `tls` it speaks HTTPS. Without `host` it is
 * on loopback.
 */
export async function startHttpServer(
  routes: Readonly<Record<string, Handler>>,
  { tls, host = '127.0.0.1' }: { readonly tls?: { readonly key: string; readonly cert: string }; readonly host?: string } = {},
): Promise<HttpServer> {
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const listener: Handler = (request, response) => {
    const path = request.url ?? ''
    requests.push(path)
    const handler = routes[path] ?? routes['*']
    if (handler) return handler(request, response)
    response.writeHead(404).end()
  }
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://${host}:${port}`,
    port,
    requests,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const json =
  (body: unknown, { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {}): Handler =>
  (_, response) =>
    response
      .writeHead(status, { 'content-type': 'application/rdap+json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body))

export const text =
  (body: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/plain', ...headers }).end(body)

export const redirect =
  (location: string): Handler =>
  (_, response) =>
    response.writeHead(302, { location }).end()
