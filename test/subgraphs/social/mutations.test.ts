import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { held, releaseAll } from './support/held.ts'
import { type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

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
  ;[ann, ben, cem] = [await social.aUser({ name: 'Ann' }), await social.aUser(), await social.aUser()]
})

/** The answers of the fields of one mutation; fails for errors. */
async function ask(fields: string, variables: Record<string, unknown> = {}): Promise<Data> {
  const { data, errors } = await social.ask(declared(fields, variables), variables, ann?.caller)
  expect(errors).toBeUndefined()
  return data
}
const declared = (fields: string, variables: object): string => {
  const names = Object.keys(variables)
  return `mutation ${names.length > 0 ? `(${names.map((name) => `$${name}: ID!`).join(' ')})` : ''} { ${fields} }`
}
const codesOf = ({ errors }: Answered) => errors?.map(({ path, extensions }) => [path?.[0], extensions.code])

const aPost = async (published: boolean): Promise<string> =>
  (
    await ask(
      `r: createPost(input: { title: "T", content: "C", published: ${published} }) { ... on CreatePostSuccess { post { id } } }`,
    )
  ).r.post.id
const aRoom = async (): Promise<string> =>
  (await ask('r: createRoom(name: "R") { ... on CreateRoomSuccess { room { id } } }')).r.room.id

test('one that follows another is answered by what that one has written', async () => {
  const fields = `updateUser(id: $ann, input: { name: "New" }) { ... on UpdateUserSuccess { user { name posts { title } } } }
    createPost(input: { title: "T", content: "C", published: true }) { ... on CreatePostSuccess { post { author { name posts { title } } } } }`
  expect(await ask(fields, { ann: ann?.id })).toEqual({
    updateUser: { user: { name: 'New', posts: [] } },
    createPost: { post: { author: { name: 'New', posts: [{ title: 'T' }] } } },
  })
})

test('a mutation answers with the state after its write, not before', async () => {
  const post = await aPost(false)
  await ask('addComment(postId: $post, content: "C") { __typename }', { post })
  const publish = 'r: publishPost(id: $post) { ... on PublishPostSuccess { post { published comments { post { published } } } } }'
  expect((await ask(publish, { post })).r.post).toEqual({ published: true, comments: [{ post: { published: true } }] })
})

test('two of a kind are answered by lists that have both', async () => {
  const [post, room] = [await aPost(true), await aRoom()]
  const comment = (alias: string) => `${alias}: addComment(postId: $post, content: "${alias}") {
    ... on AddCommentSuccess { comment { post { comments { content } commentPage { totalCount } } } } }`
  const comments = await ask(`${comment('one')} ${comment('two')}`, { post })
  expect(comments.two.comment.post).toEqual({
    comments: [{ content: 'one' }, { content: 'two' }],
    commentPage: { totalCount: 2 },
  })

  const send = (alias: string) => `${alias}: sendMessage(roomId: $room, text: "${alias}") {
    ... on SendMessageSuccess { message { room { messages { totalCount edges { node { text } } } } } } }`
  const messages = await ask(`${send('one')} ${send('two')}`, { room })
  expect(messages.two.message.room.messages).toEqual({
    totalCount: 2,
    edges: [{ node: { text: 'two' } }, { node: { text: 'one' } }],
  })

  const invite = (alias: string) =>
    `${alias}: addRoomMember(roomId: $room, userId: $${alias}) { ... on RoomMemberSuccess { room { invitations { totalCount } } } }`
  const invited = await ask(`${invite('ben')} ${invite('cem')}`, { room, ben: ben?.id, cem: cem?.id })
  expect([invited.ben, invited.cem].map(({ room }: Data) => room.invitations.totalCount)).toEqual([1, 2])
})

test.each([
  ['deleteUser', 'deleteUser(id: $ann) { __typename }'],
  ['signOut', 'signOut { sessionsEnded }'],
  ['signOutEverywhere', 'signOutEverywhere { sessionsEnded }'],
])('after %s every session is ended', async (name, ending) => {
  const variables = name === 'deleteUser' ? { ann: ann?.id } : {}
  const before = await social.sql('SELECT count(*) FROM post')
  const fields = `${ending} createPost(input: { title: "T", content: "C" }) { __typename }`
  expect(codesOf(await social.ask(declared(fields, variables), variables, ann?.caller))).toEqual([
    ['createPost', 'UNAUTHENTICATED'],
  ])
  expect(await social.sql('SELECT count(*) FROM post')).toEqual(before)
})

test('behind a new role that role decides', async () => {
  const admin = await social.aUser({ role: 'ADMIN' })
  // The last one would stay one.
  await social.aUser({ role: 'ADMIN' })
  const fields = `a: updateUser(id: $id, input: { role: USER }) { __typename } b: updateUser(id: $id, input: { role: ADMIN }) { __typename }`
  expect(codesOf(await social.ask(declared(fields, { id: 1 }), { id: admin.id }, admin.caller))).toEqual([['b', 'FORBIDDEN']])
})

test.each([
  ['createPost', () => 'createPost(input: { title: "T", content: "C" }) { __typename }'],
  ['addComment', (post: string) => `addComment(postId: "${post}", content: "C") { __typename }`],
  ['createRoom', () => 'createRoom(name: "R") { __typename }'],
])('%s of a user who is deleted while it runs is UNAUTHENTICATED', async (name, field) => {
  const post = (await social.ask(
    'mutation { r: createPost(input: { title: "T", content: "C", published: true }) { ... on CreatePostSuccess { post { id } } } }',
    {},
    ben?.caller,
  )) as Data
  const deleting = await held(social.database, 'DELETE FROM "user" WHERE id = $1', [ann?.row])
  const writing = social.ask(`mutation { ${field(post.data.r.post.id)} }`, {}, ann?.caller)
  await deleting.isWaitedFor()
  await deleting.release()
  expect(codesOf(await writing)).toEqual([[name, 'UNAUTHENTICATED']])
})
