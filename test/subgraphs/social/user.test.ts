import { parse, subscribe } from 'graphql'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { readMigrations } from '../../../platform/database/migrate.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { nameKey } from '../../../subgraphs/social/user/user.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { hashPassword } from '../../../subgraphs/toolkit/password.ts'
import { held, releaseAll } from './support/held.ts'
import { ANONYMOUS, type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

let social: Social
let [ann, ben, admin, moderator]: TestUser[] = []
let addresses = 0

beforeAll(async () => {
  social = await startSocial()
  ann = await social.aUser({ name: 'Ann', email: 'Ann@Example.org', phoneNumber: '+4915112345678' })
  ben = await social.aUser({ name: 'Ben' })
  admin = await social.aUser({ name: 'Root', role: 'ADMIN' })
  moderator = await social.aUser({ name: 'Mod', role: 'MODERATOR' })
})
afterAll(() => social.close())
afterEach(releaseAll)

/**
 * The same caller from an address that nobody used before, so that limits of other tests do not
 * count.
 */
const fresh = (caller: Caller = ANONYMOUS): Caller => ({ ...caller, address: `10.0.0.${++addresses}` })
const codeOf = ({ errors }: Answered) => errors?.[0]?.extensions.code

async function ask(query: string, variables: Record<string, unknown> = {}, user?: TestUser): Promise<Data> {
  const { data, errors } = await social.ask(query, variables, fresh(user?.caller))
  expect(errors).toBeUndefined()
  return data?.r
}
async function withPassword(user: TestUser | undefined, password = 'correct horse'): Promise<void> {
  await social.sql('UPDATE "user" SET password_hash = $1 WHERE id = $2', [await hashPassword(password), user?.row])
}

const CREATE = `mutation ($input: CreateUserInput!) { r: createUser(input: $input) { user { id email name role createdAt } errors { field message } } }`
const create = (input: Record<string, unknown>, user?: TestUser) => ask(CREATE, { input }, user)
const fieldsOf = ({ errors }: Data): string[] => errors.map(({ field }: Data) => field)

describe('createUser', () => {
  test('signs up with an address and a name alone; sign-in works at once with a password', async () => {
    const { user, errors } = await create({ email: 'one@example.org', name: '  One  ' })
    expect([user, errors]).toEqual([
      { id: expect.any(String), email: 'one@example.org', name: 'One', role: 'USER', createdAt: expect.any(String) },
      [],
    ])
    expect(user.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

    await create({ email: 'two@example.org', name: 'Two', password: 'correct horse', phoneNumber: '+15551234567' })
    const login =
      'mutation { r: login(email: "TWO@example.org", password: "correct horse") { ... on LoginSuccess { user { name email phoneNumber } } } }'
    // Who signs in is the user, for what this answer says as well.
    expect(await ask(login)).toEqual({ user: { name: 'Two', email: 'two@example.org', phoneNumber: '+15551234567' } })
  })

  test.each([
    ['email', { email: 'nonsense', name: 'N' }],
    ['email', { email: 'a b@example.org', name: 'N' }],
    ['email', { email: '', name: 'N' }],
    ['email', { email: 'a@b@c', name: 'N' }],
    ['email', { email: 'a\0@example.org', name: 'N' }],
    ['email', { email: `${'x'.repeat(243)}@example.org`, name: 'N' }],
    ['email', { email: 'ANN@EXAMPLE.ORG', name: 'N' }],
    ['name', { email: 'n1@example.org', name: ' \t\n\u00a0' }],
    ['name', { email: 'n1@example.org', name: 'x'.repeat(101) }],
    ['name', { email: 'n1@example.org', name: 'a\0b' }],
    ['name', { email: 'n1@example.org', name: '\uD800' }],
    ['role', { email: 'n1@example.org', name: 'N', role: 'ADMIN' }],
    ['role', { email: 'n1@example.org', name: 'N', role: 'MODERATOR' }],
    ['password', { email: 'n1@example.org', name: 'N', password: '1234567' }],
    ['password', { email: 'n1@example.org', name: 'N', password: 'x'.repeat(257) }],
    ['phoneNumber', { email: 'n1@example.org', name: 'N', phoneNumber: '0151 12345678' }],
    ['phoneNumber', { email: 'n1@example.org', name: 'N', phoneNumber: '' }],
  ])('names the field %s', async (field, input) => {
    const before = await social.sql('SELECT count(*) FROM "user"')
    const answer = await create(input, ben)
    expect([answer.user, fieldsOf(answer)]).toEqual([null, [field]])
    expect(answer.errors[0].message).toMatch(/^Expected "/)
    expect(await social.sql('SELECT count(*) FROM "user"')).toEqual(before)
  })

  test('says everything that is wrong at once, in the order of the input, and no password', async () => {
    const answer = await create({ email: 'nonsense', name: ' ', role: 'ADMIN', password: 'secret', phoneNumber: 'x' })
    expect(fieldsOf(answer)).toEqual(['email', 'name', 'role', 'password', 'phoneNumber'])
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  test('of one address by many at once makes one user', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ email: 'race@example.org', name: 'Race' })))
    expect(answers.filter(({ user }) => user !== null)).toHaveLength(1)
    expect(answers.filter((answer) => fieldsOf(answer)[0] === 'email')).toHaveLength(9)
  })

  test('by an administrator gives any role; null is USER', async () => {
    expect((await create({ email: 'mod@example.org', name: 'M', role: 'MODERATOR' }, admin)).user.role).toBe('MODERATOR')
    expect((await create({ email: 'null@example.org', name: 'M', role: null })).user.role).toBe('USER')
    expect(fieldsOf(await create({ email: 'no@example.org', name: 'M', role: 'ADMIN' }, moderator))).toEqual(['role'])
  })

  test('is refused from one address beyond 60 a minute', async () => {
    const caller = fresh()
    const aliases = Array.from(
      { length: 61 },
      (_, index) => `a${index}: createUser(input: { email: "x", name: "x" }) { user { id } }`,
    )
    const { errors } = await social.ask(`mutation { ${aliases.join(' ')} }`, {}, caller)
    expect(errors).toHaveLength(1)
    expect(errors?.[0]).toMatchObject({
      path: ['a60'],
      extensions: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) },
    })
  })
})

describe('reading', () => {
  const EMAIL = 'query ($id: ID!) { r: user(id: $id) { name email } }'

  test('me is the caller', async () => {
    expect(await ask('{ r: me { name email phoneNumber } }', {}, ann)).toEqual({
      name: 'Ann',
      email: 'Ann@Example.org',
      phoneNumber: '+4915112345678',
    })
    expect(await ask('{ r: me { name } }')).toBeNull()
  })

  test('another e-mail address is FORBIDDEN and nulls its user, as the schema says', async () => {
    const { data, errors }: Data = await social.ask(EMAIL, { id: ann?.id }, ben?.caller)
    expect(data).toBeNull()
    expect(errors[0]).toMatchObject({ path: ['r', 'email'], extensions: { code: 'FORBIDDEN' } })
    expect(await ask(EMAIL, { id: ann?.id }, admin)).toEqual({ name: 'Ann', email: 'Ann@Example.org' })
  })

  test.each([
    'nonsense',
    '',
    '\0',
    encodeId('User', '999999'),
    encodeId('User', '99999999999999999999'),
    encodeId('Post', '1'),
    `${'x'.repeat(5_000)}`,
  ])('an invalid id is NOT_FOUND', async (id) => {
    expect(codeOf(await social.ask(EMAIL, { id }))).toBe('NOT_FOUND')
  })

  test('userByEmail answers the user and administrators only', async () => {
    const query = '{ r: userByEmail(email: "ann@EXAMPLE.org") { name } }'
    expect(await ask(query, {}, ann)).toEqual({ name: 'Ann' })
    expect(await ask(query, {}, admin)).toEqual({ name: 'Ann' })
    for (const other of [ben, moderator]) expect(await ask(query, {}, other)).toBeNull()
    expect(codeOf(await social.ask(query))).toBe('UNAUTHENTICATED')
    expect(await ask('query ($e: String!) { r: userByEmail(email: $e) { name } }', { e: 'no\0body' }, admin)).toBeNull()
  })

  test('users are sorted by sign-up and paginated', async () => {
    const all = await ask('{ r: users(limit: 100) { name } }')
    expect(all.slice(0, 2)).toEqual([{ name: 'Ann' }, { name: 'Ben' }])
    expect(await ask('{ r: users(limit: 1, offset: 1) { name } }')).toEqual([{ name: 'Ben' }])
    expect(await ask('{ r: users { name } }')).toHaveLength(Math.min(10, all.length))
    expect(await ask('{ r: users(limit: null, offset: null) { name } }')).toHaveLength(Math.min(10, all.length))
    expect(await ask('{ r: users(offset: 100000) { name } }')).toEqual([])
  })

  test.each(['limit: 0', 'limit: 101', 'limit: -1', 'offset: -1', 'offset: 100001'])('users(%s) is refused', async (argument) => {
    const answer = await social.ask(`{ users(${argument}) { name } }`)
    expect([codeOf(answer), answer.errors?.[0]?.message]).toEqual([
      'BAD_USER_INPUT',
      expect.stringMatching(/^Expected "(limit|offset)" to be /),
    ])
  })
})

describe('searchUsers', () => {
  const SEARCH = `query ($query: String!, $first: Int, $after: String) { r: searchUsers(query: $query, first: $first, after: $after) {
    totalCount pageInfo { hasNextPage hasPreviousPage endCursor } edges { cursor node { name } } } }`
  const search = (query: string, variables = {}, user?: TestUser) => ask(SEARCH, { query, ...variables }, user)
  const names = ({ edges }: Data): string[] => edges.map(({ node }: Data) => node.name)

  beforeAll(async () => {
    for (const name of ['Zoë Search', 'searching 100%', 'Search_er', 'Ｓearch wide', 'Nobody']) await social.aUser({ name })
  })

  test('finds names that contain the text, without regard to case, by name', async () => {
    expect(names(await search('SEARCH'))).toEqual(['Ｓearch wide', 'Search_er', 'searching 100%', 'Zoë Search'])
    expect(names(await search('zoë'))).toEqual(['Zoë Search'])
    expect(names(await search('rc'))).toHaveLength(4)
  })

  test.each([
    ['ΟΔΥΣΣΕΥΣ', ['ΟΔΥΣ', 'οδυσ', 'Οδυς', 'σσευς', 'ΟΔΥΣΣΕΥΣ']],
    ['Οδυσσεύς', ['Οδυσσεύς', 'ΟΔΥΣΣΕΎΣ', 'εύσ']],
    ['Straße am Wall', ['STRASSE', 'strasse', 'Straße', 'STRAẞE', 'asse am']],
    ['Gasse am Wall', ['GAßE', 'gasse']],
  ])('finds %s whatever the case, also of letters that change with it', async (name, queries) => {
    await social.aUser({ name })
    for (const query of queries) expect(names(await search(query))).toContain(name)
  })

  test('finds names of before by the keys of now', async () => {
    const { row } = await social.aUser({ name: 'Φειδίας Weiß' })
    const lower = 'φειδίας weiß'
    await social.sql('UPDATE "user" SET name_key = $1 WHERE id = $2', [lower, row])
    expect(await search('WEISS')).toMatchObject({ totalCount: 0 })
    const migration = readMigrations().find(({ subgraph, name }) => subgraph === 'social' && name.endsWith('_name_keys'))
    await social.sql(migration?.sql ?? '')
    expect(names(await search('WEISS'))).toEqual(['Φειδίας Weiß'])
    expect(await social.sql('SELECT name_key FROM "user" WHERE id = $1', [row])).toEqual([{ name_key: nameKey('Φειδίας Weiß') }])
  })

  test.each([
    ['100%', ['searching 100%']],
    ['%', ['searching 100%']],
    ['h_e', ['Search_er']],
    ['\\', []],
    ["' OR 1=1 --", []],
  ])('takes %j literally', async (query, expected) => {
    expect(names(await search(query))).toEqual(expected)
  })

  test('goes through addresses for administrators only', async () => {
    expect(names(await search('ann@example', {}, admin))).toEqual(['Ann'])
    for (const user of [undefined, ann, moderator]) expect(names(await search('ann@example', {}, user))).toEqual([])
  })

  test('pages are stable while others sign up, and no user is repeated', async () => {
    const seen: string[] = []
    let after: string | null = null
    for (let more = true, count = 0; more; count += 1) {
      const page = await search('search', { first: 1, after })
      expect(page.pageInfo.hasPreviousPage).toBe(after !== null)
      seen.push(...names(page))
      ;({ endCursor: after, hasNextPage: more } = page.pageInfo)
      // Before everything that was told already.
      await social.aUser({ name: `A search ${count}` })
    }
    expect(seen).toEqual(['Ｓearch wide', 'Search_er', 'searching 100%', 'Zoë Search'])
  })

  test.each([
    [{ query: '' }],
    [{ query: ' \n' }],
    [{ query: 'x'.repeat(101) }],
    [{ query: 'a\0b' }],
    [{ query: 'a', first: 0 }],
    [{ query: 'a', first: 101 }],
    [{ query: 'a', after: 'nonsense' }],
    [{ query: 'a', after: Buffer.from('["searchUsers","a\\u0000","1"]').toString('base64url') }],
    [{ query: 'a', after: Buffer.from('["searchUsers","a","x"]').toString('base64url') }],
  ])('%j is refused', async (variables) => {
    expect(codeOf(await social.ask(SEARCH, variables))).toBe('BAD_USER_INPUT')
  })
})

describe('updateUser', () => {
  const UPDATE = `mutation ($id: ID!, $input: UpdateUserInput!) { r: updateUser(id: $id, input: $input) { __typename
    ... on UpdateUserSuccess { user { name email role phoneNumber } } ... on ValidationError { field message errors { field } } } }`
  const update = (id: string | undefined, input: object, user?: TestUser) => ask(UPDATE, { id, input }, user)

  test('changes what is given and leaves the rest', async () => {
    const user = await social.aUser({ phoneNumber: '+15551234567' })
    expect(await update(user.id, { name: ' New ' }, user)).toMatchObject({
      user: { name: 'New', email: user.email, phoneNumber: '+15551234567' },
    })
    await withPassword(user)
    const change = { email: 'New@Example.org', phoneNumber: null, currentPassword: 'correct horse' }
    expect(await update(user.id, change, user)).toMatchObject({
      user: { name: 'New', email: 'New@Example.org', phoneNumber: null },
    })
    expect(await update(user.id, { email: 'NEW@example.org' }, user)).toMatchObject({ user: { email: 'NEW@example.org' } })
    expect(await update(user.id, {}, user)).toMatchObject({ user: { name: 'New' } })
    expect(await update(user.id, { role: 'USER' }, user)).toMatchObject({ user: { role: 'USER' } })
    expect(await update(user.id, { role: 'MODERATOR' }, admin)).toMatchObject({ user: { role: 'MODERATOR' } })
  })

  test.each([
    ['email', { email: null }],
    ['name', { name: null }],
    ['role', { role: null }],
    ['email', { email: 'nonsense' }],
    ['email', { email: 'ann@example.org', currentPassword: 'correct horse' }],
    ['currentPassword', { email: 'ann@example.org' }],
    ['currentPassword', { email: 'ann@example.org', currentPassword: null }],
    ['currentPassword', { email: 'ann@example.org', currentPassword: 'wrong horse' }],
    ['currentPassword', { email: 'nobody-yet@example.org', currentPassword: 'wrong horse' }],
    ['name', { name: ' ' }],
    ['phoneNumber', { phoneNumber: '1' }],
  ])('refuses %s in %j as data', async (field, input) => {
    await withPassword(ben)
    expect(await update(ben?.id, input, ben)).toMatchObject({ __typename: 'ValidationError', field, errors: [{ field }] })
  })

  test('reveals whether an address is in use only with the current password, and 60 times a minute at most', async () => {
    const thief = await social.aUser()
    await withPassword(thief)
    const caller = { ...thief.caller, address: '10.9.9.9' }
    const change = async (input: object) => {
      const { data, errors }: Data = await social.ask(UPDATE, { id: thief.id, input }, caller)
      const locked = /^Too many wrong passwords/.test(data?.r.message) ? 'locked' : null
      return errors?.[0].extensions.code ?? locked ?? data.r.field ?? data.r.__typename
    }
    const without: string[] = []
    for (const email of ['ann@example.org', 'nobody-yet@example.org']) {
      without.push(await change({ email }), await change({ email, currentPassword: 'wrong horse' }))
    }
    expect(without).toEqual(Array(4).fill('currentPassword'))
    const guesses: string[] = []
    for (let count = 0; count < 60; count += 1)
      guesses.push(await change({ email: 'ann@example.org', currentPassword: `${count}` }))
    // Four wrong ones were counted, or six guesses with those of before: then the account is
    // locked, and then nobody is heard.
    expect(guesses.indexOf('locked')).toBe(2)
    expect(guesses.lastIndexOf('RATE_LIMITED')).toBe(59)
    expect(await change({ name: 'Other things go on' })).toBe('UpdateUserSuccess')
  })

  test('of an address by an administrator takes the own password of that one', async () => {
    const [user, other] = [await social.aUser(), await social.aUser({ role: 'ADMIN' })]
    await withPassword(user, 'of the user')
    await withPassword(other, 'of the administrator')
    const change = (currentPassword?: string) => update(user.id, { email: 'given@example.org', currentPassword }, other)
    expect(await change()).toMatchObject({ field: 'currentPassword' })
    expect(await change('of the user')).toMatchObject({ field: 'currentPassword' })
    expect(await change('of the administrator')).toMatchObject({ user: { email: 'given@example.org' } })
    await social.sql('DELETE FROM "user" WHERE id = $1', [other.row])
  })

  test('by others is FORBIDDEN, and of a role by all but administrators', async () => {
    for (const other of [ben, moderator]) {
      expect(codeOf(await social.ask(UPDATE, { id: ann?.id, input: { name: 'x' } }, other?.caller))).toBe('FORBIDDEN')
    }
    expect(codeOf(await social.ask(UPDATE, { id: ben?.id, input: { role: 'ADMIN' } }, ben?.caller))).toBe('FORBIDDEN')
  })

  test.each(['nonsense', encodeId('User', '999999')])('of %j is a NotFoundError', async (id) => {
    expect(await update(id, { name: 'x' }, ben)).toEqual({ __typename: 'NotFoundError' })
  })
})

describe('the last administrator', () => {
  const DEMOTE = `mutation ($id: ID!) { r: updateUser(id: $id, input: { role: USER }) { __typename ... on ValidationError { field message } } }`
  const DELETE = 'mutation ($id: ID!) { r: deleteUser(id: $id) { __typename ... on ValidationError { field message } } }'
  const admins = async () => (await social.sql(`SELECT id FROM "user" WHERE role = 'ADMIN'`)).map(({ id }) => id)

  test('stays one, and stays', async () => {
    expect(await admins()).toEqual([admin?.row])
    const isLast = async (caller: typeof admin) =>
      (await ask('{ r: me { isLastAdministrator } }', {}, caller)).isLastAdministrator
    expect([await isLast(admin), await isLast(ann)]).toEqual([true, false])
    const room = await ask('mutation { r: createRoom(name: "Kept") { ... on CreateRoomSuccess { room { id } } } }', {}, admin)
    for (const [text, field] of [
      [DEMOTE, 'role'],
      [DELETE, 'id'],
    ] as const) {
      const refused = await ask(text, { id: admin?.id }, admin)
      expect(refused).toMatchObject({ __typename: 'ValidationError', field, message: expect.stringContaining('last one') })
    }
    expect(await ask('query ($id: ID!) { r: room(id: $id) { name } }', { id: room.room.id }, admin)).toEqual({ name: 'Kept' })
    expect(await admins()).toEqual([admin?.row])
    const keeps = 'mutation ($id: ID!) { r: updateUser(id: $id, input: { role: ADMIN, name: "Same" }) { __typename } }'
    expect(await ask(keeps, { id: admin?.id }, admin)).toEqual({ __typename: 'UpdateUserSuccess' })
  })

  test.each([
    ['demotions', DEMOTE, DEMOTE],
    ['deletions', DELETE, DELETE],
    ['a demotion and a deletion', DEMOTE, DELETE],
  ])('remains after %s of all of them at the same time', async (_, first, second) => {
    const two = [await social.aUser({ role: 'ADMIN' }), await social.aUser({ role: 'ADMIN' })]
    await social.sql(`UPDATE "user" SET role = 'USER' WHERE id = $1`, [admin?.row])
    try {
      // Both have read that there is another one before either is let go on.
      const gate = await held(social.database, "SELECT pg_advisory_xact_lock(hashtextextended('social.administrators', 0))")
      const changes = [ask(first, { id: two[0]?.id }, two[0]), ask(second, { id: two[1]?.id }, two[1])]
      await gate.isWaitedFor(2)
      await gate.release()
      const kinds = (await Promise.all(changes)).map(({ __typename }) => __typename)
      expect(kinds.filter((kind) => kind === 'ValidationError')).toHaveLength(1)
      expect(await admins()).toHaveLength(1)
    } finally {
      await social.sql(`UPDATE "user" SET role = 'USER' WHERE role = 'ADMIN'`)
      await social.sql(`UPDATE "user" SET role = 'ADMIN' WHERE id = $1`, [admin?.row])
    }
  })
})

describe('deleteUser', () => {
  const DELETE = 'mutation ($id: ID!) { r: deleteUser(id: $id) { __typename ... on DeleteUserSuccess { id } } }'

  test('deletes everything of a user, and passes rooms on', async () => {
    const [user, friend] = [await social.aUser(), await social.aUser()]
    const [{ id: room }]: Data = await social.sql(`INSERT INTO room (name, owner_id) VALUES ('R', $1) RETURNING id`, [user.row])
    const [{ id: own }]: Data = await social.sql(`INSERT INTO room (name, owner_id) VALUES ('R', $1) RETURNING id`, [user.row])
    await social.sql('INSERT INTO room_member VALUES ($1, $2), ($1, $3), ($4, $2)', [room, user.row, friend.row, own])
    await social.sql(`INSERT INTO message (room_id, author_id, text) VALUES ($1, $2, 'T')`, [room, user.row])
    const [{ id: post }]: Data = await social.sql(
      `INSERT INTO post (author_id, title, content) VALUES ($1, 'T', 'C') RETURNING id`,
      [user.row],
    )
    await social.sql(`INSERT INTO comment (post_id, author_id, content) VALUES ($1, $2, 'C')`, [post, friend.row])

    expect(await ask(DELETE, { id: user.id }, user)).toEqual({ __typename: 'DeleteUserSuccess', id: user.id })
    expect(await social.sql('SELECT owner_id FROM room WHERE id IN ($1, $2)', [room, own])).toEqual([{ owner_id: friend.row }])
    const left = `SELECT (SELECT count(*) FROM post WHERE author_id = $1) + (SELECT count(*) FROM message WHERE author_id = $1)
      + (SELECT count(*) FROM session WHERE user_id = $1) + (SELECT count(*) FROM comment WHERE post_id = $2) AS rows`
    expect(await social.sql(left, [user.row, post])).toEqual([{ rows: '0' }])
    expect(codeOf(await social.ask('{ me { name } }', {}, user.caller))).toBe('UNAUTHENTICATED')
    expect(await ask(DELETE, { id: user.id }, admin)).toEqual({ __typename: 'NotFoundError' })
  })

  test('of users with shared rooms at the same time deletes them all', async () => {
    const users = await Promise.all(Array.from({ length: 6 }, () => social.aUser()))
    for (let count = 0; count < 5; count += 1) {
      const [{ id }]: Data = await social.sql(`INSERT INTO room (name, owner_id) VALUES ('R', $1) RETURNING id`, [
        users[count]?.row,
      ])
      for (const { row } of users) await social.sql('INSERT INTO room_member VALUES ($1, $2)', [id, row])
    }
    const answers = await Promise.all(users.map((user) => ask(DELETE, { id: user.id }, user)))
    expect(answers.map(({ __typename }) => __typename)).toEqual(Array(6).fill('DeleteUserSuccess'))
  })

  test('deletes a room as well that its user opens during the deletion', async () => {
    const user = await social.aUser()
    // As `createRoom` locks who is to be a member.
    const opening = await held(social.database, 'SELECT FROM "user" WHERE id = $1 FOR KEY SHARE', [user.row])
    const deleting = ask(DELETE, { id: user.id }, user)
    await opening.isWaitedFor()
    await opening.run(`INSERT INTO room (name, owner_id) VALUES ('Opened meanwhile', $1)`, [user.row])
    await opening.run('INSERT INTO room_member SELECT id, owner_id FROM room WHERE owner_id = $1', [user.row])
    await opening.release()
    expect((await deleting).__typename).toBe('DeleteUserSuccess')
    expect(await social.sql(`SELECT FROM room WHERE name = 'Opened meanwhile'`)).toEqual([])
  })

  test('of two users who commented on posts of each other at the same time deletes both', async () => {
    const two = [await social.aUser(), await social.aUser()]
    const [post, other]: Data = await social.sql(
      `INSERT INTO post (author_id, title, content) VALUES ($1, 'T', 'C'), ($2, 'T', 'C') RETURNING id`,
      two.map(({ row }) => row),
    )
    await social.sql(`INSERT INTO comment (post_id, author_id, content) VALUES ($1, $4, 'C'), ($2, $3, 'C')`, [
      post.id,
      other.id,
      ...two.map(({ row }) => row),
    ])
    const holding = (on: unknown) => held(social.database, 'SELECT FROM comment WHERE post_id = $1 FOR UPDATE', [on])
    const holders = [await holding(post.id), await holding(other.id)]
    const deleting = two.map((user) => ask(DELETE, { id: user.id }, user))
    // One after the other, so that each has what the other one wants.
    for (const holder of holders) {
      await holder.isWaitedFor(2)
      await holder.release()
    }
    expect((await Promise.all(deleting)).map(({ __typename }) => __typename)).toEqual(Array(2).fill('DeleteUserSuccess'))
  })

  test('is retried after a deadlock', async () => {
    const [user, friend] = [await social.aUser(), await social.aUser()]
    const [{ id }]: Data = await social.sql(`INSERT INTO room (name, owner_id) VALUES ('R', $1) RETURNING id`, [friend.row])
    await social.sql('INSERT INTO room_member VALUES ($1, $2), ($1, $3)', [id, friend.row, user.row])
    // In the other order, and with more patience than who is to be ended.
    const other = await held(social.database, 'SELECT FROM "user" WHERE id = $1 FOR KEY SHARE', [user.row])
    await other.run("SET LOCAL deadlock_timeout = '1min'")
    const deleting = ask(DELETE, { id: user.id }, user)
    await other.isWaitedFor()
    await other.run('SELECT FROM room WHERE id = $1 FOR UPDATE', [id])
    await other.release()
    expect((await deleting).__typename).toBe('DeleteUserSuccess')
  })

  test('by others is FORBIDDEN', async () => {
    for (const other of [ben, moderator])
      expect(codeOf(await social.ask(DELETE, { id: ann?.id }, other?.caller))).toBe('FORBIDDEN')
  })
})

test('userCreated sends every sign-up to all subscribers, without private fields', async () => {
  const document = parse('subscription { userCreated { name } }')
  const events = await subscribe({ schema: social.subgraph.schema, document, contextValue: social.subgraph.context(ANONYMOUS) })
  if (!(Symbol.asyncIterator in events)) throw events.errors?.[0]
  await create({ email: 'nonsense', name: 'Refused' })
  for (const name of ['First', 'Second']) await create({ email: `${name}@example.org`, name })
  const received = [(await events.next()).value, (await events.next()).value]
  expect(JSON.parse(JSON.stringify(received))).toEqual([
    { data: { userCreated: { name: 'First' } } },
    { data: { userCreated: { name: 'Second' } } },
  ])
  await events.return(undefined)
})

test('userCreated ends with UNAUTHENTICATED after a sign-out, and continues for anonymous callers', async () => {
  const document = parse('subscription { userCreated { name } }')
  const user = await social.aUser()
  const listen = async (caller: Caller) => {
    const events = await subscribe({ schema: social.subgraph.schema, document, contextValue: social.subgraph.context(caller) })
    if (!(Symbol.asyncIterator in events)) throw events.errors?.[0]
    return events
  }
  const [mine, anybodys] = await Promise.all([listen(user.caller), listen(ANONYMOUS)])
  await create({ email: 'before@example.org', name: 'Before' })
  for (const events of [mine, anybodys])
    expect((await events.next()).value?.data).toMatchObject({ userCreated: { name: 'Before' } })
  await ask('mutation { r: signOutEverywhere { sessionsEnded } }', {}, user)
  await create({ email: 'after@example.org', name: 'After' })
  await expect(mine.next()).rejects.toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } })
  expect((await anybodys.next()).value?.data).toMatchObject({ userCreated: { name: 'After' } })
  await anybodys.return(undefined)
})
