import { expect, test } from 'vitest'
import { parseGraphQLResponse } from '../../../gateway/subgraph-client/http-messages.ts'
import { createRetryingFetch } from '../../../gateway/subgraph-client/retrying-fetch.ts'
import { createSharedConnections } from '../../../gateway/subgraph-client/shared-connections.ts'
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
