import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Cluster } from '../../composition/cluster/cluster.ts'
import { json, startHttpServer } from '../support/http-server.ts'
import { startMain } from '../support/program.ts'
import { ask, hasCluster, ROOT, testCluster } from './support.ts'

const SEND = 'mutation ($room: ID!, $text: String!) { sendMessage(roomId: $room, text: $text) { __typename } }'
const MESSAGES = `query ($room: ID!, $after: String) { room(id: $room) {
  messages(first: 100, after: $after) { edges { node { text } } pageInfo { hasNextPage endCursor } totalCount } } }`

/**
 * Between two requests of one client: without it, four clients take all the processor time for as
 * long as four processes take to start anew.
 */
const PAUSE_MS = 150

test('an error of the load balancer counts as no answer', async () => {
  const body = { error: { code: 'UNAVAILABLE', message: 'The service cannot answer this right now.', details: {} } }
  const balancer = await startHttpServer({ '/graphql': json(body, { status: 503 }) })
  try {
    await expect(ask(balancer.url, '{ __typename }')).rejects.toThrow('503')
  } finally {
    await balancer.close()
  }
})

describe.skipIf(!hasCluster)('a cluster (needs haproxy and redis-server)', () => {
  let cluster: Cluster
  let close: () => Promise<void>
  let token: string
  const copy = (name: string) => `http://127.0.0.1:${cluster.ports.get(name)}`

  beforeAll(async () => {
    // Of directory and store, no claim is about several processes; those of trust count guesses.
    const begun = await testCluster({ directory: 1, social: 2, store: 1, trust: 2, gateway: 2 })
    cluster = begun.cluster
    close = begun.close
    const { login } = await ask(
      cluster.url,
      `mutation { createUser(input: { email: "ann@example.org", name: "Ann", password: "correct horse" }) { errors { message } }
        login(email: "ann@example.org", password: "correct horse") { ... on LoginSuccess { token } } }`,
    )
    token = login.token
  }, 400_000)
  afterAll(() => close(), 60_000)

  const aRoom = async (): Promise<string> => {
    const made = await ask(
      cluster.url,
      'mutation { createRoom(name: "Room") { ... on CreateRoomSuccess { room { id } } } }',
      {},
      token,
    )
    return made.createRoom.room.id
  }

  test('HAProxy accepts the configuration of the load balancer', async () => {
    const check = spawn('haproxy', ['-c', '-f', 'composition/cluster/haproxy.cfg'], {
      cwd: ROOT,
      env: { PATH: '/usr/sbin:/usr/bin' },
      stdio: 'ignore',
    })
    expect((await once(check, 'exit'))[0]).toBe(0)
  })

  test('an operation over all four subgraphs is answered as by a single process', async () => {
    const { mcpServers } = await ask(cluster.url, '{ mcpServers(first: 1) { edges { node { id } } } }')
    const aboutId = mcpServers.edges[0].node.id
    await ask(
      cluster.url,
      'mutation ($aboutId: ID!) { createPost(input: { title: "Hi", content: "Good", aboutId: $aboutId, published: true }) { __typename } }',
      { aboutId },
      token,
    )
    const single = await startMain({
      PATH: process.env.PATH,
      DATABASE_URL: cluster.databaseUrl,
      PUBLIC_URL: cluster.url,
      LOG_LEVEL: 'silent',
      TRUST_LISTS: 'none',
    })
    try {
      const query = `{
        shop(code: "demo") { name currency products(first: 5) { totalCount } }
        me { name posts(limit: 2) { title about { id ... on McpServer { name trust { __typename } } } } }
        mcpServers(first: 20) { totalCount edges { cursor node {
          id name description category trust { __typename target { __typename } }
          posts(first: 1) { totalCount edges { node { title author { name } } } }
        } } }
        gone: shop(code: "gone") { name }
      }`
      // Set up meanwhile, by the first start.
      await expect
        .poll(async () => (await ask(cluster.url, '{ shop(code: "demo") { name } }')).shop, { timeout: 60_000 })
        .not.toBeNull()
      const both = await Promise.all([cluster.url, single.base].map((base) => ask(base, query, {}, token)))
      expect(both[0]).toEqual(both[1])
      expect(both[0].mcpServers.edges[0].node.posts.edges[0].node).toEqual({ title: 'Hi', author: { name: 'Ann' } })
      expect(both[0].me.posts[0].about.id).toBe(aboutId)
      expect(both[0].shop.name).toBe('Marigold & Daughters')
      expect(both[0].shop.products.totalCount).toBeGreaterThan(0)
    } finally {
      await single.kill()
    }
  }, 120_000)

  test('a subgraph answers only requests signed by a gateway', async () => {
    for (const [name, port] of cluster.ports) {
      if (name.startsWith('gateway')) continue
      for (const path of ['/graphql', '/door', '/changes']) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          method: path === '/changes' ? 'GET' : 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${token}`,
            'x-forwarded-for': '127.0.0.1',
            'x-atrium-signature': `1 ${Date.now()} AAAA BBBB`,
          },
          ...(path !== '/changes' && { body: '{"query":"{ __typename }"}' }),
        })
        // Only the store has a door.
        expect([name, path, response.status]).toEqual([name, path, path === '/door' && !name.startsWith('store') ? 404 : 401])
      }
    }
  })

  test('events published through one gateway reach subscribers of the other, in order', async () => {
    const room = await aRoom()
    const texts: string[] = []
    const client = createClient({
      url: `${copy('gateway-2').replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { authorization: `Bearer ${token}` },
    })
    client.subscribe(
      { query: 'subscription ($room: ID!) { messageReceived(roomId: $room) { text author { name } } }', variables: { room } },
      {
        // biome-ignore lint/suspicious/noExplicitAny: the answer is read by the path that it has.
        next: ({ data }: any) => texts.push(`${data.messageReceived.text} ${data.messageReceived.author.name}`),
        error: (error) => texts.push(String(error)),
        complete: () => {},
      },
    )
    while (texts.length === 0) {
      await ask(copy('gateway-1'), SEND, { room, text: 'hello' }, token)
      await sleep(100)
    }
    const sent = Array.from({ length: 40 }, (_, index) => `message ${index}`)
    for (const text of sent) await ask(copy('gateway-1'), SEND, { room, text }, token)
    await expect.poll(() => texts.at(-1), { timeout: 20_000 }).toBe('message 39 Ann')
    expect(texts.filter((text) => !text.startsWith('hello'))).toEqual(sent.map((text) => `${text} Ann`))
    await client.dispose()
  }, 60_000)

  test('a document that was registered through one gateway is known to the other', async () => {
    const query = '{ mcpServers(first: 1) { totalCount } registered: __typename }'
    const sha256Hash = Buffer.from(await crypto.subtle.digest('SHA-256', Buffer.from(query))).toString('hex')
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    const post = async (name: string, body: object) =>
      (await fetch(`${copy(name)}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }).then((response) => response.json())) as { readonly data?: { readonly registered: string } }
    expect((await post('gateway-1', { query, extensions })).data?.registered).toBe('Query')
    await expect.poll(async () => (await post('gateway-2', { extensions })).data?.registered).toBe('Query')
  })

  test('guessing of keys is limited across all gateways together', async () => {
    const guess = (index: number) =>
      fetch(`${cluster.url}/v1/decide`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': `sk_${'0'.repeat(40)}${index}` },
        body: '{"domain": "example.com"}',
      }).then(({ status }) => status)
    const statuses = await Promise.all(Array.from({ length: 110 }, (_, index) => guess(index)))
    expect(new Set(statuses)).toEqual(new Set([401, 429]))
    // 60 a minute, and one more for each second that this takes; of two copies of trust each would
    // have let 55 pass.
    expect(statuses.filter((status) => status === 401).length).toBeLessThan(90)
  })

  test('restarting gateways and subgraphs one after the other under load loses nothing', async () => {
    const room = await aRoom()
    const faults: string[] = []
    const acknowledged: string[] = []
    let [isOver, queries] = [false, 0]
    const writer = async (name: number) => {
      for (let index = 0; !isOver; index++) {
        const text = `${name}-${index}`
        await ask(cluster.url, SEND, { room, text }, token).then(
          ({ sendMessage }) =>
            sendMessage.__typename === 'SendMessageSuccess'
              ? acknowledged.push(text)
              : faults.push(`${text}: ${sendMessage.__typename}`),
          (error) => faults.push(`${text}: ${error}`),
        )
        await sleep(PAUSE_MS)
      }
    }
    const reader = async () => {
      while (!isOver) {
        await ask(
          cluster.url,
          '{ me { name } mcpServers(first: 3) { edges { node { name posts(first: 1) { totalCount } } } } }',
          {},
          token,
        ).then(
          () => queries++,
          (error) => faults.push(String(error)),
        )
        await sleep(PAUSE_MS)
      }
    }
    const load = [writer(1), writer(2), reader(), reader()]
    const statuses = await cluster.roll(['social-1', 'social-2', 'gateway-1', 'gateway-2'])
    isOver = true
    await Promise.all(load)

    expect(faults).toEqual([])
    expect(statuses).toEqual([0, 0, 0, 0])
    expect(Math.min(queries, acknowledged.length)).toBeGreaterThan(20)
    const stored: string[] = []
    let after: string | null = null
    do {
      // biome-ignore lint/suspicious/noExplicitAny: the answer is read by the paths that it has.
      const { messages }: any = (await ask(cluster.url, MESSAGES, { room, after }, token)).room
      stored.push(...messages.edges.map(({ node }: { readonly node: { readonly text: string } }) => node.text))
      after = messages.pageInfo.hasNextPage ? messages.pageInfo.endCursor : null
    } while (after !== null)
    expect(stored.sort()).toEqual(acknowledged.sort())
  }, 400_000)
})
