import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Atrium, startAtrium } from './support/atrium.ts'

/** Of the process, in megabytes. Without bounds, the attack below ended it within three seconds. */
const HEAP_MB = 512
const EACH = 100
const SIGN_UP = 'subscription { userCreated { id name } }'

/** What all sockets of an attacker were told. */
type Received = { readonly codes: Map<string, number>; readonly sockets: readonly WebSocket[]; readonly closed: () => number }

/**
 * Opens sockets from one address, and begins a hundred subscriptions over each: resolves when each
 * of them was refused or, by `running`, runs. Of `atOnce` sockets together: each must be planned
 * within the time that an operation has, on a busy machine as well.
 */
async function attack(
  atrium: Atrium,
  count: number,
  query: (socket: number, id: number) => string,
  running: () => Promise<number>,
  atOnce = count,
): Promise<Received> {
  const codes = new Map<string, number>()
  let closed = 0
  const sockets: WebSocket[] = []
  const open = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${atrium.port}/graphql`, 'graphql-transport-ws', { perMessageDeflate: false })
    socket.on('message', (bytes) => {
      const { type, payload } = JSON.parse(String(bytes))
      if (type !== 'error') return
      const { code, bound = '', retryAfterSeconds } = payload[0].extensions
      const key = `${code} ${bound} ${typeof retryAfterSeconds}`
      codes.set(key, (codes.get(key) ?? 0) + 1)
    })
    socket.on('error', () => {})
    socket.once('close', () => closed++)
    await once(socket, 'open')
    socket.send('{"type":"connection_init"}')
    sockets.push(socket)
  }
  while (sockets.length < count) await Promise.all(Array.from({ length: Math.min(50, count - sockets.length) }, open))
  const refused = () => [...codes.values()].reduce((sum, each) => sum + each, 0)
  for (const [index, socket] of sockets.entries()) {
    for (let id = 0; id < EACH; id++) {
      socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query: query(index, id) } }))
    }
    const begun = index + 1
    if (begun % atOnce !== 0 && begun !== count) continue
    await expect.poll(async () => refused() + (await running()), { timeout: 60_000, interval: 50 }).toBe(begun * EACH)
  }
  return { codes, sockets, closed: () => closed }
}

async function figure({ base }: Atrium, name: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
}

const HEAP = { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` }

describe('a client that starts more subscriptions than fit into memory', () => {
  let atrium: Atrium
  const running = () => figure(atrium, 'atrium_subscriptions_running')

  describe('by the same one, from one address', () => {
    beforeAll(async () => {
      atrium = await startAtrium(HEAP)
    })
    afterAll(() => atrium?.stop())

    test('is refused beyond the bound of an address, while the process is ready and others are served', async () => {
      const { codes, sockets, closed } = await attack(atrium, 400, () => SIGN_UP, running)
      expect([...codes]).toEqual([['TOO_MANY_SUBSCRIPTIONS ADDRESS number', 400 * EACH - 2_000]])
      expect((await atrium.ask('/ready')).status).toBe(200)
      expect(await figure(atrium, 'atrium_outbox_listeners')).toBe(1)

      // Somebody else, from another address of this machine, asks, subscribes, and is told.
      const from = '127.0.0.2'
      expect((await atrium.graph('{ __typename }', {}, { from })).data).toEqual({ __typename: 'Query' })
      const other = new WebSocket(`ws://127.0.0.1:${atrium.port}/graphql`, 'graphql-transport-ws', { localAddress: from })
      await once(other, 'open')
      const messages: unknown[] = []
      other.on('message', (bytes) => messages.push(JSON.parse(String(bytes))))
      other.send('{"type":"connection_init"}')
      other.send(JSON.stringify({ id: 'mine', type: 'subscribe', payload: { query: SIGN_UP } }))
      await expect.poll(running).toBe(2_001)
      const { id } = await atrium.aUser('Ann')
      const received = { id: 'mine', type: 'next', payload: { data: { userCreated: { id, name: 'Ann' } } } }
      await expect.poll(() => messages).toContainEqual(received)

      // The sockets of the attacker lived as well; when they are gone, so is all that they held.
      expect(closed()).toBe(0)
      other.terminate()
      for (const socket of sockets) socket.terminate()
      await expect.poll(running).toBe(0)
      expect(await figure(atrium, 'atrium_subscription_memory_bytes')).toBe(0)
      expect(await figure(atrium, 'atrium_outbox_listeners')).toBe(0)
    })
  })

  describe('by ever different ones, behind a proxy that has no bound', () => {
    beforeAll(async () => {
      atrium = await startAtrium({
        ...HEAP,
        MAX_SUBSCRIPTIONS_PER_ADDRESS: '0',
        // So that the bound is met soon: what each takes to be planned is not what is tested.
        SUBSCRIPTION_MEMORY_PERCENT: '4',
        LOAD_LIMIT: '0',
      })
    })
    afterAll(() => atrium?.stop())

    test('is refused when the share of the heap is full, which is more than they take', async () => {
      const before = await figure(atrium, 'atrium_subscription_memory_bytes')
      const query = (socket: number, id: number) => `subscription { a${socket}_${id}: userCreated { id name } }`
      const { codes } = await attack(atrium, 15, query, running, 1)
      expect([before, [...codes.keys()]]).toEqual([0, ['TOO_MANY_SUBSCRIPTIONS MEMORY number']])
      const [used, limit] = [
        await figure(atrium, 'atrium_subscription_memory_bytes'),
        await figure(atrium, 'atrium_subscription_memory_bytes_limit'),
      ]
      expect(limit).toBeLessThan(HEAP_MB * 1e6 * 0.06)
      expect(used).toBeLessThanOrEqual(limit)
      expect(await running()).toBeGreaterThan(500)
      expect((await atrium.ask('/ready')).status).toBe(200)
      // What everybody asks, whose source is there, costs little: another one still has room.
      expect((await atrium.graph('{ __typename }')).data).toEqual({ __typename: 'Query' })
      const text = await (await fetch(`${atrium.base}/metrics`)).text()
      expect(text).toMatch(/^atrium_subscription_refusals_total\{bound="memory"\} [1-9]/m)
    })
  })
})
