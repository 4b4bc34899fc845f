import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { parseGraphQLResponse } from '../../../gateway/subgraph-client/http-messages.ts'
import { createRetryingFetch } from '../../../gateway/subgraph-client/retrying-fetch.ts'
import { candidateConnections, createSharedConnections } from '../../../gateway/subgraph-client/shared-connections.ts'
import type { Connector } from '../../../gateway/subgraph-client/tls-connector.ts'
import { aShop, idle } from '../support/http-graph.ts'

test('links of one subgraph at one origin share sockets until the last of them closes, those of others do not', async () => {
  const shop = await aShop()
  const shared = createSharedConnections()
  const open = (name: string, limits = {}) =>
    createRetryingFetch({ name, url: shop.url, timeoutMilliseconds: 5_000, log: undefined, connections: { ...limits, shared } })
  const [one, other, third] = [open('shop'), open('shop'), open('review', { maxConnections: 1 })]
  const send = (from: typeof one) =>
    from.fetch({
      message: () => ({ body: JSON.stringify({ query: '{ caller }' }), headers: { 'content-type': 'application/json' } }),
      signal: new AbortController().signal,
      retries: 0,
      parse: parseGraphQLResponse,
    })

  for (const from of [one, other, one]) {
    await send(from)
    await idle()
  }
  expect(shop.connections()).toBe(1)
  await send(third)
  expect(shop.connections()).toBe(2)
  await one.close()
  await one.close()
  expect((await send(other)).result).toMatchObject({ data: {} })
  await idle()
  expect(shop.connections()).toBe(2)
  await Promise.all([other.close(), third.close()])
  await expect(send(other)).rejects.toThrow('did not answer')
  const again = open('shop')
  await send(again)
  expect(shop.connections()).toBe(3)
  await again.close()
})

test('a connector of TLS files that outlives a pool forgets it: each hot swap to another address opens one', async () => {
  const listeners = new Set<() => void>()
  const connector: Connector = {
    connect: (_, callback) => callback(new Error('Nobody connects here.'), null),
    onReload(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    close: async () => {},
  }
  const shared = createSharedConnections()
  const open = (url: string) =>
    createRetryingFetch({ name: 'shop', url, timeoutMilliseconds: 5_000, log: undefined, connections: { connector, shared } })
  const [one, other] = [open('https://one.example'), open('https://other.example')]
  expect(listeners.size).toBe(2)
  await one.close()
  expect(listeners.size).toBe(1)
  await other.close()
  expect(listeners.size).toBe(0)
})

test.each([1, 2])('a slow candidate does not delay fetches of the served graph, with pipelining of %d', async (pipelining) => {
  const held: (() => void)[] = []
  const server = createServer((request, response) => {
    const answer = () => response.end('{"data":{}}')
    response.setHeader('content-type', 'application/json')
    if (request.headers['x-slow'] === undefined) answer()
    else held.push(answer)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  // Of a server that listens on TCP.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const shared = createSharedConnections()
  const open = (of: typeof shared) =>
    createRetryingFetch({
      name: 'shop',
      url,
      timeoutMilliseconds: 60_000,
      log: undefined,
      connections: { maxConnections: 2, pipelining, shared: of },
    })
  const [served, candidate] = [open(shared), open(candidateConnections(shared).connections)]
  const send = (from: typeof served, headers = {}) =>
    from.fetch({
      message: () => ({ body: '{"query":"{ a }"}', headers: { 'content-type': 'application/json', ...headers } }),
      signal: new AbortController().signal,
      retries: 0,
      parse: parseGraphQLResponse,
    })
  const slow = [1, 2].map(() => send(candidate, { 'x-slow': '1' }))
  await expect.poll(() => held.length).toBeGreaterThan(0)
  for (let at = 0; at < 4; at++) expect((await send(served)).result).toMatchObject({ data: {} })
  // The second is sent after the first where a candidate takes half of two connections.
  let isAnswered = false
  const answered = Promise.all(slow).then(() => {
    isAnswered = true
  })
  await expect
    .poll(() => {
      for (const answer of held.splice(0)) answer()
      return isAnswered
    })
    .toBe(true)
  await answered
  await Promise.all([served.close(), candidate.close()])
})
