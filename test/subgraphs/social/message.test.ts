import { createSourceEventStream, parse, subscribe } from 'graphql'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { decodeId, encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { held, releaseAll } from './support/held.ts'
import { ANONYMOUS, type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let social: Social
let [ann, ben, cem]: TestUser[] = []
let room: string
beforeAll(async () => {
  social = await startSocial()
})
afterAll(() => social.close())
beforeEach(async () => {
  ;[ann, ben, cem] = [
    await social.aUser({ name: 'Ann' }),
    await social.aUser({ name: 'Ben' }),
    await social.aUser({ name: 'Cem' }),
  ]
  const create =
    'mutation ($members: [ID!]) { r: createRoom(name: "Room", memberIds: $members) { ... on CreateRoomSuccess { room { id } } } }'
  room = (await ask(create, { members: [ben?.id] }, ann)).room.id
  await social.join(room, [ben])
})
const opened: AsyncIterator<unknown>[] = []
afterEach(async () => {
  await releaseAll()
  await Promise.all(opened.splice(0).map((events) => events.return?.()))
})

async function ask(query: string, variables: Record<string, unknown>, user: TestUser | undefined): Promise<Data> {
  const { data, errors } = await social.ask(query, variables, user?.caller)
  expect(errors).toBeUndefined()
  return data?.r
}
const codeOf = ({ errors }: Answered) => errors?.[0]?.extensions.code

const SEND = `mutation ($room: ID!, $text: String!) { r: sendMessage(roomId: $room, text: $text) {
  __typename ... on SendMessageSuccess { message { id text roomId room { name } author { name } } } ... on ValidationError { field } } }`
const send = (text: string, user = ann, id = room) => ask(SEND, { room: id, text }, user)
const HISTORY = `query ($id: ID!, $first: Int, $after: String) { r: room(id: $id) { messages(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage endCursor } edges { node { text author { name } } } } } }`

const LISTEN = 'subscription ($room: ID!) { messageReceived(roomId: $room) { text author { name } room { name } } }'
async function listen(user: TestUser | undefined, id = room): Promise<AsyncIterator<Data>> {
  const events = await subscribe({
    schema: social.subgraph.schema,
    document: parse(LISTEN),
    variableValues: { room: id },
    contextValue: social.subgraph.context(user?.caller ?? ANONYMOUS),
  })
  if (!(Symbol.asyncIterator in events)) throw events.errors?.[0]
  const iterator = events[Symbol.asyncIterator]()
  opened.push(iterator)
  return iterator
}
const textIn = ({ value }: IteratorResult<Data>): string => value.data.messageReceived.text

describe('sendMessage', () => {
  test('writes what members read, newest first, page by page', async () => {
    for (let count = 1; count <= 5; count += 1) await send(`message ${count}`)
    const first = await ask(HISTORY, { id: room, first: 3 }, ben)
    expect(first.messages.edges.map(({ node }: Data) => node.text)).toEqual(['message 5', 'message 4', 'message 3'])
    expect(first.messages).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true } })
    await send('message 6')
    const second = await ask(HISTORY, { id: room, first: 3, after: first.messages.pageInfo.endCursor }, ben)
    expect(second.messages.edges.map(({ node }: Data) => node.text)).toEqual(['message 2', 'message 1'])
    expect(second.messages.pageInfo.hasNextPage).toBe(false)
  })

  test('answers with the message', async () => {
    expect(await send('Hi 👋', ben)).toMatchObject({
      message: { text: 'Hi 👋', roomId: room, room: { name: 'Room' }, author: { name: 'Ben' } },
    })
  })

  test.each([
    ['nothing', ''],
    ['white space', ' \n\t'],
    ['10001 characters', 'x'.repeat(10_001)],
    ['a NUL', 'a\0b'],
    ['half a surrogate pair', '\uDC00'],
  ])('refuses %s as data', async (_, text) => {
    expect(await send(text)).toMatchObject({ __typename: 'ValidationError', field: 'text' })
  })

  test('is for members', async () => {
    expect(codeOf(await social.ask(SEND, { room, text: 'Hi' }, cem?.caller))).toBe('FORBIDDEN')
    expect(codeOf(await social.ask(SEND, { room, text: 'Hi' }, ANONYMOUS))).toBe('UNAUTHENTICATED')
    expect(await send('Hi', ann, encodeId('Room', '999999'))).toMatchObject({ __typename: 'NotFoundError' })
    expect(await send('Hi', ann, 'nonsense')).toMatchObject({ __typename: 'NotFoundError' })
  })

  test('into a locked room delays no other request, however many send', async () => {
    const row = decodeId(room, 'Room')
    const elsewhere = await held(social.database, 'SELECT FROM room WHERE id = $1 FOR UPDATE', [row])
    const texts = Array.from({ length: 25 }, (_, index) => `message ${index}`)
    const sending = texts.map((text) => send(text))
    const adding = ask(
      'mutation ($room: ID!, $user: ID!) { r: addRoomMember(roomId: $room, userId: $user) { __typename } }',
      { room, user: cem?.id },
      ann,
    )
    await elsewhere.isWaitedFor()
    expect(await ask('{ r: me { name } }', {}, ben)).toEqual({ name: 'Ben' })
    const { data }: Data = await social.ask(HISTORY, { id: room, first: 1 }, ben?.caller)
    expect(data.r.messages.totalCount).toBe(0)
    await elsewhere.release()
    await Promise.all([...sending, adding])
    await social.join(room, [cem])
    const { messages } = await ask(HISTORY, { id: room, first: 100 }, cem)
    expect(messages.edges.map(({ node }: Data) => node.text).sort()).toEqual([...texts].sort())
  })

  test('leaves neither message nor event when its author leaves the room during the request', async () => {
    const row = decodeId(room, 'Room') ?? ''
    await Promise.all([
      ask('mutation ($r: ID!) { r: leaveRoom(roomId: $r) { __typename } }', { r: room }, ben),
      ...Array.from({ length: 10 }, () => social.ask(SEND, { room, text: 'Hi' }, ben?.caller)),
    ])
    const [{ messages, events }]: Data = await social.sql(
      `SELECT (SELECT count(*) FROM message WHERE room_id = $1) AS messages, (SELECT last_number FROM event_topic WHERE name = $2) AS events`,
      [row, `room:${row}`],
    )
    expect(Number(messages)).toBe(Number(events ?? 0))
  })
})

describe('messageReceived', () => {
  test('sends every message to members, in order, once', async () => {
    const [one, other] = await Promise.all([listen(ann), listen(ben)])
    const texts = Array.from({ length: 100 }, (_, index) => `message ${index}`)
    // Several at once: the order is that of the commits, which is that of the history.
    for (let index = 0; index < 100; index += 10) await Promise.all(texts.slice(index, index + 10).map((text) => send(text)))
    const received: string[][] = []
    for (const events of [one, other]) {
      const texts: string[] = []
      for (let count = 0; count < 100; count += 1) texts.push(textIn(await events.next()))
      received.push(texts)
    }
    const { messages } = await ask(HISTORY, { id: room, first: 100 }, ann)
    const history = messages.edges.map(({ node }: Data) => node.text).reverse()
    expect(received).toEqual([history, history])
    expect([...history].sort()).toEqual([...texts].sort())
  })

  test('gives the whole message', async () => {
    const events = await listen(ann)
    await send('Hi', ben)
    const { value } = await events.next()
    expect(JSON.parse(JSON.stringify(value))).toEqual({
      data: { messageReceived: { text: 'Hi', author: { name: 'Ben' }, room: { name: 'Room' } } },
    })
  })

  test('is for members of a room that exists', async () => {
    await expect(listen(cem)).rejects.toMatchObject({ extensions: { code: 'FORBIDDEN' } })
    await expect(listen(undefined)).rejects.toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } })
    await expect(listen(ann, 'nonsense')).rejects.toMatchObject({ extensions: { code: 'NOT_FOUND' } })
  })

  test('says nothing of other rooms', async () => {
    const create = 'mutation { r: createRoom(name: "Other") { ... on CreateRoomSuccess { room { id } } } }'
    const other = (await ask(create, {}, cem)).room.id
    const events = await listen(ann)
    await send('elsewhere', cem, other)
    await send('here')
    expect(textIn(await events.next())).toBe('here')
  })

  test('ends with FORBIDDEN for a removed member, before the next message', async () => {
    const [mine, theirs] = await Promise.all([listen(ann), listen(ben)])
    await send('before')
    expect([textIn(await mine.next()), textIn(await theirs.next())]).toEqual(['before', 'before'])
    await ask(
      'mutation ($r: ID!, $u: ID!) { r: removeRoomMember(roomId: $r, userId: $u) { __typename } }',
      { r: room, u: ben?.id },
      ann,
    )
    await send('after')
    expect(textIn(await mine.next())).toBe('after')
    await expect(theirs.next()).rejects.toMatchObject({ extensions: { code: 'FORBIDDEN' } })
  })

  test('ends with FORBIDDEN for all when the room ends with its last member', async () => {
    const [mine, theirs] = await Promise.all([listen(ann), listen(ben)])
    const leave = 'mutation ($room: ID!) { r: leaveRoom(roomId: $room) { __typename } }'
    const received = [mine, theirs].map((events) => events.next())
    const ends = Promise.all(received.map((each) => expect(each).rejects.toMatchObject({ extensions: { code: 'FORBIDDEN' } })))
    for (const member of [ben, ann]) await ask(leave, { room }, member)
    await ends
  })

  test('ends with the room of a deleted user', async () => {
    const own = (await ask('mutation { r: createRoom(name: "R") { ... on CreateRoomSuccess { room { id } } } }', {}, cem)).room.id
    const received = (await listen(cem, own)).next()
    const end = expect(received).rejects.toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } })
    await ask('mutation ($id: ID!) { r: deleteUser(id: $id) { __typename } }', { id: cem?.id }, cem)
    await end
  })

  test('ends with UNAUTHENTICATED when the session ends', async () => {
    const events = await listen(ben)
    await social.sql('UPDATE session SET ended_at = now() WHERE user_id = $1', [ben?.row])
    await send('after')
    await expect(events.next()).rejects.toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } })
  })

  test('skips messages that were deleted before delivery', async () => {
    const events = await listen(ann)
    await send('first')
    expect(textIn(await events.next())).toBe('first')
    await send('gone')
    await send('last')
    await social.sql("DELETE FROM message WHERE text = 'gone'")
    expect(textIn(await events.next())).toBe('last')
  })

  test('reads the permissions once per message, however many subscribe', async () => {
    const document = parse(LISTEN)
    const users = await Promise.all(Array.from({ length: 30 }, () => social.aUser()))
    for (const { row } of users) await social.sql('INSERT INTO room_member VALUES ($1, $2)', [decodeId(room, 'Room'), row])
    const sources = await Promise.all(
      users.map(async ({ caller }) => {
        const contextValue = social.subgraph.context(caller)
        const source = await createSourceEventStream({
          schema: social.subgraph.schema,
          document,
          variableValues: { room },
          contextValue,
        })
        if (!(Symbol.asyncIterator in source)) throw source.errors?.[0]
        const iterator = source[Symbol.asyncIterator]()
        opened.push(iterator)
        return iterator
      }),
    )
    const waiting = sources.map((source) => source.next())
    const statements = vi.spyOn(pg.Client.prototype, 'query')
    try {
      await send('Hi')
      const received = await Promise.all(waiting)
      expect(new Set(received.map(({ value }) => value)).size).toBe(1)
      const lookups = statements.mock.calls.filter(([text]) => JSON.stringify(text).includes('isThere'))
      expect(lookups).toHaveLength(1)
    } finally {
      statements.mockRestore()
    }
  })
})
