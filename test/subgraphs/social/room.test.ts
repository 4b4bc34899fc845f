import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { ANONYMOUS, type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let social: Social
let [ann, ben, cem]: TestUser[] = []
beforeAll(async () => {
  social = await startSocial()
  ;[ann, ben, cem] = [
    await social.aUser({ name: 'Ann' }),
    await social.aUser({ name: 'Ben' }),
    await social.aUser({ name: 'Cem' }),
  ]
})
afterAll(() => social.close())

/** The answer under the alias `r`; fails for errors. */
async function ask(query: string, variables: Record<string, unknown>, user: TestUser | undefined): Promise<Data> {
  const { data, errors } = await social.ask(query, variables, user?.caller)
  expect(errors).toBeUndefined()
  return data?.r
}
const codeOf = ({ errors }: Answered) => errors?.[0]?.extensions.code

const CREATE = `mutation ($name: String!, $members: [ID!]) { r: createRoom(name: $name, memberIds: $members) {
  __typename ... on CreateRoomSuccess { room { id } } ... on ValidationError { field message errors { field message } } } }`
/** A room whose members have accepted, one after the other. */
async function aRoom(owner: TestUser | undefined, members: (TestUser | undefined)[] = []): Promise<string> {
  const { room } = await ask(CREATE, { name: 'Room', members: members.map((member) => member?.id) }, owner)
  await social.join(
    room.id,
    new Set(members)
      .difference(new Set([owner]))
      .values()
      .toArray(),
  )
  return room.id
}
const MEMBERS = `query ($id: ID!, $first: Int, $after: String) { r: room(id: $id) { name owner { name }
  members(first: $first, after: $after) { totalCount pageInfo { hasNextPage hasPreviousPage endCursor } edges { joinedAt node { name } } } } }`
const names = (room: Data): string[] => room.members.edges.map(({ node }: Data) => node.name)
const CHANGE = (change: 'addRoomMember' | 'removeRoomMember') =>
  `mutation ($room: ID!, $user: ID!) { r: ${change}(roomId: $room, userId: $user) { __typename ... on NotFoundError { message } } }`
const LEAVE = 'mutation ($room: ID!) { r: leaveRoom(roomId: $room) { __typename ... on LeaveRoomSuccess { roomId } } }'

describe('createRoom', () => {
  test('makes the caller the owner and first member, whatever the order of ids', async () => {
    const id = await aRoom(cem, [ann, ben, ann, cem])
    const room = await ask(MEMBERS, { id }, ann)
    expect(room).toMatchObject({ name: 'Room', owner: { name: 'Cem' }, members: { totalCount: 3 } })
    expect(names(room)).toEqual(['Cem', 'Ann', 'Ben'])
  })

  test.each([
    [' \n ', [], 'name'],
    ['x'.repeat(101), [], 'name'],
    ['a\0b', [], 'name'],
    ['\uD800', [], 'name'],
    ['Room', ['nonsense'], 'memberIds'],
    ['Room', [encodeId('User', '999999')], 'memberIds'],
    ['Room', [encodeId('Post', '1')], 'memberIds'],
    ['Room', Array.from({ length: 101 }, () => encodeId('User', '1')), 'memberIds'],
  ])('refuses %j with %j as data', async (name, members, field) => {
    const before = await social.sql('SELECT count(*) FROM room')
    const answer = await ask(CREATE, { name, members }, ann)
    expect(answer).toMatchObject({ __typename: 'ValidationError', field, errors: [{ field }] })
    expect(answer.message).toMatch(/^Expected /)
    expect(await social.sql('SELECT count(*) FROM room')).toEqual(before)
  })

  test('says everything that is wrong at once', async () => {
    const { errors } = await ask(CREATE, { name: '', members: ['nonsense'] }, ann)
    expect(errors.map(({ field }: Data) => field)).toEqual(['name', 'memberIds'])
  })
})

describe('members', () => {
  test('are invited and removed by the owner, as often as it pleases', async () => {
    const id = await aRoom(ann)
    const add = { room: id, user: ben?.id }
    expect(await ask(CHANGE('addRoomMember'), add, ann)).toEqual({ __typename: 'RoomMemberSuccess' })
    expect(await ask(CHANGE('addRoomMember'), add, ann)).toEqual({ __typename: 'RoomMemberSuccess' })
    await social.join(id, [ben])
    expect(names(await ask(MEMBERS, { id }, ben))).toEqual(['Ann', 'Ben'])
    expect(await ask(CHANGE('removeRoomMember'), add, ann)).toEqual({ __typename: 'RoomMemberSuccess' })
    expect(await ask(CHANGE('removeRoomMember'), add, ann)).toEqual({ __typename: 'RoomMemberSuccess' })
    expect(codeOf(await social.ask(MEMBERS, { id }, ben?.caller))).toBe('FORBIDDEN')
  })

  test.each([['addRoomMember'], ['removeRoomMember']] as const)(
    '%s is refused to members who are not the owner',
    async (change) => {
      const room = await aRoom(ann, [ben])
      expect(codeOf(await social.ask(CHANGE(change), { room, user: cem?.id }, ben?.caller))).toBe('FORBIDDEN')
      expect(codeOf(await social.ask(CHANGE(change), { room, user: cem?.id }, ANONYMOUS))).toBe('UNAUTHENTICATED')
    },
  )

  test.each(['nonsense', encodeId('Room', '999999'), '', '\0'])('there is no room %j', async (room) => {
    expect(await ask(CHANGE('addRoomMember'), { room, user: ben?.id }, ann)).toMatchObject({ __typename: 'NotFoundError' })
    expect(await ask(LEAVE, { room }, ann)).toMatchObject({ __typename: 'NotFoundError' })
    expect(codeOf(await social.ask(MEMBERS, { id: room }, ann?.caller))).toBe('NOT_FOUND')
  })

  test.each(['nonsense', encodeId('User', '999999')])('there is no user %j', async (user) => {
    const room = await aRoom(ann)
    expect(await ask(CHANGE('addRoomMember'), { room, user }, ann)).toMatchObject({ __typename: 'NotFoundError' })
  })

  test('the owner leaves with leaveRoom, not by removal', async () => {
    const room = await aRoom(ann, [ben])
    expect(codeOf(await social.ask(CHANGE('removeRoomMember'), { room, user: ann?.id }, ann?.caller))).toBe('BAD_USER_INPUT')
  })

  test('are paginated, and none is lost or repeated while others join', async () => {
    const users = await Promise.all(Array.from({ length: 12 }, () => social.aUser()))
    const id = await aRoom(ann, users.slice(0, 7))
    const seen: string[] = []
    let after: string | null = null
    for (let more = true, rest = users.slice(7); more; rest = rest.slice(1)) {
      const { members }: Data = await ask(MEMBERS, { id, first: 3, after }, ann)
      expect(members.pageInfo.hasPreviousPage).toBe(after !== null)
      seen.push(...members.edges.map(({ node }: Data) => node.name))
      after = members.pageInfo.endCursor
      more = members.pageInfo.hasNextPage
      if (rest[0]) {
        await ask(CHANGE('addRoomMember'), { room: id, user: rest[0].id }, ann)
        await social.join(id, [rest[0]])
      }
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen.length).toBeGreaterThanOrEqual(8)
  })

  test.each([
    [0, null],
    [101, null],
    [1, 'nonsense'],
    [1, Buffer.from('["members","2026-13-45T00:00:00.000Z","1"]').toString('base64url')],
    [1, Buffer.from('["members","2026-02-30T00:00:00.000Z","1"]').toString('base64url')],
    [1, Buffer.from('["members","0000-01-01T00:00:00.000Z","1"]').toString('base64url')],
    [1, Buffer.from('["members","2026-11-20T00:00:00.000Z","1; DROP"]').toString('base64url')],
    [1, Buffer.from('["rooms","2026-11-20T00:00:00.000Z","1"]').toString('base64url')],
  ])('first %j after %j is refused', async (first, after) => {
    const id = await aRoom(ann)
    expect(codeOf(await social.ask(MEMBERS, { id, first, after }, ann?.caller))).toBe('BAD_USER_INPUT')
  })
})

describe('leaveRoom', () => {
  test('makes the longest member the owner, and ends the room with its last member', async () => {
    const room = await aRoom(ann, [ben])
    await ask(CHANGE('addRoomMember'), { room, user: cem?.id }, ann)
    await social.join(room, [cem])
    expect(await ask(LEAVE, { room }, ann)).toEqual({ __typename: 'LeaveRoomSuccess', roomId: room })
    expect(await ask(MEMBERS, { id: room }, cem)).toMatchObject({ owner: { name: 'Ben' }, members: { totalCount: 2 } })
    await ask(LEAVE, { room }, cem)
    await ask(LEAVE, { room }, ben)
    expect(codeOf(await social.ask(MEMBERS, { id: room }, ben?.caller))).toBe('NOT_FOUND')
  })

  test('refuses a caller who is no member', async () => {
    const room = await aRoom(ann)
    expect(codeOf(await social.ask(LEAVE, { room }, ben?.caller))).toBe('FORBIDDEN')
  })

  test('of all members at once leaves no room without an owner', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => social.aUser()))
    const room = await aRoom(users[0], users)
    await Promise.all(users.map((user) => ask(LEAVE, { room }, user)))
    expect(
      await social.sql('SELECT 1 FROM room WHERE id = $1', [Buffer.from(room, 'base64url').toString().split(':')[1]]),
    ).toEqual([])
  })
})

test('rooms lists the rooms of the caller, last joined first', async () => {
  const user = await social.aUser()
  const ids: string[] = []
  for (let count = 0; count < 5; count += 1) ids.push(await aRoom(user))
  await aRoom(ann)
  const page = `query ($after: String) { r: rooms(first: 2, after: $after) { totalCount pageInfo { endCursor hasNextPage } edges { node { id members { totalCount } } } } }`
  const seen: string[] = []
  let after: string | null = null
  do {
    const rooms: Data = await ask(page, { after }, user)
    expect(rooms.totalCount).toBe(5)
    seen.push(...rooms.edges.map(({ node }: Data) => node.id))
    after = rooms.pageInfo.hasNextPage ? rooms.pageInfo.endCursor : null
  } while (after)
  expect(seen).toEqual(ids.reverse())
})
