import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Atrium, basic, startAtrium } from './support/atrium.ts'

// biome-ignore lint/suspicious/noExplicitAny: messages are read by the paths that each test knows.
type Data = any

let atrium: Atrium
const sockets: WebSocket[] = []
beforeAll(async () => {
  atrium = await startAtrium()
})
afterAll(async () => {
  for (const socket of sockets) socket.terminate()
  await atrium?.stop()
})

async function figure(name: string): Promise<number> {
  const text = await (await fetch(`${atrium.base}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1])
}
const running = () => figure('atrium_subscriptions_running')
const sources = () => figure('atrium_outbox_listeners')

/** A socket of its own, and what it was told. */
async function connect(authorization: string, from = '127.0.0.1') {
  const url = `ws://127.0.0.1:${atrium.port}/graphql`
  const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false, localAddress: from })
  sockets.push(socket)
  const messages: Data[] = []
  socket.on('message', (bytes) => messages.push(JSON.parse(String(bytes))))
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }))
  return {
    subscribe: (id: string, query: string, variables: object = {}) =>
      socket.send(JSON.stringify({ id, type: 'subscribe', payload: { query, variables } })),
    events: (id: string) =>
      messages.filter((message) => message.id === id && message.type === 'next').map(({ payload }) => payload),
    error: (id: string) => messages.find((message) => message.id === id && message.type === 'error')?.payload[0].extensions.code,
    leave: () => socket.terminate(),
  }
}

const bearer = ({ token }: { readonly token: string }) => `Bearer ${token}`
const by = ({ token }: { readonly token: string }) => ({ headers: { authorization: `Bearer ${token}` } })

async function done(query: string, variables: object, who: { readonly token: string }): Promise<Data> {
  const { data, errors } = await atrium.graph(query, variables, by(who))
  expect(errors).toBeUndefined()
  return data
}

const SIGN_UP = 'subscription { userCreated { id name } }'

describe('signed-in users with a shared source', () => {
  test('get the result for their own variables', async () => {
    const [ann, ben] = [await atrium.aUser('ann-variables'), await atrium.aUser('ben-variables')]
    const [hers, his] = [await connect(bearer(ann)), await connect(bearer(ben))]
    const query = 'subscription ($withName: Boolean!) { userCreated { id name @include(if: $withName) } }'
    hers.subscribe('1', query, { withName: true })
    his.subscribe('1', query, { withName: false })
    await expect.poll(running).toBe(2)
    const { id } = await atrium.aUser('third')
    await expect.poll(() => hers.events('1')).toEqual([{ data: { userCreated: { id, name: 'third' } } }])
    await expect.poll(() => his.events('1')).toEqual([{ data: { userCreated: { id } } }])
    hers.leave()
    his.leave()
    await expect.poll(running).toBe(0)
  })

  test('get each event until their session ends: then all their subscriptions end, and those of others continue', async () => {
    const [ann, ben] = [await atrium.aUser('ann'), await atrium.aUser('ben')]
    const hers = [await connect(bearer(ann)), await connect(bearer(ann))]
    const his = await connect(bearer(ben))
    for (const { subscribe } of [...hers, his]) for (const id of ['1', '2']) subscribe(id, SIGN_UP)
    await expect.poll(running).toBe(6)
    expect(await sources()).toBe(1)
    const first = { data: { userCreated: { id: (await atrium.aUser('first')).id, name: 'first' } } }
    for (const { events } of [...hers, his]) for (const id of ['1', '2']) await expect.poll(() => events(id)).toEqual([first])

    await done('mutation { signOut { __typename } }', {}, ann)
    const second = { data: { userCreated: { id: (await atrium.aUser('second')).id, name: 'second' } } }
    for (const id of ['1', '2']) {
      await expect.poll(() => his.events(id)).toEqual([first, second])
      for (const { events, error } of hers) {
        await expect.poll(() => error(id)).toBe('UNAUTHENTICATED')
        expect(events(id)).toEqual([first])
      }
    }
    // A source that is there already opens nothing for a session that has ended.
    hers[0]?.subscribe('again', SIGN_UP)
    await expect.poll(() => hers[0]?.error('again')).toBe('UNAUTHENTICATED')
    expect([await running(), await sources()]).toEqual([2, 1])
    for (const { leave } of [...hers, his]) leave()
    await expect.poll(running).toBe(0)
    expect([await sources(), await figure('atrium_subscription_memory_bytes')]).toEqual([0, 0])
    await expect
      .poll(async () => (await atrium.sql('SELECT count(*)::int AS count FROM social.event_listener'))[0]?.count)
      .toBe(0)
  })

  test('each get what they may see, on the same document', async () => {
    const [admin, user] = [await atrium.aUser('admin'), await atrium.aUser('user')]
    await atrium.sql(`UPDATE social."user" SET role = 'ADMIN' WHERE name = 'admin'`)
    const [one, other] = [await connect(bearer(admin)), await connect(bearer(user))]
    const query = 'subscription { userCreated { name email } }'
    for (const { subscribe } of [one, other, one]) subscribe(String(Math.random()), SIGN_UP)
    for (const { subscribe } of [one, other]) for (const id of ['1', '2']) subscribe(id, query)
    await expect.poll(running).toBe(7)
    // One for all who see the same, and one for each of those who do not.
    await expect.poll(sources).toBe(3)
    await atrium.aUser('carol')
    for (const id of ['1', '2']) {
      await expect.poll(() => one.events(id)).toEqual([{ data: { userCreated: { name: 'carol', email: 'carol@example.org' } } }])
      await expect.poll(() => other.events(id)).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }])
      expect(JSON.stringify(other.events(id))).not.toContain('carol@')
    }
    for (const { leave } of [one, other]) leave()
    await expect.poll(running).toBe(0)
  })

  test('of a room: a non-member is refused though members share a source, and a removed member ends alone', async () => {
    const [owner, member, stranger] = [await atrium.aUser('owner'), await atrium.aUser('member'), await atrium.aUser('stranger')]
    const { createRoom } = await done(
      'mutation { createRoom(name: "Room") { ... on CreateRoomSuccess { room { id } } } }',
      {},
      owner,
    )
    const room: string = createRoom.room.id
    const clients = [await connect(bearer(owner)), await connect(bearer(member)), await connect(bearer(stranger))] as const
    const [ours, theirs, outside] = clients
    await atrium.sql(`INSERT INTO social.room_member (room_id, user_id)
      SELECT room.id, "user".id FROM social.room, social."user" WHERE room.name = 'Room' AND "user".name = 'member'`)
    const MESSAGES = 'subscription ($room: ID!) { messageReceived(roomId: $room) { text } }'
    for (const { subscribe } of clients) subscribe('1', MESSAGES, { room })
    await expect.poll(() => outside.error('1')).toBe('FORBIDDEN')
    await expect.poll(running).toBe(2)
    await expect.poll(sources).toBe(1)
    const send = (text: string) =>
      done(
        'mutation ($room: ID!, $text: String!) { sendMessage(roomId: $room, text: $text) { __typename } }',
        { room, text },
        owner,
      )
    await send('for both')
    await expect.poll(() => theirs.events('1')).toEqual([{ data: { messageReceived: { text: 'for both' } } }])
    await atrium.sql(`DELETE FROM social.room_member USING social."user" WHERE "user".id = user_id AND "user".name = 'member'`)
    await send('for one')
    await expect.poll(() => ours.events('1').length).toBe(2)
    await expect.poll(() => theirs.error('1')).toBe('FORBIDDEN')
    expect([theirs.events('1').length, outside.events('1')]).toEqual([1, []])
    for (const { leave } of clients) leave()
    await expect.poll(running).toBe(0)
  })
})

test('programs of one store share a source per credential and address; a revoked token ends its own subscriptions only', async () => {
  const store = await atrium.aStore()
  const other = await atrium.aStore()
  const PRODUCTS = 'subscription { productUpdated { name } }'
  const [one, same, stranger] = [
    await connect(basic(store).authorization),
    await connect(basic(store).authorization),
    await connect(basic(other).authorization),
  ]
  const elsewhere = await connect(basic(store).authorization, '127.0.0.2')
  for (const { subscribe } of [one, same, elsewhere, stranger]) for (const id of ['1', '2', '3']) subscribe(id, PRODUCTS)
  await expect.poll(running).toBe(12)
  await expect.poll(sources).toBe(3)
  const happen = async () => {
    const topic = `store:${store.storeId}`
    await atrium.sql(
      `WITH next AS (
         INSERT INTO store.event_topic (name, last_number) VALUES ($1, 1)
         ON CONFLICT (name) DO UPDATE SET last_number = event_topic.last_number + 1 RETURNING last_number
       ) INSERT INTO store.event (topic, number, payload) SELECT $1, last_number, $2 FROM next`,
      [topic, JSON.stringify({ event: 'product_updated', entity: 'Product', id: 2_147_483_647 })],
    )
    await atrium.sql(`SELECT pg_notify('store_event', $1)`, [topic])
  }
  await happen()
  for (const { events } of [one, same, elsewhere]) {
    for (const id of ['1', '2', '3']) await expect.poll(() => events(id)).toEqual([{ data: { productUpdated: null } }])
  }
  await atrium.sql(`UPDATE store.credential SET token_hash = 'x' WHERE login = $1`, [store.login])
  // A judgement holds for a second.
  await sleep(1_100)
  await happen()
  for (const { events, error } of [one, same, elsewhere]) {
    for (const id of ['1', '2', '3']) {
      await expect.poll(() => error(id)).toMatch(/^(UNAUTHENTICATED|UNAUTHORIZED_FIELD_OR_TYPE)$/)
      expect(events(id)).toHaveLength(1)
    }
  }
  expect([await running(), stranger.events('1')]).toEqual([3, []])
})
