import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Hands every request on to `target` as it comes, with headers of its own, and the answer back. */
export async function forwarding(target: string, headersOf: () => Readonly<Record<string, string>>) {
  const { hostname, port } = new URL(target)
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming
    const onward = request({ hostname, port, method, path: url, headers: { ...headers, ...headersOf() } }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.once('error', () => outgoing.destroy())
    outgoing.once('close', () => onward.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise<unknown>((resolve) => server.close(resolve))
    },
  }
}
