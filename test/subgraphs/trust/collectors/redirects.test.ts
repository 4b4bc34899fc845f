import type { AddressInfo } from 'node:net'
import net from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { dnsClient } from '../../../../platform/outbound/dns-client.ts'
import { httpClient } from '../../../../platform/outbound/http-client.ts'
import { safeNetwork } from '../../../../platform/outbound/safe-connect.ts'
import { slots } from '../../../../platform/outbound/slots.ts'
import { createRedirectFollower } from '../../../../subgraphs/trust/collectors/redirects.ts'
import { a, startDnsServer } from '../../../support/dns-server.ts'
import { type Handler, redirect, startHttpServer } from '../../../support/http-server.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A web on loopback: every name leads to one server, but for those that `private.…` leads away. */
async function aWeb(
  routes: (at: (path: string, host?: string) => string) => Readonly<Record<string, Handler>>,
  timeoutMs = 20_000,
) {
  let port = 0
  const at = (path: string, host = 'a.example.com') => `http://${host}:${port}${path}`
  const requests: { readonly method: string | undefined; readonly headers: NodeJS.Dict<string | string[]> }[] = []
  const server = await startHttpServer({
    '*': (request, response) => {
      requests.push({ method: request.method, headers: request.headers })
      const handler = routes(at)[request.url ?? '']
      if (handler) handler(request, response)
      else response.writeHead(404).end()
    },
  })
  port = server.port
  const dns = await startDnsServer(({ name, type }) => {
    if (type !== 'A') return {}
    return a(name, name.startsWith('private.') ? '10.0.0.1' : name.startsWith('canary.') ? '127.0.0.2' : '127.0.0.1')
  })
  const network = safeNetwork({
    resolvers: [dns],
    allow: (endpoint) => endpoint.address === '127.0.0.1' && endpoint.port === port,
  })
  const http = httpClient(network, dnsClient(network), { userAgent: 'atrium-trust', isPlainAllowed: true })
  const ended = new AbortController()
  const follow = createRedirectFollower({ http, slots: slots({ perKey: 10, total: 20 }), ended: ended.signal, timeoutMs })
  cleanups.push(server.close, dns.close, http.close, () => ended.abort())
  return { at, follow, server, requests, port }
}

test('a chain is followed by requests for headers, without credentials, cookies or referrer', async () => {
  const { at, follow, requests } = await aWeb((to) => ({
    '/x': (_, response) => response.writeHead(301, { location: to('/y', 'b.example.org'), 'set-cookie': 'id=1' }).end(),
    '/y': redirect('/z?q=1#part'),
    '/z?q=1': (_, response) => response.writeHead(200).end('body'),
  }))
  expect(await follow(at('/x'))).toEqual({
    end: 'answered',
    urls: [at('/y', 'b.example.org'), at('/z?q=1', 'b.example.org')],
  })
  expect(requests.map(({ method }) => method)).toEqual(['HEAD', 'HEAD', 'HEAD'])
  for (const { headers } of requests)
    expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent'])
})

test('a server without HEAD gets a GET, and its endless body is not read', async () => {
  const { at, follow, requests } = await aWeb((to) => ({
    '/x': (request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(405).end()
      response.writeHead(302, { location: to('/z') }).write('x'.repeat(1_000))
    },
    '/z': (_, response) => response.writeHead(200).end(),
  }))
  expect(await follow(at('/x'))).toEqual({ end: 'answered', urls: [at('/z')] })
  expect(requests.map(({ method }) => method)).toEqual(['HEAD', 'GET', 'HEAD'])
})

test.each([
  ['a loop', 'loop', (to: (path: string) => string) => ({ '/x': redirect(to('/y')), '/y': redirect(to('/x')) }), 2],
  [
    'more than five redirects',
    'too_many',
    (to: (path: string) => string) =>
      Object.fromEntries(Array.from({ length: 9 }, (_, n) => [n === 0 ? '/x' : `/${n}`, redirect(to(`/${n + 1}`))])),
    5,
  ],
  ['a script', 'blocked', () => ({ '/x': redirect('javascript:alert(1)') }), 0],
  ['a file', 'blocked', () => ({ '/x': redirect('file:///etc/passwd') }), 0],
  ['a user before the host', 'blocked', () => ({ '/x': redirect('http://paypal.com@a.example.com/') }), 1],
  ['a port that is not of the web', 'blocked', () => ({ '/x': redirect('http://a.example.com:6379/') }), 1],
  ['the metadata service', 'blocked', () => ({ '/x': redirect('http://169.254.169.254/latest/meta-data/') }), 1],
  ['a name without a dot', 'blocked', () => ({ '/x': redirect('http://localhost/') }), 1],
  ['no URL', 'failed', () => ({ '/x': redirect('http://[') }), 0],
  ['a URL of 3,000 characters', 'failed', () => ({ '/x': redirect(`/${'y'.repeat(3_000)}`) }), 0],
  [
    'headers of 100 kB',
    'failed',
    () => ({ '/x': ((_, response) => response.writeHead(302, { location: '/y', x: 'y'.repeat(100_000) }).end()) as Handler }),
    0,
  ],
  ['a broken connection', 'failed', () => ({ '/x': ((request) => request.socket.destroy()) as Handler }), 0],
  ['silence', 'timeout', () => ({ '/x': (() => {}) as Handler }), 0],
])('%s ends it: %s', async (_, end, routes, hops) => {
  // Long enough for a loaded machine, where silence is not what is tested.
  const { at, follow } = await aWeb(routes, end === 'timeout' ? 300 : 20_000)
  const trail = await follow(at('/x'))
  expect({ ...trail, urls: trail.urls.length }).toEqual({ end, urls: hops })
})

test('no hop leads to a private address, be it written or resolved', async () => {
  const canary = net.createServer()
  let connections = 0
  canary.on('connection', (socket) => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.2', resolve))
  cleanups.push(() => canary.close())
  const { port } = canary.address() as AddressInfo
  const { at, follow, requests } = await aWeb(() => ({
    '/written': redirect(`http://127.0.0.2:${port}/`),
    '/resolved': redirect(`http://canary.example.com:${port}/`),
    '/private': redirect('http://private.example.com/'),
  }))
  for (const path of ['/written', '/resolved', '/private'])
    expect(await follow(at(path)), path).toMatchObject({ end: 'blocked', urls: [expect.any(String)] })
  expect({ connections, requests: requests.length }).toEqual({ connections: 0, requests: 3 })
})

test('a hundred callers at once are one request', async () => {
  const { at, follow, requests } = await aWeb((to) => ({ '/x': redirect(to('/z')) }))
  const trails = await Promise.all(Array.from({ length: 100 }, () => follow(at('/x'))))
  expect(new Set(trails).size).toBe(1)
  expect(requests).toHaveLength(2)
})
