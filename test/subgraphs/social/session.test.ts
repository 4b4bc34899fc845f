import { randomUUID } from 'node:crypto'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { attemptRepository } from '../../../subgraphs/social/session/attempt-repository.ts'
import type { Tables } from '../../../subgraphs/social/tables.ts'
import { withAccounts } from '../../../subgraphs/social/user/accounts.ts'
import { hashPassword } from '../../../subgraphs/toolkit/password.ts'
import { held, releaseAll } from './support/held.ts'
import { ANONYMOUS, type Answered, type Social, startSocial, type TestUser } from './support/social.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are read by the paths that each test knows.
type Data = any

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

let social: Social
let passwordHash: string
/** The subgraph's clock: tests move it on. */
let clock = Date.UTC(2026, 10, 21)
let user: TestUser
let addresses = 0

beforeAll(async () => {
  social = await startSocial(() => new Date(clock))
  passwordHash = await hashPassword('correct horse')
})
afterAll(() => social.close())
afterEach(releaseAll)
beforeEach(async () => {
  clock += 100 * DAY
  user = await social.aUser()
  await social.sql('UPDATE "user" SET password_hash = $1 WHERE id = $2', [passwordHash, user.row])
})

/** A caller from an address that nobody used before, so that limits of other tests do not count. */
const somebody = (credentials: Caller['credentials'] = {}): Caller => ({
  ...ANONYMOUS,
  address: `10.0.${Math.floor(++addresses / 256)}.${addresses % 256}`,
  credentials,
})
const bearer = (token: string) => somebody({ authorization: `Bearer ${token}` })
const codeOf = ({ errors }: Answered) => errors?.[0]?.extensions.code

async function ask(query: string, variables: Record<string, unknown> = {}, caller = somebody()): Promise<Data> {
  const { data, errors } = await social.ask(query, variables, caller)
  expect(errors).toBeUndefined()
  return data?.r
}
const LOGIN = `mutation ($email: String!, $password: String!) { r: login(email: $email, password: $password) { __typename
  ... on LoginSuccess { token expiresAt refreshToken user { name } } ... on InvalidCredentials { message } ... on AccountLocked { message unlockAt } } }`
const login = (password: string, email = user.email, caller = somebody()) => ask(LOGIN, { email, password }, caller)
const loginFrom = (caller: Caller, password: string) => login(password, user.email, caller)
const REFRESH = `mutation ($token: String!) { r: refreshSession(refreshToken: $token) { __typename
  ... on LoginSuccess { token refreshToken } ... on InvalidRefreshToken { message } } }`
const refresh = (token: string) => ask(REFRESH, { token })
const whoIs = (token: string) => social.ask('{ r: rooms { totalCount } }', {}, bearer(token))

describe('login', () => {
  test('gives a token that is good for 15 minutes', async () => {
    const { __typename, token, expiresAt } = await login('correct horse', user.email.toUpperCase())
    expect(__typename).toBe('LoginSuccess')
    expect(Date.parse(expiresAt) - clock).toBe(15 * MINUTE)
    expect((await whoIs(token)).errors).toBeUndefined()
    clock += 15 * MINUTE + SECOND
    expect(codeOf(await whoIs(token))).toBe('UNAUTHENTICATED')
  })

  test.each([
    ['a wrong password', () => login('wrong horse')],
    ['an unknown address', () => login('correct horse', 'nobody@example.org')],
    ['an address with NUL', () => login('correct horse', 'no\0body')],
    ['a password that is too long', () => login('x'.repeat(50_000))],
    ['nothing', () => login('', '')],
    [
      'a user without a password',
      async () => {
        await social.sql('UPDATE "user" SET password_hash = NULL WHERE id = $1', [user.row])
        return login('')
      },
    ],
  ])('gives the same answer to %s', async (_, attempt) => {
    expect(await attempt()).toEqual({
      __typename: 'InvalidCredentials',
      message: 'Expected the address and the password of a user.',
    })
  })

  test.each([['known'], ['unknown']])('locks an %s address after 5 failures, for twice as long each time', async (kind) => {
    const email = kind === 'known' ? user.email : `unknown-${clock}@example.org`
    const from = somebody()
    const attempt = (password: string) => login(password, email, from)
    for (let failure = 1; failure < 5; failure += 1) expect((await attempt('wrong')).__typename).toBe('InvalidCredentials')
    for (const seconds of [10, 20, 40, 80]) {
      const { __typename, unlockAt } = await attempt('wrong')
      expect([__typename, (Date.parse(unlockAt) - clock) / SECOND]).toEqual(['AccountLocked', seconds])
      clock += (seconds - 1) * SECOND
      // Even the right password, and without making it longer.
      expect(await attempt('correct horse')).toMatchObject({ __typename: 'AccountLocked', unlockAt })
      clock += SECOND
    }
    expect((await attempt('correct horse')).__typename).toBe(kind === 'known' ? 'LoginSuccess' : 'AccountLocked')
  })

  test('locks for a day at most, and forgets failures after two', async () => {
    const from = somebody()
    const login = (password: string) => loginFrom(from, password)
    for (let failure = 0; failure < 25; failure += 1) {
      const { unlockAt } = await login('wrong')
      if (unlockAt) {
        expect(Date.parse(unlockAt) - clock).toBeLessThanOrEqual(DAY)
        clock = Date.parse(unlockAt)
      }
    }
    expect((await login('correct horse')).__typename).toBe('LoginSuccess')
    expect((await login('wrong')).__typename).toBe('InvalidCredentials')
    for (let failure = 0; failure < 3; failure += 1) await login('wrong')
    clock += 2 * DAY + SECOND
    expect((await login('wrong')).__typename).toBe('InvalidCredentials')
  })

  test('a successful sign-in resets the count of failures', async () => {
    const from = somebody()
    const login = (password: string) => loginFrom(from, password)
    for (let failure = 0; failure < 4; failure += 1) await login('wrong')
    expect((await login('correct horse')).__typename).toBe('LoginSuccess')
    for (let failure = 0; failure < 4; failure += 1) expect((await login('wrong')).__typename).toBe('InvalidCredentials')
  })

  test('concurrent guesses are each counted, also as aliases of one request', async () => {
    const guesses = Array.from(
      { length: 20 },
      (_, index) => `a${index}: login(email: $email, password: "wrong ${index}") { __typename }`,
    )
    const { data }: Data = await social.ask(
      `mutation ($email: String!) { ${guesses.join(' ')} }`,
      { email: user.email },
      somebody(),
    )
    const kinds = Object.values(data).map((answer: Data) => answer.__typename)
    expect(kinds).toEqual([...Array(4).fill('InvalidCredentials'), ...Array(16).fill('AccountLocked')])

    const [other, from] = [await social.aUser(), somebody()]
    const parallel = await Promise.all(Array.from({ length: 20 }, () => login('wrong', other.email, from)))
    expect(parallel.filter(({ __typename }) => __typename === 'InvalidCredentials')).toHaveLength(4)
  })

  test('concurrent sign-ins with the right password lock no account, even after four failures', async () => {
    const from = somebody()
    const login = (password: string) => loginFrom(from, password)
    for (let failure = 0; failure < 4; failure += 1) await login('wrong')
    const parallel = await Promise.all(Array.from({ length: 10 }, () => login('correct horse')))
    expect(parallel.map(({ __typename }) => __typename)).toEqual(Array(10).fill('LoginSuccess'))
  })

  test('no failure is lost or counted twice while another process deletes expired failures', async () => {
    const database = openDatabase<Tables>(social.database.connection, { schema: 'social', max: 8, onError: () => {} })
    const attempts = attemptRepository(database.query)
    const attemptOn = (email: string) => ({
      emailHash: Buffer.from(email),
      networkHash: Buffer.from('a network'),
      isRecentNetwork: false,
    })
    const [guessed, signedIn] = [attemptOn('guessed'), attemptOn('signed in')]
    const at = new Date(clock)
    const countFailure = (attempt: typeof guessed, when = at) =>
      attempts.countAttempt(attempt, when, { network: [null], address: [null] })
    /** Failures in a row of the address as a whole, and of the address from one network. */
    const failuresOf = async ({ emailHash }: typeof guessed) =>
      Promise.all(
        ['login_attempt', 'login_attempt_from'].map(async (table) => {
          const [row] = await social.sql(`SELECT failures FROM ${table} WHERE email_hash = $1`, [emailHash])
          return row?.failures ?? 0
        }),
      )
    try {
      // So old that whoever forgets deletes it, at the same moment as new failures are added to it.
      await countFailure(guessed, new Date(clock - 3 * DAY))
      const answers = await Promise.all(
        Array.from({ length: 100 }, async () => {
          const [state] = await Promise.all([
            countFailure(guessed),
            countFailure(signedIn),
            attempts.forgetAttempts(signedIn, at),
          ])
          return state
        }),
      )
      expect(answers).toEqual(Array(100).fill({ isLocked: false, unlockAt: null }))
      expect(await failuresOf(guessed)).toEqual([100, 100])
      // Those that were forgotten at the same time count anew from the last time on.
      await attempts.forgetAttempts(signedIn, at)
      expect(await failuresOf(signedIn)).toEqual([0, 0])
      await Promise.all([countFailure(signedIn), countFailure(signedIn), countFailure(signedIn)])
      expect(await failuresOf(signedIn)).toEqual([3, 3])
    } finally {
      await database.close()
    }
  })

  describe('while another client guesses', () => {
    /** Wrong passwords from 6 networks, as many as each of them takes. */
    const attack = async (email = user.email) => {
      const kinds: string[] = []
      for (let network = 0; network < 6; network += 1) {
        const from = somebody()
        for (let guess = 0; guess < 5; guess += 1) kinds.push((await login('wrong', email, from)).__typename)
      }
      return kinds
    }

    test('a network is locked by its own wrong passwords, and no other network by them', async () => {
      const from = somebody()
      for (let guess = 0; guess < 6; guess += 1) await loginFrom(from, 'wrong')
      expect((await loginFrom(from, 'correct horse')).__typename).toBe('AccountLocked')
      expect((await login('correct horse')).__typename).toBe('LoginSuccess')
    })

    test('addresses of one /64 of IPv6 are one network', async () => {
      const from = (host: number) => ({ ...ANONYMOUS, address: `2001:db8:1:2::${host}` })
      for (let host = 1; host <= 5; host += 1) await loginFrom(from(host), 'wrong')
      expect((await loginFrom(from(99), 'correct horse')).__typename).toBe('AccountLocked')
    })

    test('the owner gets in from where the owner was before, and only from there', async () => {
      const home = somebody()
      expect((await loginFrom(home, 'correct horse')).__typename).toBe('LoginSuccess')
      expect((await attack()).at(-1)).toBe('AccountLocked')
      expect((await login('correct horse')).__typename).toBe('AccountLocked')
      expect((await loginFrom(home, 'correct horse')).__typename).toBe('LoginSuccess')
      // That lets nobody else in.
      expect((await login('correct horse')).__typename).toBe('AccountLocked')
      // And the network of before guesses no more often than another one.
      const kinds: string[] = []
      for (let guess = 0; guess < 6; guess += 1) kinds.push((await loginFrom(home, 'wrong')).__typename)
      expect(kinds).toEqual([...Array(4).fill('InvalidCredentials'), 'AccountLocked', 'AccountLocked'])
    })

    test.each([['known'], ['unknown']])('an %s address as a whole is locked for an hour at most', async (kind) => {
      const email = kind === 'known' ? user.email : `whole-${clock}@example.org`
      expect(await attack(email)).toContain('InvalidCredentials')
      const locks: number[] = []
      for (let guess = 0; guess < 12; guess += 1) {
        const { unlockAt } = await login('correct horse', email)
        expect(unlockAt).toBeDefined()
        locks.push((Date.parse(unlockAt) - clock) / SECOND)
        clock = Date.parse(unlockAt)
        await login('wrong', email)
      }
      expect(locks).toEqual([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600])
    })

    test('attempts during a lock are not counted', async () => {
      const from = somebody()
      for (let guess = 0; guess < 60; guess += 1) await loginFrom(from, 'wrong')
      expect((await login('correct horse')).__typename).toBe('LoginSuccess')
    })

    test('networks are remembered as hashes, ten of each user, for 90 days', async () => {
      for (let network = 0; network < 13; network += 1) {
        clock += SECOND
        expect((await login('correct horse')).__typename).toBe('LoginSuccess')
      }
      const rows = () => social.sql('SELECT t::text AS text FROM login_network AS t WHERE user_id = $1', [user.row])
      expect(await rows()).toHaveLength(10)
      expect(JSON.stringify(await rows())).not.toContain('10.0.')
      clock += 91 * DAY
      expect((await login('correct horse')).__typename).toBe('LoginSuccess')
      expect(await rows()).toHaveLength(1)
    })
  })

  describe('under way', () => {
    /** Holds what a log-in tidies up between the check of its password and its session. */
    const between = async () => {
      const expired = [randomUUID(), (await social.aUser()).row, new Date(clock - DAY)]
      await social.sql('INSERT INTO session (id, user_id, created_at, expires_at) VALUES ($1, $2, $3, $3)', expired)
      return held(social.database, 'SELECT FROM session WHERE id = $1 FOR UPDATE', [expired[0]])
    }
    const alive = async () =>
      social.sql('SELECT id FROM session WHERE user_id = $1 AND ended_at IS NULL AND expires_at > $2', [
        user.row,
        new Date(clock),
      ])

    test.each([
      ['a new password', () => withAccounts(social.database.connection, (all) => all.setPassword(user.email, 'battery staple'))],
      ['a sign-out everywhere', () => ask('mutation { r: signOutEverywhere { sessionsEnded } }', {}, user.caller)],
      ['the end of its user', () => social.sql('DELETE FROM "user" WHERE id = $1', [user.row])],
    ])('opens no session after %s', async (_, happens) => {
      const tidying = await between()
      const late = login('correct horse')
      await tidying.isWaitedFor()
      await happens()
      await tidying.release()
      expect((await late).__typename).toBe('InvalidCredentials')
      expect(await alive()).toEqual([])
    })

    test('a change of the password is not made with one that another change has replaced', async () => {
      const caller = user.caller
      const tidying = await between()
      const late = ask(CHANGE, { old: 'correct horse', new: 'too late for it' }, caller)
      await tidying.isWaitedFor()
      await withAccounts(social.database.connection, (all) => all.setPassword(user.email, 'battery staple'))
      await tidying.release()
      expect((await late).__typename).toBe('InvalidCredentials')
      expect((await login('battery staple')).__typename).toBe('LoginSuccess')
    })
  })

  test('is refused from one address beyond 180 a minute, and says when again', async () => {
    const caller = somebody()
    const aliases = Array.from(
      { length: 181 },
      (_, index) => `a${index}: login(email: "n${index}", password: "${'x'.repeat(300)}") { __typename }`,
    )
    const { errors } = await social.ask(`mutation { ${aliases.join(' ')} }`, {}, caller)
    expect(errors).toHaveLength(1)
    expect(errors?.[0]).toMatchObject({ path: ['a180'], extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 1 } })
    clock += SECOND
    expect((await login('correct horse', user.email, caller)).__typename).toBe('LoginSuccess')
  })
})

describe('refreshSession', () => {
  test('continues the session, each token once', async () => {
    const first = await login('correct horse')
    clock += DAY
    const second = await refresh(first.refreshToken)
    expect(second.__typename).toBe('LoginSuccess')
    expect((await whoIs(second.token)).errors).toBeUndefined()
    clock += 29 * DAY
    expect((await refresh(second.refreshToken)).__typename).toBe('LoginSuccess')
  })

  test('ends the session when a token is used a second time', async () => {
    const first = await login('correct horse')
    const second = await refresh(first.refreshToken)
    expect((await refresh(first.refreshToken)).__typename).toBe('InvalidRefreshToken')
    expect(codeOf(await whoIs(second.token))).toBe('UNAUTHENTICATED')
    expect((await refresh(second.refreshToken)).__typename).toBe('InvalidRefreshToken')
  })

  test('of one token twice at once succeeds once', async () => {
    const { refreshToken } = await login('correct horse')
    const answers = await Promise.all([refresh(refreshToken), refresh(refreshToken)])
    expect(answers.map(({ __typename }) => __typename).sort()).toEqual(['InvalidRefreshToken', 'LoginSuccess'])
  })

  test('refuses what is no token, and one that has ended', async () => {
    for (const token of ['', 'nonsense', '\0', 'x'.repeat(10_000)])
      expect((await refresh(token)).__typename).toBe('InvalidRefreshToken')
    const { refreshToken } = await login('correct horse')
    clock += 30 * DAY + SECOND
    expect((await refresh(refreshToken)).__typename).toBe('InvalidRefreshToken')
  })
})

const CHANGE = `mutation ($old: String!, $new: String!) { r: changePassword(input: { currentPassword: $old, newPassword: $new }) { __typename
  ... on ValidationError { field message errors { field } } ... on ChangePasswordSuccess { user { name } } } }`

describe('changePassword', () => {
  test('changes it, and ends every other session', async () => {
    const [here, elsewhere] = [await login('correct horse'), await login('correct horse')]
    const answer = await ask(CHANGE, { old: 'correct horse', new: 'battery staple' }, bearer(here.token))
    expect(answer.__typename).toBe('ChangePasswordSuccess')
    expect((await whoIs(here.token)).errors).toBeUndefined()
    expect(codeOf(await whoIs(elsewhere.token))).toBe('UNAUTHENTICATED')
    expect((await refresh(elsewhere.refreshToken)).__typename).toBe('InvalidRefreshToken')
    expect((await login('correct horse')).__typename).toBe('InvalidCredentials')
    expect((await login('battery staple')).__typename).toBe('LoginSuccess')
  })

  test('counts wrong passwords like failed log-ins', async () => {
    const { token } = await login('correct horse')
    const [kinds, from] = [[], bearer(token)] as [string[], Caller]
    for (let failure = 0; failure < 5; failure += 1) {
      kinds.push((await ask(CHANGE, { old: 'wrong', new: 'battery staple' }, from)).__typename)
    }
    expect(kinds).toEqual([...Array(4).fill('InvalidCredentials'), 'AccountLocked'])
  })

  test.each(['', '1234567', 'x'.repeat(257)])('refuses a new password without repeating it', async (password) => {
    const { token } = await login('correct horse')
    const answer = await ask(CHANGE, { old: 'correct horse', new: password }, bearer(token))
    expect(answer).toMatchObject({ __typename: 'ValidationError', field: 'newPassword', errors: [{ field: 'newPassword' }] })
    expect(answer.message).toBe(`Expected "newPassword" to be 8 to 256 characters, got ${password.length}.`)
  })
})

describe('signOut', () => {
  test('ends this session at once', async () => {
    const [here, elsewhere] = [await login('correct horse'), await login('correct horse')]
    expect(await ask('mutation { r: signOut { sessionsEnded } }', {}, bearer(here.token))).toEqual({ sessionsEnded: 1 })
    expect(codeOf(await whoIs(here.token))).toBe('UNAUTHENTICATED')
    expect((await refresh(here.refreshToken)).__typename).toBe('InvalidRefreshToken')
    expect((await whoIs(elsewhere.token)).errors).toBeUndefined()
  })

  test('everywhere ends all of them', async () => {
    const [here, elsewhere] = [await login('correct horse'), await login('correct horse')]
    // With the one that the test support made.
    expect(await ask('mutation { r: signOutEverywhere { sessionsEnded } }', {}, bearer(here.token))).toEqual({ sessionsEnded: 3 })
    for (const { token } of [here, elsewhere]) expect(codeOf(await whoIs(token))).toBe('UNAUTHENTICATED')
  })
})

describe('sessions', () => {
  const SESSIONS = '{ r: sessions { id createdAt refreshedAt expiresAt isCurrent } }'
  const END = 'mutation ($id: ID!) { r: endSession(id: $id) { __typename } }'

  test('are listed last begun first, with the current one and the last refresh of each', async () => {
    // After the one that the test support made.
    clock += MINUTE
    const here = await login('correct horse')
    clock += MINUTE
    const elsewhere = await login('correct horse')
    clock += MINUTE
    const { token } = await refresh(here.refreshToken)
    const listed = await ask(SESSIONS, {}, bearer(token))
    // The third is the one that the test support made.
    expect(listed.map(({ isCurrent }: Data) => isCurrent)).toEqual([false, true, false])
    expect(Date.parse(listed[0].createdAt)).toBe(clock - MINUTE)
    expect(Date.parse(listed[1].refreshedAt)).toBe(clock)
    expect(Date.parse(listed[1].expiresAt)).toBe(clock + 30 * DAY)
    expect(await whoIs(elsewhere.token)).toMatchObject({ data: {} })
  })

  test('end one by one, once, and only for their user', async () => {
    const [here, elsewhere] = [await login('correct horse'), await login('correct horse')]
    const listed = await ask(SESSIONS, {}, bearer(elsewhere.token))
    const { id } = listed.find(({ isCurrent }: Data) => isCurrent)
    const other = await social.aUser()
    const results: string[] = []
    for (const [session, caller] of [
      [id, other.caller],
      ['U2Vzc2lvbjox', bearer(here.token)],
      [id, bearer(here.token)],
      [id, bearer(here.token)],
    ] as const)
      results.push((await ask(END, { id: session }, caller)).__typename)
    expect(results).toEqual(['NotFoundError', 'NotFoundError', 'EndSessionSuccess', 'NotFoundError'])
    expect(codeOf(await whoIs(elsewhere.token))).toBe('UNAUTHENTICATED')
    expect(codeOf(await whoIs(here.token))).toBeUndefined()
  })

  test('end all but the current one', async () => {
    const [here, elsewhere] = [await login('correct horse'), await login('correct horse')]
    // With the one that the test support made.
    expect(await ask('mutation { r: signOutElsewhere { sessionsEnded } }', {}, bearer(here.token))).toEqual({ sessionsEnded: 2 })
    expect(codeOf(await whoIs(elsewhere.token))).toBe('UNAUTHENTICATED')
    expect(await ask(SESSIONS, {}, bearer(here.token))).toMatchObject([{ isCurrent: true }])
  })
})

describe('tokens', () => {
  const KEYS = '{ r: jsonWebKeys { kty crv kid x alg use } }'

  test('are signed by a published key', async () => {
    const { token } = await login('correct horse')
    const keys = await ask(KEYS)
    expect(keys[0]).toEqual({
      kty: 'OKP',
      crv: 'Ed25519',
      kid: expect.any(String),
      x: expect.any(String),
      alg: 'EdDSA',
      use: 'sig',
    })
    const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys }), { currentDate: new Date(clock) })
    expect(protectedHeader.alg).toBe('EdDSA')
    expect(payload).toMatchObject({ iss: 'atrium', sub: user.row, sid: expect.any(String) })
  })

  test('have a new key every 30 days; the old one is published until its last token has ended', async () => {
    await login('correct horse')
    const [old] = await ask(KEYS)
    clock += 30 * DAY - SECOND
    const last = await login('correct horse')
    clock += 2 * SECOND
    const next = await login('correct horse')
    const keys = await ask(KEYS)
    expect(keys).toHaveLength(2)
    expect(keys[1].kid).toBe(old.kid)
    for (const { token } of [last, next]) expect((await whoIs(token)).errors).toBeUndefined()
    clock += 15 * MINUTE
    expect((await ask(KEYS)).map(({ kid }: Data) => kid)).not.toContain(old.kid)
  })

  test('with a new key are issued only when caches of the published keys can have it', async () => {
    const kidOf = ({ token }: Data): string => JSON.parse(Buffer.from(token.split('.')[0], 'base64url').toString()).kid
    const first = kidOf(await login('correct horse'))
    let cache = { kids: [] as string[], until: 0 }
    const checks = async () => {
      if (cache.until <= clock) {
        cache = { kids: (await ask(KEYS)).map(({ kid }: Data) => kid), until: clock + 5 * MINUTE }
      }
      return kidOf(await login('correct horse'))
    }
    await checks()
    // So that the change falls between two looks at the published keys.
    clock += 30 * DAY - 73 * MINUTE
    const signed = new Set<string>()
    for (let minutes = 0; minutes < 90; minutes += 2) {
      const kid = await checks()
      expect(cache.kids).toContain(kid)
      signed.add(kid)
      clock += 2 * MINUTE
    }
    expect(signed.size).toBe(2)
    expect(signed).toContain(first)
  })

  test('with the first key of all, and after a long pause, are issued at once', async () => {
    clock += 100 * DAY
    const { token } = await login('correct horse')
    const keys = await ask(KEYS)
    expect(keys).toHaveLength(1)
    await jwtVerify(token, createLocalJWKSet({ keys }), { currentDate: new Date(clock) })
  })

  test.each([
    ['another signature', (token: string) => `${token.slice(0, -6)}AAAAAA`],
    ['no signature', (token: string) => `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.x`],
    [
      'another header',
      (token: string) => `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${token.split('.').slice(1).join('.')}`,
    ],
    ['nonsense', () => 'a.b.c'],
  ])('with %s are refused', async (_, forge) => {
    const { token } = await login('correct horse')
    expect(codeOf(await whoIs(forge(token)))).toBe('UNAUTHENTICATED')
  })

  test('of a deleted user are refused', async () => {
    const { token } = await login('correct horse')
    await social.sql('DELETE FROM "user" WHERE id = $1', [user.row])
    expect(codeOf(await whoIs(token))).toBe('UNAUTHENTICATED')
  })
})

test('neither passwords nor tokens are stored', async () => {
  const { token, refreshToken } = await login('correct horse')
  const tables = ['user', 'session', 'refresh_token', 'login_attempt', 'login_attempt_from', 'login_network']
  const stored = JSON.stringify(await Promise.all(tables.map((table) => social.sql(`SELECT t::text FROM "${table}" AS t`))))
  for (const secret of ['correct horse', token, refreshToken]) expect(stored).not.toContain(secret)
  expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$')
})
