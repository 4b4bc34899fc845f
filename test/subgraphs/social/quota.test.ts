import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { writeQuotas } from '../../../subgraphs/social/quota/quota.ts'
import { held, releaseAll } from './support/held.ts'
import { type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

const WRITES = 20
const BYTES = 200_000

let social: Social
beforeAll(async () => {
  social = await startSocial(undefined, writeQuotas(WRITES, BYTES))
})
afterAll(() => social.close())
afterEach(releaseAll)

const EXCEEDED = '... on QuotaExceededError { message field limit retryAfterSeconds }'
const createPost = (alias: string, content: string) =>
  `${alias}: createPost(input: { title: "T", content: ${JSON.stringify(content)} }) { __typename ${EXCEEDED} }`
const MINE = '{ me { writeQuota { writesPerMinute { limit left fullInSeconds } bytesPerDay { limit left fullInSeconds } } } }'

async function ask(query: string, user: TestUser): Promise<Data> {
  const { data, errors }: Answered = await social.ask(query, {}, user.caller)
  expect(errors).toBeUndefined()
  return data
}
const mine = async (user: TestUser): Promise<Data> => (await ask(MINE, user)).me.writeQuota
const kinds = (answers: Data) => Object.values(answers).map((each: Data) => each.__typename)
const rowsOf = async ({ row }: TestUser) =>
  Number((await social.sql('SELECT count(*) FROM post WHERE author_id = $1', [row]))[0]?.count)
/** Moves the quota of a user so many seconds on. */
const wait = (user: TestUser, seconds: number) =>
  social.sql(`UPDATE write_quota SET counted_at = counted_at - $2 * interval '1 second' WHERE author_id = $1`, [
    user.row,
    seconds,
  ])

test('aliases of one request write no more than the quota of a minute, and the rest says so', async () => {
  const user = await social.aUser()
  const aliases = Array.from({ length: 48 }, (_, index) => createPost(`a${index}`, 'x'))
  const answers = await ask(`mutation { ${aliases.join(' ')} }`, user)
  expect(kinds(answers)).toEqual([...Array(WRITES).fill('CreatePostSuccess'), ...Array(48 - WRITES).fill('QuotaExceededError')])
  expect(answers.a47).toMatchObject({
    field: 'writesPerMinute',
    limit: WRITES,
    message: expect.stringMatching(/^Expected at most 20 writes a minute: try again in \d+ seconds\.$/),
  })
  expect(answers.a47.retryAfterSeconds).toBeGreaterThanOrEqual(1)
  expect(answers.a47.retryAfterSeconds).toBeLessThanOrEqual(3)
  expect(await rowsOf(user)).toBe(WRITES)
})

test('requests at the same time write no more either', async () => {
  const user = await social.aUser()
  // All of them wait for the row before one is let go on.
  await ask(`mutation { ${createPost('a', 'x')} }`, user)
  const holder = await held(social.database, 'SELECT FROM write_quota WHERE author_id = $1 FOR UPDATE', [user.row])
  const requests = Array.from({ length: 8 }, () =>
    ask(`mutation { ${createPost('a', 'x')} ${createPost('b', 'x')} ${createPost('c', 'x')} }`, user),
  )
  await holder.isWaitedFor(4)
  await holder.release()
  const answers = (await Promise.all(requests)).flatMap(kinds)
  expect(answers.filter((kind) => kind === 'CreatePostSuccess').length).toBeLessThanOrEqual(WRITES)
  expect(answers).toContain('QuotaExceededError')
  expect(await rowsOf(user)).toBe(answers.filter((kind) => kind === 'CreatePostSuccess').length + 1)
})

test('text counts by its bytes, and a day fills it again evenly', async () => {
  const user = await social.aUser()
  const largest = '€'.repeat(33_000)
  const answers = await ask(`mutation { ${['a', 'b', 'c'].map((alias) => createPost(alias, largest)).join(' ')} }`, user)
  expect(kinds(answers)).toEqual(['CreatePostSuccess', 'CreatePostSuccess', 'QuotaExceededError'])
  expect(answers.c).toMatchObject({ field: 'bytesPerDay', limit: BYTES })
  expect((await mine(user)).bytesPerDay.left).toBeLessThan(BYTES - 2 * 99_000)
  await wait(user, answers.c.retryAfterSeconds - 10)
  expect(kinds(await ask(`mutation { ${createPost('c', largest)} }`, user))).toEqual(['QuotaExceededError'])
  await wait(user, 10)
  expect(kinds(await ask(`mutation { ${createPost('c', largest)} }`, user))).toEqual(['CreatePostSuccess'])
})

test('posts, changes of posts, comments and messages take from one quota', async () => {
  const user = await social.aUser()
  const { post } = await ask(
    'mutation { post: createPost(input: { title: "T", content: "C", published: true }) { ... on CreatePostSuccess { post { id } } } }',
    user,
  )
  const { room } = await ask('mutation { room: createRoom(name: "R") { ... on CreateRoomSuccess { room { id } } } }', user)
  const before = (await mine(user)).writesPerMinute.left
  const every = `
    change: updatePost(id: "${post.post.id}", input: { title: "New" }) { __typename ${EXCEEDED} }
    comment: addComment(postId: "${post.post.id}", content: "C") { __typename ${EXCEEDED} }
    message: sendMessage(roomId: "${room.room.id}", text: "T") { __typename ${EXCEEDED} }`
  expect(kinds(await ask(`mutation { ${every} }`, user))).toEqual([
    'UpdatePostSuccess',
    'AddCommentSuccess',
    'SendMessageSuccess',
  ])
  expect((await mine(user)).writesPerMinute.left).toBeLessThanOrEqual(before - 2)
  await social.sql('UPDATE write_quota SET writes_left = 0, counted_at = now() WHERE author_id = $1', [user.row])
  const refused = await ask(`mutation { ${every} }`, user)
  expect(kinds(refused)).toEqual(Array(3).fill('QuotaExceededError'))
  expect(await social.sql('SELECT title FROM post WHERE author_id = $1', [user.row])).toEqual([{ title: 'New' }])
  // What is refused for another reason is answered so, and takes nothing.
  const stranger = await social.aUser()
  const elsewhere = await social.ask(
    `mutation { sendMessage(roomId: "${room.room.id}", text: "T") { __typename } }`,
    {},
    stranger.caller,
  )
  expect(elsewhere.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
  expect(kinds(await ask('mutation { a: addComment(postId: "nonsense", content: "C") { __typename } }', user))).toEqual([
    'NotFoundError',
  ])
  expect((await mine(stranger)).writesPerMinute).toEqual({ limit: WRITES, left: WRITES, fullInSeconds: 0 })
})

test('one user takes nothing from another, and sees only the own quota', async () => {
  const [ann, ben] = [await social.aUser(), await social.aUser()]
  await ask(`mutation { ${Array.from({ length: WRITES }, (_, index) => createPost(`a${index}`, 'x')).join(' ')} }`, ann)
  expect(kinds(await ask(`mutation { ${createPost('a', 'x')} }`, ben))).toEqual(['CreatePostSuccess'])
  const { user } = await ask(`{ user(id: "${ann.id}") { writeQuota { writesPerMinute { left } } } }`, ben)
  expect(user.writeQuota).toBeNull()
})

test('0 sets no limit', async () => {
  const unlimited = await startSocial(undefined, writeQuotas(0, 0))
  try {
    const user = await unlimited.aUser()
    const aliases = Array.from({ length: 150 }, (_, index) => createPost(`a${index}`, 'x'))
    const { data } = await unlimited.ask(`mutation { ${aliases.join(' ')} }`, {}, user.caller)
    expect(new Set(kinds(data))).toEqual(new Set(['CreatePostSuccess']))
    const { data: quota } = await unlimited.ask(MINE, {}, user.caller)
    expect(quota).toEqual({ me: { writeQuota: { writesPerMinute: null, bytesPerDay: null } } })
  } finally {
    await unlimited.close()
  }
})
