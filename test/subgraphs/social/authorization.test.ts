import { isObjectType, parse, subscribe } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Caller, tenantOf } from '../../../platform/http/caller.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { sdlOf } from '../../../subgraphs/toolkit/sdl.ts'
import { ANONYMOUS, type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

/**
 * Kinds of callers, in the order of the columns. `self` is the user, the author, the owner of the
 * room.
 */
const CALLERS = ['anonymous', 'self', 'other', 'moderator', 'admin'] as const
type CallerKind = (typeof CALLERS)[number]

/**
 * What a caller gets: the value, null without an error, data that says no, or an error with this
 * code.
 */
type Result = 'value' | 'null' | 'UNAUTHENTICATED' | 'FORBIDDEN' | 'NOT_FOUND'
type Row = readonly [Result, Result, Result, Result, Result]

const EVERYBODY: Row = ['value', 'value', 'value', 'value', 'value']
const SIGNED_IN: Row = ['UNAUTHENTICATED', 'value', 'value', 'value', 'value']
const SELF_OR_ADMIN: Row = ['UNAUTHENTICATED', 'value', 'FORBIDDEN', 'FORBIDDEN', 'value']
const SELF: Row = ['UNAUTHENTICATED', 'value', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']
const OWNER_OR_STAFF: Row = ['UNAUTHENTICATED', 'value', 'FORBIDDEN', 'value', 'value']

/** A field of a noun: how it is selected, and what each caller gets who reached its parent. */
const FIELDS: Readonly<Record<string, Row>> = {
  'User.id': EVERYBODY,
  'User.email': ['FORBIDDEN', 'value', 'FORBIDDEN', 'FORBIDDEN', 'value'],
  'User.name': EVERYBODY,
  'User.role': EVERYBODY,
  'User.phoneNumber': ['null', 'value', 'null', 'null', 'null'],
  'User.isLastAdministrator': ['null', 'value', 'null', 'null', 'null'],
  'User.posts': EVERYBODY,
  'User.createdAt': EVERYBODY,
  'User.itemCollections': EVERYBODY,
  'User.writeQuota': ['null', 'value', 'null', 'null', 'null'],

  'Post.id': EVERYBODY,
  'Post.title': EVERYBODY,
  'Post.content': EVERYBODY,
  'Post.author': EVERYBODY,
  'Post.comments': EVERYBODY,
  'Post.commentPage': EVERYBODY,
  'Post.published': EVERYBODY,
  'Post.publishedAt': EVERYBODY,
  'Post.about': EVERYBODY,
  'Post.createdAt': EVERYBODY,
  'Post.updatedAt': EVERYBODY,
  'Post.likeCount': EVERYBODY,
  'Post.viewerHasLiked': EVERYBODY,

  'Comment.id': EVERYBODY,
  'Comment.content': EVERYBODY,
  'Comment.author': EVERYBODY,
  'Comment.post': EVERYBODY,
  'Comment.createdAt': EVERYBODY,

  'DirectoryItem.id': EVERYBODY,
  'DirectoryItem.posts': EVERYBODY,
  'DirectoryItem.itemCollections': EVERYBODY,

  'ItemCollection.id': EVERYBODY,
  'ItemCollection.name': EVERYBODY,
  'ItemCollection.description': EVERYBODY,
  'ItemCollection.author': EVERYBODY,
  'ItemCollection.visibility': EVERYBODY,
  'ItemCollection.entries': EVERYBODY,
  'ItemCollection.entryCount': EVERYBODY,
  'ItemCollection.createdAt': EVERYBODY,
  'ItemCollection.updatedAt': EVERYBODY,

  'ItemCollectionEntry.item': EVERYBODY,
  'ItemCollectionEntry.itemId': EVERYBODY,
  'ItemCollectionEntry.note': EVERYBODY,
  'ItemCollectionEntry.addedAt': EVERYBODY,

  // Rooms and messages are reached through the query `room`, which is for members.
  'Room.id': SELF,
  'Room.name': SELF,
  'Room.owner': SELF,
  'Room.members': SELF,
  'Room.messages': SELF,
  'Room.createdAt': SELF,
  'Room.invitations': SELF,

  'Message.id': SELF,
  'Message.text': SELF,
  'Message.author': SELF,
  'Message.room': SELF,
  'Message.roomId': SELF,
  'Message.createdAt': SELF,
}

/** Types that only carry what an operation answers: whoever got the answer may read all of it. */
const CARRIERS =
  /(?:Payload|Success|Connection|Edge)$|^(?:PageInfo|Error|NotFoundError|ValidationError|ItemCollectionLimitReached|LoginSuccess|InvalidCredentials|AccountLocked|InvalidRefreshToken|JsonWebKey|Session|QuotaExceededError|QuotaLevel|WriteQuota|RoomInvitation)$/

/**
 * Everything that an operation on the root needs: made afresh for each caller, with `self` as user,
 * author and owner.
 */
type World = {
  readonly users: Readonly<Record<Exclude<CallerKind, 'anonymous'>, TestUser>>
  readonly bystander: TestUser
  readonly post: string
  readonly draft: string
  readonly comment: string
  /** Public; the other one is private. */
  readonly collection: string
  readonly hidden: string
  readonly room: string
}

type Operation = { readonly row: Row; readonly text: (world: World) => string }
const quoted = (text: string) => JSON.stringify(text)

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'Query.me': { row: ['null', 'value', 'value', 'value', 'value'], text: () => '{ r: me { id } }' },
  'Query.user': { row: EVERYBODY, text: ({ users }) => `{ r: user(id: ${quoted(users.self.id)}) { id } }` },
  'Query.userByEmail': {
    row: ['UNAUTHENTICATED', 'value', 'null', 'null', 'value'],
    text: ({ users }) => `{ r: userByEmail(email: ${quoted(users.self.email)}) { id } }`,
  },
  'Query.users': { row: EVERYBODY, text: () => '{ r: users { id } }' },
  'Query.searchUsers': { row: EVERYBODY, text: () => '{ r: searchUsers(query: "u") { totalCount } }' },
  'Query.jsonWebKeys': { row: EVERYBODY, text: () => '{ r: jsonWebKeys { kid } }' },
  // Nobody has ended all sessions here.
  'Query.post': { row: EVERYBODY, text: ({ post }) => `{ r: post(id: ${quoted(post)}) { id } }` },
  'Query.post (a draft)': {
    row: ['null', 'value', 'null', 'null', 'null'],
    text: ({ draft }) => `{ r: post(id: ${quoted(draft)}) { id } }`,
  },
  'Query.feed': { row: EVERYBODY, text: () => '{ r: feed { totalCount } }' },
  'Query.itemCollection': {
    row: EVERYBODY,
    text: ({ collection }) => `{ r: itemCollection(id: ${quoted(collection)}) { id } }`,
  },
  'Query.itemCollection (a private one)': {
    row: ['null', 'value', 'null', 'null', 'null'],
    text: ({ hidden }) => `{ r: itemCollection(id: ${quoted(hidden)}) { id } }`,
  },
  'Query.itemCollections': { row: EVERYBODY, text: () => '{ r: itemCollections { totalCount } }' },
  'Query.room': { row: SELF, text: ({ room }) => `{ r: room(id: ${quoted(room)}) { id } }` },
  'Query.rooms': { row: SIGNED_IN, text: () => '{ r: rooms { totalCount } }' },

  'Mutation.createUser': {
    row: EVERYBODY,
    text: () =>
      `mutation { r: createUser(input: { email: "${Math.random()}@example.org", name: "N" }) { user { id } errors { field } } }`,
  },
  'Mutation.createUser (an administrator)': {
    row: ['null', 'null', 'null', 'null', 'value'],
    text: () =>
      `mutation { r0: createUser(input: { email: "${Math.random()}@example.org", name: "N", role: ADMIN }) { r: user { id } } }`,
  },
  'Mutation.updateUser': {
    row: SELF_OR_ADMIN,
    text: ({ users }) => `mutation { r: updateUser(id: ${quoted(users.self.id)}, input: { name: "New" }) { __typename } }`,
  },
  'Mutation.updateUser (the role)': {
    row: ['UNAUTHENTICATED', 'FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN', 'value'],
    text: ({ users }) => `mutation { r: updateUser(id: ${quoted(users.self.id)}, input: { role: MODERATOR }) { __typename } }`,
  },
  'Mutation.deleteUser': {
    row: SELF_OR_ADMIN,
    text: ({ users }) => `mutation { r: deleteUser(id: ${quoted(users.self.id)}) { __typename } }`,
  },
  'Mutation.login': {
    row: EVERYBODY,
    text: () => 'mutation { r: login(email: "a@example.org", password: "12345678") { __typename } }',
  },
  'Mutation.refreshSession': { row: EVERYBODY, text: () => 'mutation { r: refreshSession(refreshToken: "x") { __typename } }' },
  'Mutation.changePassword': {
    row: SIGNED_IN,
    text: () => 'mutation { r: changePassword(input: { currentPassword: "12345678", newPassword: "123456789" }) { __typename } }',
  },
  'Mutation.signOut': { row: SIGNED_IN, text: () => 'mutation { r: signOut { sessionsEnded } }' },
  'Query.sessions': { row: SIGNED_IN, text: () => '{ r: sessions { id createdAt refreshedAt expiresAt isCurrent } }' },
  'Mutation.endSession': { row: SIGNED_IN, text: () => 'mutation { r: endSession(id: "x") { __typename } }' },
  'Mutation.signOutElsewhere': { row: SIGNED_IN, text: () => 'mutation { r: signOutElsewhere { sessionsEnded } }' },
  'Mutation.signOutEverywhere': { row: SIGNED_IN, text: () => 'mutation { r: signOutEverywhere { sessionsEnded } }' },
  'Mutation.createPost': {
    row: SIGNED_IN,
    text: () => 'mutation { r: createPost(input: { title: "T", content: "C" }) { __typename } }',
  },
  'Mutation.updatePost': {
    row: SELF,
    text: ({ post }) => `mutation { r: updatePost(id: ${quoted(post)}, input: { title: "New" }) { __typename } }`,
  },
  'Mutation.publishPost': { row: SELF, text: ({ post }) => `mutation { r: publishPost(id: ${quoted(post)}) { __typename } }` },
  'Mutation.likePost': { row: SIGNED_IN, text: ({ post }) => `mutation { r: likePost(id: ${quoted(post)}) { __typename } }` },
  'Mutation.unlikePost': { row: SIGNED_IN, text: ({ post }) => `mutation { r: unlikePost(id: ${quoted(post)}) { __typename } }` },
  'Mutation.deletePost': {
    row: OWNER_OR_STAFF,
    text: ({ post }) => `mutation { r: deletePost(id: ${quoted(post)}) { __typename } }`,
  },
  'Mutation.addComment': {
    row: SIGNED_IN,
    text: ({ post }) => `mutation { r: addComment(postId: ${quoted(post)}, content: "C") { __typename } }`,
  },
  'Mutation.deleteComment': {
    row: OWNER_OR_STAFF,
    text: ({ comment }) => `mutation { r: deleteComment(id: ${quoted(comment)}) { __typename } }`,
  },
  'Mutation.createItemCollection': {
    row: SIGNED_IN,
    text: () => 'mutation { r: createItemCollection(input: { name: "N" }) { __typename } }',
  },
  'Mutation.updateItemCollection': {
    row: SELF,
    text: ({ collection }) =>
      `mutation { r: updateItemCollection(id: ${quoted(collection)}, input: { name: "N" }) { __typename } }`,
  },
  'Mutation.deleteItemCollection': {
    row: OWNER_OR_STAFF,
    text: ({ collection }) => `mutation { r: deleteItemCollection(id: ${quoted(collection)}) { __typename } }`,
  },
  'Mutation.addToItemCollection': {
    row: SELF,
    text: ({ collection }) => `mutation { r: addToItemCollection(id: ${quoted(collection)}, itemId: "x") { __typename } }`,
  },
  'Mutation.removeFromItemCollection': {
    row: SELF,
    text: ({ collection }) =>
      `mutation { r: removeFromItemCollection(id: ${quoted(collection)}, itemId: "item") { __typename } }`,
  },
  'Mutation.moveInItemCollection': {
    row: SELF,
    text: ({ collection }) =>
      `mutation { r: moveInItemCollection(id: ${quoted(collection)}, itemId: "item", position: 1) { __typename } }`,
  },
  'Mutation.createRoom': { row: SIGNED_IN, text: () => 'mutation { r: createRoom(name: "R") { __typename } }' },
  'Mutation.addRoomMember': {
    row: SELF,
    text: ({ room, bystander }) =>
      `mutation { r: addRoomMember(roomId: ${quoted(room)}, userId: ${quoted(bystander.id)}) { __typename } }`,
  },
  'Mutation.removeRoomMember': {
    row: SELF,
    text: ({ room, bystander }) =>
      `mutation { r: removeRoomMember(roomId: ${quoted(room)}, userId: ${quoted(bystander.id)}) { __typename } }`,
  },
  'Mutation.leaveRoom': { row: SELF, text: ({ room }) => `mutation { r: leaveRoom(roomId: ${quoted(room)}) { __typename } }` },
  // Nobody but `self` is invited.
  'Query.roomInvitations': { row: SIGNED_IN, text: () => '{ r: roomInvitations { totalCount } }' },
  'Mutation.acceptRoomInvitation': {
    row: SIGNED_IN,
    text: ({ room }) => `mutation { r: acceptRoomInvitation(roomId: ${quoted(room)}) { __typename } }`,
  },
  'Mutation.declineRoomInvitation': {
    row: SIGNED_IN,
    text: ({ room }) => `mutation { r: declineRoomInvitation(roomId: ${quoted(room)}) { __typename } }`,
  },
  'Subscription.roomInvitationReceived': {
    row: SIGNED_IN,
    text: () => 'subscription { r: roomInvitationReceived { invitedAt } }',
  },
  'Mutation.sendMessage': {
    row: SELF,
    text: ({ room }) => `mutation { r: sendMessage(roomId: ${quoted(room)}, text: "T") { __typename } }`,
  },
  'Subscription.userCreated': { row: EVERYBODY, text: () => 'subscription { r: userCreated { id } }' },
  'Subscription.messageReceived': {
    row: SELF,
    text: ({ room }) => `subscription { r: messageReceived(roomId: ${quoted(room)}) { id } }`,
  },
}

let social: Social
beforeAll(async () => {
  social = await startSocial()
})
afterAll(() => social.close())

const idIn = (rows: readonly Record<string, unknown>[]) => String(rows[0]?.id)

async function aWorld(): Promise<World> {
  const self = await social.aUser({ phoneNumber: '+4915112345678' })
  const users = {
    self,
    other: await social.aUser(),
    moderator: await social.aUser({ role: 'MODERATOR' }),
    admin: await social.aUser({ role: 'ADMIN' }),
  }
  const bystander = await social.aUser()
  const post = `INSERT INTO post (author_id, title, content, about_id, published_at) VALUES ($1, 'T', 'C', 'item', $2) RETURNING id`
  const published = idIn(await social.sql(post, [self.row, new Date()]))
  await social.sql('INSERT INTO post_like (post_id, author_id) VALUES ($1, $2)', [published, self.row])
  const draft = idIn(await social.sql(post, [self.row, null]))
  const comment = `INSERT INTO comment (post_id, author_id, content) VALUES ($1, $2, 'C') RETURNING id`
  const commented = idIn(await social.sql(comment, [published, self.row]))
  const collection = `INSERT INTO item_collection (author_id, name, description, visibility) VALUES ($1, 'N', '', $2) RETURNING id`
  const open = idIn(await social.sql(collection, [self.row, 'PUBLIC']))
  const hidden = idIn(await social.sql(collection, [self.row, 'PRIVATE']))
  const entry = `INSERT INTO item_collection_entry (collection_id, item_id, note, position) VALUES ($1, 'item', '', 1)`
  await social.sql(entry, [open])
  const room = idIn(await social.sql(`INSERT INTO room (name, owner_id) VALUES ('R', $1) RETURNING id`, [self.row]))
  await social.sql('INSERT INTO room_member (room_id, user_id) VALUES ($1, $2)', [room, self.row])
  await social.sql(`INSERT INTO message (room_id, author_id, text) VALUES ($1, $2, 'T')`, [room, self.row])
  return {
    users,
    bystander,
    post: encodeId('Post', published),
    draft: encodeId('Post', draft),
    comment: encodeId('Comment', commented),
    collection: open,
    hidden,
    room: encodeId('Room', room),
  }
}

const callerIn = ({ users }: World, kind: CallerKind) => (kind === 'anonymous' ? ANONYMOUS : users[kind].caller)

/** The value under the alias `r`, wherever it is. */
function answerAt(data: unknown): unknown {
  if (typeof data !== 'object' || data === null) return undefined
  if ('r' in data) return data.r
  for (const inner of Array.isArray(data) ? data : Object.values(data)) {
    const found = answerAt(inner)
    if (found !== undefined) return found
  }
  return undefined
}

function resultOf({ data, errors }: Answered): string {
  if (errors) return String(errors[0]?.extensions.code ?? errors[0]?.message)
  const answer = answerAt(data)
  if (answer === undefined) return 'nothing on the way to it'
  return answer === null ? 'null' : 'value'
}

/**
 * A subscription that is admitted is a value: what it then sends is the matter of its own tests.
 */
async function resultFor(text: string, caller: Caller): Promise<string> {
  if (!text.startsWith('subscription')) return resultOf(await social.ask(text, {}, caller))
  const { schema, context } = social.subgraph
  const opened = await subscribe({ schema, document: parse(text), contextValue: context(caller) })
  if (!(Symbol.asyncIterator in opened)) return resultOf(JSON.parse(JSON.stringify(opened)))
  await opened.return?.(undefined)
  return 'value'
}

/** A query that reaches one field of a noun, with the field under the alias `r`. */
function reaching(field: string, world: World): string {
  const [type = '', name = ''] = field.split('.')
  const declared = social.subgraph.schema.getType(type)
  const isLeaf =
    isObjectType(declared) &&
    /^\[?(ID|String|Role|ItemCollectionVisibility|DateTime|Boolean|Int)\b/.test(String(declared.getFields()[name]?.type))
  const selected = `r: ${name}${isLeaf ? '' : ' { __typename }'}`
  switch (type) {
    case 'User':
      return `{ user(id: ${quoted(world.users.self.id)}) { ${selected} } }`
    case 'Post':
      return `{ post(id: ${quoted(world.post)}) { ${selected} } }`
    case 'Comment':
      return `{ post(id: ${quoted(world.post)}) { comments { ${selected} } } }`
    case 'DirectoryItem':
      return `{ post(id: ${quoted(world.post)}) { about { ${selected} } } }`
    case 'ItemCollection':
      return `{ itemCollection(id: ${quoted(world.collection)}) { ${selected} } }`
    case 'ItemCollectionEntry':
      return `{ itemCollection(id: ${quoted(world.collection)}) { entries { ${selected} } } }`
    case 'Room':
      return `{ room(id: ${quoted(world.room)}) { ${selected} } }`
    case 'Message':
      return `{ room(id: ${quoted(world.room)}) { messages { edges { node { ${selected} } } } } }`
    default:
      throw new Error(`Expected a way to ${type}.`)
  }
}

test('every field of every type and of every root has a row', () => {
  const listed = [...Object.keys(FIELDS), ...Object.keys(OPERATIONS).map((name) => name.replace(/ \(.*/, ''))]
  const declared = Object.values(social.subgraph.schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('_') && !CARRIERS.test(type.name)
      ? Object.keys(type.getFields())
          .filter((name) => !name.startsWith('_'))
          .map((name) => `${type.name}.${name}`)
      : [],
  )
  expect([...new Set(listed)].sort()).toEqual(declared.sort())
})

describe('fields', () => {
  let world: World
  beforeAll(async () => {
    world = await aWorld()
  })
  const cases = Object.entries(FIELDS).flatMap(([field, row]) =>
    CALLERS.map((kind, index) => ({ field, kind, result: row[index] })),
  )
  test.each(cases)('$field for $kind: $result', async ({ field, kind, result }) => {
    expect(resultOf(await social.ask(reaching(field, world), {}, callerIn(world, kind)))).toBe(result)
  })

  test('tokens that were verified count as their user where callers take turns, all others as their address', async () => {
    const { caller, row } = world.users.self
    const invented = { ...caller, credentials: { authorization: `${caller.credentials.authorization?.slice(0, -9)}forgeries` } }
    for (const each of [caller, invented]) await social.ask('{ me { id } }', {}, each)
    expect([caller, invented].map(tenantOf)).toEqual([`user ${row}`, tenantOf(ANONYMOUS)])
  })

  test('exactly the fields that depend on the viewer have @tag(name: "viewer")', async () => {
    const depending: string[] = []
    for (const field of Object.keys(FIELDS)) {
      const answers = new Set<string>()
      for (const kind of CALLERS) {
        const { data, errors } = await social.ask(reaching(field, world), {}, callerIn(world, kind))
        // Without the parent there is no answer of the field to compare.
        const isReached = errors?.[0]?.path?.at(-1) !== 'room'
        if (isReached) answers.add(errors ? 'refused' : JSON.stringify(answerAt(data)))
      }
      if (answers.size > 1) depending.push(field)
    }
    expect([...depending, 'Room.invitations', 'Room.members', 'Room.messages'].sort()).toEqual(taggedFields().sort())
  })
})

/** Fields with `@tag(name: "viewer")`. */
function taggedFields(): string[] {
  const tagged: string[] = []
  for (const definition of sdlOf('social').definitions) {
    if (!('fields' in definition) || !('name' in definition)) continue
    for (const { name, directives } of definition.fields ?? []) {
      if (directives?.some((directive) => directive.name.value === 'tag')) tagged.push(`${definition.name?.value}.${name.value}`)
    }
  }
  return tagged
}

describe('operations', () => {
  const cases = Object.entries(OPERATIONS).flatMap(([name, { row, text }]) =>
    CALLERS.map((kind, index) => ({ name, text, kind, result: row[index] })),
  )
  test.each(cases)('$name for $kind: $result', async ({ text, kind, result }) => {
    const world = await aWorld()
    expect(await resultFor(text(world), callerIn(world, kind))).toBe(result)
  })
})
