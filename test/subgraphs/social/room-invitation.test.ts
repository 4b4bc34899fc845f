import { parse, subscribe } from 'graphql'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MAX_PENDING_INVITATIONS } from '../../../subgraphs/social/room-invitation/room-invitation.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { held, releaseAll } from './support/held.ts'
import { ANONYMOUS, type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let social: Social
let [ann, ben, cem]: TestUser[] = []
beforeAll(async () => {
  social = await startSocial()
})
afterAll(() => social.close())
afterEach(releaseAll)
beforeEach(async () => {
  ;[ann, ben, cem] = [
    await social.aUser({ name: 'Ann' }),
    await social.aUser({ name: 'Ben' }),
    await social.aUser({ name: 'Cem' }),
  ]
})

async function ask(query: string, variables: Record<string, unknown>, user: TestUser | undefined): Promise<Data> {
  const { data, errors } = await social.ask(query, variables, user?.caller)
  expect(errors).toBeUndefined()
  return data?.r
}
const codeOf = ({ errors }: Answered) => errors?.[0]?.extensions.code
const rowOf = (id: string) => Buffer.from(id, 'base64url').toString().split(':')[1]

const CREATE = `mutation ($members: [ID!]) { r: createRoom(name: "Room", memberIds: $members) { __typename
  ... on CreateRoomSuccess { room { id } } ... on ValidationError { field message } ... on QuotaExceededError { field } } }`
const aRoom = async (owner: TestUser | undefined, invited: (TestUser | undefined)[] = []): Promise<string> =>
  (await ask(CREATE, { members: invited.map((user) => user?.id) }, owner)).room.id
const INVITE = `mutation ($room: ID!, $user: ID!) { r: addRoomMember(roomId: $room, userId: $user) { __typename
  ... on ValidationError { field message } ... on QuotaExceededError { field } } }`
const ANSWER = (answer: 'accept' | 'decline') =>
  `mutation ($room: ID!) { r: ${answer}RoomInvitation(roomId: $room) { __typename } }`
const MINE = `query ($first: Int, $after: String) { r: roomInvitations(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage endCursor } edges { node { room { id name owner { name } } user { name } inviter { name } invitedAt } } } }`
const ROOM = 'query ($id: ID!) { r: room(id: $id) { members { edges { node { name } } } } }'
const membersOf = async (id: string, user: TestUser | undefined) =>
  (await ask(ROOM, { id }, user)).members.edges.map(({ node }: Data) => node.name)
const rooms = async (user: TestUser | undefined) => (await ask('{ r: rooms { totalCount } }', {}, user)).totalCount

describe('members of a room have consented', () => {
  test('users named at its creation, or added, are invited and no members', async () => {
    const room = await aRoom(ann, [ben])
    expect(await ask(INVITE, { room, user: cem?.id }, ann)).toEqual({ __typename: 'RoomMemberSuccess' })
    expect(await membersOf(room, ann)).toEqual(['Ann'])
    for (const user of [ben, cem]) {
      expect(await rooms(user)).toBe(0)
      expect(codeOf(await social.ask(ROOM, { id: room }, user?.caller))).toBe('FORBIDDEN')
      const say = 'mutation ($room: ID!) { sendMessage(roomId: $room, text: "T") { __typename } }'
      expect(codeOf(await social.ask(say, { room }, user?.caller))).toBe('FORBIDDEN')
      const messages = '{ r: roomInvitations { edges { node { room { messages { totalCount } } } } } }'
      expect(codeOf(await social.ask(messages, {}, user?.caller))).toBe('FORBIDDEN')
      expect(await ask(MINE, {}, user)).toMatchObject({
        totalCount: 1,
        edges: [{ node: { room: { id: room, name: 'Room', owner: { name: 'Ann' } }, inviter: { name: 'Ann' } } }],
      })
    }
  })

  test('accepting makes a member, who reads the earlier messages and has no invitation any more', async () => {
    const room = await aRoom(ann, [ben])
    await ask('mutation ($room: ID!) { r: sendMessage(roomId: $room, text: "Before") { __typename } }', { room }, ann)
    expect(await ask(ANSWER('accept'), { room }, ben)).toEqual({ __typename: 'AcceptRoomInvitationSuccess' })
    expect(await membersOf(room, ben)).toEqual(['Ann', 'Ben'])
    const history = 'query ($id: ID!) { r: room(id: $id) { messages { edges { node { text } } } } }'
    expect((await ask(history, { id: room }, ben)).messages.edges).toEqual([{ node: { text: 'Before' } }])
    expect((await ask(MINE, {}, ben)).totalCount).toBe(0)
    expect(await ask(ANSWER('accept'), { room }, ben)).toEqual({ __typename: 'NotFoundError' })
    expect(await ask(INVITE, { room, user: ben?.id }, ann)).toEqual({ __typename: 'RoomMemberSuccess' })
    expect((await ask(MINE, {}, ben)).totalCount).toBe(0)
  })

  test('declining blocks further invitations to that room for a while, without notice to the inviter', async () => {
    const room = await aRoom(ann, [ben])
    expect(await ask(ANSWER('decline'), { room }, ben)).toEqual({ __typename: 'DeclineRoomInvitationSuccess' })
    expect(await ask(ANSWER('accept'), { room }, ben)).toEqual({ __typename: 'NotFoundError' })
    expect(await ask(INVITE, { room, user: ben?.id }, ann)).toEqual({ __typename: 'RoomMemberSuccess' })
    const withdraw = 'mutation ($room: ID!, $user: ID!) { r: removeRoomMember(roomId: $room, userId: $user) { __typename } }'
    await ask(withdraw, { room, user: ben?.id }, ann)
    await ask(INVITE, { room, user: ben?.id }, ann)
    expect((await ask(MINE, {}, ben)).totalCount).toBe(0)
    await social.sql(`UPDATE room_invitation SET invited_at = now() - interval '31 days' WHERE room_id = $1`, [rowOf(room)])
    await ask(INVITE, { room, user: ben?.id }, ann)
    expect((await ask(MINE, {}, ben)).totalCount).toBe(1)
  })

  test('only the invited accept, and only what was not withdrawn and is not too old', async () => {
    const room = await aRoom(ann, [ben])
    for (const other of [cem, ann]) expect(await ask(ANSWER('accept'), { room }, other)).toEqual({ __typename: 'NotFoundError' })
    for (const id of ['nonsense', encodeId('Room', '999999'), encodeId('User', '1')]) {
      expect(await ask(ANSWER('accept'), { room: id }, ben)).toEqual({ __typename: 'NotFoundError' })
      expect(await ask(ANSWER('decline'), { room: id }, ben)).toEqual({ __typename: 'NotFoundError' })
    }
    await social.sql(`UPDATE room_invitation SET invited_at = now() - interval '31 days' WHERE room_id = $1`, [rowOf(room)])
    expect((await ask(MINE, {}, ben)).totalCount).toBe(0)
    expect(await ask(ANSWER('accept'), { room }, ben)).toEqual({ __typename: 'NotFoundError' })
    await ask(INVITE, { room, user: ben?.id }, ann)
    const withdraw = 'mutation ($room: ID!, $user: ID!) { r: removeRoomMember(roomId: $room, userId: $user) { __typename } }'
    await ask(withdraw, { room, user: ben?.id }, ann)
    expect(await ask(ANSWER('accept'), { room }, ben)).toEqual({ __typename: 'NotFoundError' })
  })

  test('an acceptance that is concurrent with a withdrawal fails', async () => {
    const room = await aRoom(ann, [ben])
    const holder = await held(social.database, 'SELECT FROM room WHERE id = $1 FOR UPDATE', [rowOf(room)])
    const accepting = ask(ANSWER('accept'), { room }, ben)
    await holder.isWaitedFor()
    await holder.run('DELETE FROM room_invitation WHERE room_id = $1', [rowOf(room)])
    await holder.release()
    expect(await accepting).toEqual({ __typename: 'NotFoundError' })
    expect(await membersOf(room, ann)).toEqual(['Ann'])
  })
})

test('pending invitations are visible to the owner only', async () => {
  const room = await aRoom(ann, [ben, cem])
  await ask(ANSWER('accept'), { room }, cem)
  const invited = 'query ($id: ID!) { r: room(id: $id) { invitations { totalCount edges { node { user { name } } } } } }'
  expect(await ask(invited, { id: room }, ann)).toEqual({
    invitations: { totalCount: 1, edges: [{ node: { user: { name: 'Ben' } } }] },
  })
  expect(codeOf(await social.ask(invited, { id: room }, cem?.caller))).toBe('FORBIDDEN')
})

test('pages of invitations are stable, newest first', async () => {
  const made: string[] = []
  for (let count = 0; count < 5; count += 1) made.push(await aRoom(ann, [ben]))
  const seen: string[] = []
  let after: string | null = null
  for (let more = true; more; ) {
    const page: Data = await ask(MINE, { first: 2, after }, ben)
    seen.push(...page.edges.map(({ node }: Data) => node.room.id))
    ;({ endCursor: after, hasNextPage: more } = page.pageInfo)
  }
  expect(seen).toEqual(made.reverse())
  expect(codeOf(await social.ask(MINE, { first: 101 }, ben?.caller))).toBe('BAD_USER_INPUT')
  expect(codeOf(await social.ask(MINE, {}))).toBe('UNAUTHENTICATED')
})

test('an invited user is notified while the invitation is pending and the session lives', async () => {
  const document = parse('subscription { roomInvitationReceived { room { name } inviter { name } } }')
  const listen = async (user: TestUser | undefined) => {
    const contextValue = social.subgraph.context(user?.caller ?? ANONYMOUS)
    return subscribe({ schema: social.subgraph.schema, document, contextValue })
  }
  const refused = await listen(undefined)
  expect('errors' in refused && refused.errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED')
  const [bens, cems] = [await listen(ben), await listen(cem)]
  if (!(Symbol.asyncIterator in bens && Symbol.asyncIterator in cems)) throw new Error('Expected two subscriptions.')
  await aRoom(ann, [ben])
  const received = { data: { roomInvitationReceived: { room: { name: 'Room' }, inviter: { name: 'Ann' } } } }
  expect(JSON.parse(JSON.stringify((await bens.next()).value))).toEqual(received)
  await aRoom(ben, [cem])
  expect(JSON.parse(JSON.stringify((await cems.next()).value)).data.roomInvitationReceived.inviter.name).toBe('Ben')
  await ask('mutation { r: signOutEverywhere { sessionsEnded } }', {}, cem)
  await aRoom(ann, [cem])
  await expect(cems.next()).rejects.toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } })
  await bens.return(undefined)
})

describe('invitations are bounded', () => {
  test('for the invited user', async () => {
    await social.sql(
      `WITH made AS (INSERT INTO room (name, owner_id) SELECT 'R', $1 FROM generate_series(1, $3) RETURNING id)
       INSERT INTO room_invitation (room_id, user_id, inviter_id) SELECT id, $2, $1 FROM made`,
      [cem?.row, ben?.row, MAX_PENDING_INVITATIONS],
    )
    expect(await ask(CREATE, { members: [ben?.id] }, ann)).toMatchObject({ __typename: 'ValidationError', field: 'memberIds' })
    const room = await aRoom(ann)
    expect(await ask(INVITE, { room, user: ben?.id }, ann)).toMatchObject({ __typename: 'ValidationError', field: 'userId' })
    const left = await ask('{ r: me { writeQuota { writesPerMinute { left } } } }', {}, ann)
    expect(left.writeQuota.writesPerMinute.left).toBeGreaterThanOrEqual(118)
  })

  test('for the inviting user: each is a write', async () => {
    await social.sql(
      'INSERT INTO write_quota (author_id, writes_left, bytes_left, counted_at) VALUES ($1, 2.5, 1000000, now())',
      [ann?.row],
    )
    expect(await ask(CREATE, { members: [ben?.id, cem?.id] }, ann)).toEqual({
      __typename: 'QuotaExceededError',
      field: 'writesPerMinute',
    })
    const room = await aRoom(ann, [ben])
    expect(await ask(INVITE, { room, user: cem?.id }, ann)).toEqual({
      __typename: 'QuotaExceededError',
      field: 'writesPerMinute',
    })
    expect((await ask(MINE, {}, cem)).totalCount).toBe(0)
  })
})
