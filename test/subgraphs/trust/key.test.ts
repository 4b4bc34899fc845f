import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../../platform/config/config.ts'
import { type Caller, tenantOf } from '../../../platform/http/caller.ts'
import { encodeId } from '../../../subgraphs/toolkit/ids.ts'
import { withKeys } from '../../../subgraphs/trust/key/repository.ts'
import { trustVariables } from '../../../subgraphs/trust/variables.ts'
import { ANONYMOUS, type Data, startTrust, type TestKey, type Trust } from './support/trust.ts'

let at = new Date('2026-11-20T12:00:00Z')
let trust: Trust
beforeAll(async () => {
  trust = await startTrust(() => at)
})
afterAll(() => trust.close())
beforeEach(() => {
  at = new Date('2026-11-20T12:00:00Z')
})

const USAGE = '{ trustUsage { plan limit used remaining periodStart resetsAt secondsUntilReset } }'
const DECIDE = `query ($domain: String) { decide(input: { domain: $domain }) { __typename
  ... on DecisionMade { usage { used remaining } } ... on QuotaExceeded { message usage { used } } ... on InvalidTarget { message } } }`

describe('keys of users', () => {
  const CREATE = `mutation ($name: String!) { r: createTrustKey(name: $name) { __typename
    ... on CreateTrustKeySuccess { secret key { id name plan hint used limit } } ... on InvalidTrustKeyName { message } ... on TrustKeyLimitReached { message } } }`
  const REVOKE = 'mutation ($id: ID!) { r: revokeTrustKey(id: $id) { __typename } }'
  const LIST = '{ r: trustKeys { id name used } }'
  let users: Trust
  let as: (user: string) => Promise<Caller>
  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA')
    users = await startTrust(() => at, null, { userKeys: async () => publicKey, isSessionOpen: async () => true })
    as = async (user) => {
      const token = await new SignJWT({ sid: 's' })
        .setProtectedHeader({ alg: 'EdDSA' })
        .setIssuer('atrium')
        .setSubject(user)
        .setExpirationTime('100 days')
        .sign(privateKey)
      return { ...ANONYMOUS, credentials: { authorization: `Bearer ${token}` } }
    }
  })
  afterAll(() => users?.close())
  const ask = async (query: string, variables: Record<string, unknown>, caller: Caller): Promise<Data> =>
    (await users.ask(query, variables, caller)).data.r

  test('work at once, count their scans, belong to their user, and end when they are revoked', async () => {
    const [ann, eve] = [await as('1'), await as('2')]
    const { secret, key } = await ask(CREATE, { name: ' my agent ' }, ann)
    expect(key).toMatchObject({ name: 'my agent', plan: 'FREE', hint: secret.slice(0, 9), used: 0, limit: 150 })
    const asKey = { ...ANONYMOUS, credentials: { 'x-api-key': secret } }
    expect((await users.ask(DECIDE, { domain: 'example.com' }, asKey)).data.decide.usage).toEqual({ used: 1, remaining: 149 })
    expect([ann, asKey].map(tenantOf)).toEqual(['user 1', expect.stringMatching(/^key \S+$/)])
    expect(await ask(LIST, {}, ann)).toEqual([{ id: key.id, name: 'my agent', used: 1 }])
    expect(await ask(LIST, {}, eve)).toEqual([])
    expect((await ask(REVOKE, { id: key.id }, eve)).__typename).toBe('TrustKeyNotFound')
    expect((await ask(REVOKE, { id: key.id }, ann)).__typename).toBe('RevokeTrustKeySuccess')
    expect((await ask(REVOKE, { id: key.id }, ann)).__typename).toBe('TrustKeyNotFound')
    expect((await users.ask(USAGE, {}, asKey)).errors?.[0].extensions.code).toBe('UNAUTHENTICATED')
  })

  test('of a user are all revoked, or all deleted, by the user alone', async () => {
    const [dan, eve] = [await as('11'), await as('12')]
    const secrets: string[] = []
    for (const caller of [dan, dan, eve]) secrets.push((await ask(CREATE, { name: 'key' }, caller)).secret)
    const works = async (secret: string | undefined) =>
      (await users.ask(USAGE, {}, { ...ANONYMOUS, credentials: { 'x-api-key': secret ?? '' } })).errors === undefined
    const [one, other] = ['11', '12'].map((row) => encodeId('User', row)) as [string, string]
    await withKeys(users.database.connection, async (keys) => {
      expect(await keys.revokeAllOf(one, at)).toBe(2)
      expect(await Promise.all(secrets.map(works))).toEqual([false, false, true])
      expect((await keys.list(at, one)).map(({ ownerId, revokedAt }) => [ownerId, revokedAt])).toEqual([
        [one, at],
        [one, at],
      ])
      expect(await keys.revokeAllOf(one, at)).toBe(0)
      expect([await keys.eraseOf(one), await keys.list(at, one)]).toEqual([2, []])
      expect([await works(secrets[2]), (await keys.list(at, other)).length]).toEqual([true, 1])
    })
  })

  test('are three at once and five a month, also for requests that come together', async () => {
    const ann = await as('3')
    const made = await Promise.all(Array.from({ length: 6 }, (_, n) => ask(CREATE, { name: `key ${n}` }, ann)))
    expect(made.map(({ __typename }) => __typename).sort()).toEqual([
      ...Array(3).fill('CreateTrustKeySuccess'),
      ...Array(3).fill('TrustKeyLimitReached'),
    ])
    for (let n = 0; n < 2; n++) {
      const [first] = await ask(LIST, {}, ann)
      await ask(REVOKE, { id: first.id }, ann)
      expect((await ask(CREATE, { name: 'another' }, ann)).__typename).toBe('CreateTrustKeySuccess')
    }
    const [first] = await ask(LIST, {}, ann)
    await ask(REVOKE, { id: first.id }, ann)
    expect(await ask(CREATE, { name: 'sixth' }, ann)).toMatchObject({ message: expect.stringContaining('5 new keys in a month') })
    at = new Date('2026-12-01T00:00:00Z')
    expect((await ask(CREATE, { name: 'sixth' }, ann)).__typename).toBe('CreateTrustKeySuccess')
  })

  test('are refused without a user, and with a name that is none', async () => {
    for (const query of [
      LIST,
      'mutation { r: createTrustKey(name: "x") { __typename } }',
      'mutation { r: revokeTrustKey(id: "x") { __typename } }',
    ])
      expect((await users.ask(query)).errors?.[0].extensions.code).toBe('UNAUTHENTICATED')
    const ann = await as('4')
    for (const name of ['', '  ', 'x'.repeat(101), 'a\0b'])
      expect((await ask(CREATE, { name }, ann)).__typename).toBe('InvalidTrustKeyName')
  })
})

test('a free key has 150 scans in the month, which ends at midnight UTC', async () => {
  const { caller } = await trust.aKey()
  expect((await trust.ask(USAGE, {}, caller)).data.trustUsage).toEqual({
    plan: 'FREE',
    limit: 150,
    used: 0,
    remaining: 150,
    periodStart: '2026-11-01T00:00:00.000Z',
    resetsAt: '2026-12-01T00:00:00.000Z',
    secondsUntilReset: 10.5 * 86_400,
  })
})

test('a key works in either header, and a token of another subgraph beside it does no harm', async () => {
  const { caller, secret } = await trust.aKey()
  const jwt = `Bearer ${['e30', 'e30', 'c2ln'].join('.')}`
  for (const credentials of [
    { 'x-api-key': secret },
    { authorization: `Bearer ${secret}` },
    { authorization: `bearer  ${secret}` },
    { 'x-api-key': ` ${secret} `, authorization: jwt },
  ]) {
    expect((await trust.ask(USAGE, {}, { ...caller, credentials })).errors).toBeUndefined()
  }
})

/**
 * The two ways on which a key is looked for: by itself, and together with what a decision needs.
 */
const OPERATIONS = [
  ['a count', USAGE],
  ['a decision', DECIDE],
] as const

describe.each(OPERATIONS)('%s', (_, query) => {
  const refusal = async (credentials: Record<string, string>) =>
    (await trust.ask(query, { domain: 'example.com' }, { requestId: 'r', address: '127.0.0.1', credentials })).errors?.map(
      ({ extensions }) => extensions,
    )

  test.each([
    ['none', {}, 'api_key_missing'],
    ['an empty one', { 'x-api-key': ' ' }, 'api_key_missing'],
    ['only a token of another subgraph', { authorization: 'Bearer e30.e30.c2ln' }, 'api_key_missing'],
    ['an unknown one', { 'x-api-key': 'sk_nobodyknowsme' }, 'api_key_invalid'],
    ['an unknown bearer', { authorization: 'Bearer sk_nobodyknowsme' }, 'api_key_invalid'],
    ['one with a character that no column holds', { 'x-api-key': 'sk_\0' }, 'api_key_invalid'],
  ])('%s is refused: %o', async (_, credentials, reason) => {
    expect(await refusal(credentials as Record<string, string>)).toEqual([{ code: 'UNAUTHENTICATED', reason }])
  })

  test('a secret is good until its end, and a key until it is revoked', async () => {
    const [ending, revoked] = [await trust.aKey(), await trust.aKey()]
    const good = ({ secret }: TestKey) => refusal({ 'x-api-key': secret })
    await trust.sql('UPDATE api_key_secret SET ends_at = $2 WHERE key_id = $1', [ending.row, new Date(at.getTime() + 1_000)])
    expect([await good(ending), await good(revoked)]).toEqual([undefined, undefined])
    at = new Date(at.getTime() + 1_000)
    await trust.sql('UPDATE api_key SET revoked_at = $2 WHERE id = $1', [revoked.row, at])
    const refused = [{ code: 'UNAUTHENTICATED', reason: 'api_key_invalid' }]
    expect([await good(ending), await good(revoked)]).toEqual([refused, refused])
  })
})

test('the secret itself is nowhere in the database', async () => {
  const { secret } = await trust.aKey()
  const rows = await trust.sql('SELECT * FROM api_key_secret')
  const texts = rows.map(({ hash, hint }) => `${(hash as Buffer).toString('latin1')} ${(hash as Buffer).toString('hex')} ${hint}`)
  expect(secret).toMatch(/^sk_[\w-]{43}$/)
  expect(texts.filter((text) => text.includes(secret.slice(3)))).toEqual([])
})

test('180 requests at once give exactly 150 decisions, and the count agrees with what is stored', async () => {
  const { caller, row } = await trust.aKey()
  const answers = await Promise.all(
    Array.from({ length: 180 }, (_, index) => trust.ask(DECIDE, { domain: `site${index}.example.com` }, caller)),
  )
  const kinds = Map.groupBy(answers, ({ data }) => data.decide.__typename)
  expect([kinds.get('DecisionMade')?.length, kinds.get('QuotaExceeded')?.length]).toEqual([150, 30])
  // Each scan was somebody's, and nobody's twice.
  const used = kinds.get('DecisionMade')?.map(({ data }) => data.decide.usage.used)
  expect(used?.sort((a: number, b: number) => a - b)).toEqual(Array.from({ length: 150 }, (_, index) => index + 1))
  expect((await trust.sql('SELECT count(*)::int AS n FROM decision WHERE key_id = $1', [row]))[0]).toEqual({ n: 150 })
  expect((await trust.ask(USAGE, {}, caller)).data.trustUsage).toMatchObject({ used: 150, remaining: 0 })
  // Decisions that end together share a transaction: no others wait for the row of the count.
  const [{ n } = {}] = await trust.sql('SELECT count(DISTINCT xmin::text)::int AS n FROM decision WHERE key_id = $1', [row])
  expect(n).toBeLessThan(30)
})

test('a key without scans gets an error without a collection, and has scans again next month', async () => {
  const { caller, row } = await trust.aKey()
  await trust.sql("INSERT INTO scan_count VALUES ($1, '2026-11-01', 150, 0)", [row])
  const before = trust.sources.requestedHosts.length
  const { decide }: Data = (await trust.ask(DECIDE, { domain: 'example.com' }, caller)).data
  expect(decide).toEqual({
    __typename: 'QuotaExceeded',
    message: 'All 150 scans of this month are used; the next ones are there at 2026-12-01T00:00:00.000Z.',
    usage: { used: 150 },
  })
  expect(trust.sources.requestedHosts.length).toBe(before)
  at = new Date('2026-12-01T00:00:00.000Z')
  expect((await trust.ask(DECIDE, { domain: 'example.com' }, caller)).data.decide.usage).toEqual({ used: 1, remaining: 149 })
})

test('what is refused or fails is no scan', async () => {
  const { caller } = await trust.aKey()
  await trust.ask(DECIDE, { domain: 'not a host' }, caller)
  const { evidenceFor } = trust.sources
  const broken = trust.sources as { evidenceFor: typeof evidenceFor }
  broken.evidenceFor = () => Promise.reject(new Error('broken'))
  try {
    expect((await trust.ask(DECIDE, { domain: 'fails.example.com' }, caller)).errors).toHaveLength(1)
  } finally {
    broken.evidenceFor = evidenceFor
  }
  expect((await trust.ask(USAGE, {}, caller)).data.trustUsage.used).toBe(0)
})

test('an unlimited key is counted and never refused', async () => {
  const { caller } = await trust.aKey({ plan: 'unlimited' })
  await Promise.all(Array.from({ length: 160 }, () => trust.ask(DECIDE, { domain: 'example.com' }, caller)))
  expect((await trust.ask(USAGE, {}, caller)).data.trustUsage).toMatchObject({
    plan: 'UNLIMITED',
    limit: null,
    remaining: null,
    used: 160,
  })
})

test('a rate-limited key waits a moment, which is no scan and affects no other key', async () => {
  const config = readConfig(trustVariables, { TRUST_RATE_FREE: '60' })
  const ask = trust.another({ config })
  const [fast, other] = [await trust.aKey(), await trust.aKey()]
  const decided = async ({ caller }: TestKey) => (await ask(DECIDE, { domain: 'example.com' }, caller)).errors ?? 'answered'
  const burst = await Promise.all(Array.from({ length: 61 }, () => decided(fast)))
  expect(burst.filter((each) => each === 'answered')).toHaveLength(60)
  expect(burst.find((each) => each !== 'answered')).toMatchObject([
    {
      message: 'Too many questions of this key: try again in 1 seconds.',
      extensions: { code: 'RATE_LIMITED', retryAfterSeconds: 1 },
    },
  ])
  expect(await decided(other)).toBe('answered')
  const { trustUsage } = (await ask(USAGE, {}, fast.caller)).data
  expect(trustUsage.used).toBe(60)
  at = new Date(at.getTime() + 1_000)
  expect([await decided(fast), await decided(fast)]).toEqual(['answered', expect.any(Array)])
})

test('a batch is as many questions as it has, and reading back is one', async () => {
  const ask = trust.another({ config: readConfig(trustVariables, { TRUST_RATE_FREE: '120' }) })
  const { caller } = await trust.aKey()
  const batch = 'query ($inputs: [DecideInput!]!) { decideBatch(inputs: $inputs) { results { __typename } } }'
  const inputs = Array.from({ length: 100 }, () => ({ domain: 'not a host' }))
  expect((await ask(batch, { inputs }, caller)).errors).toBeUndefined()
  expect((await ask(batch, { inputs }, caller)).errors?.[0]?.extensions).toMatchObject({ retryAfterSeconds: 40 })
  const read = () => ask('{ decision(id: "dec_none") { id } overrides { totalCount } }', {}, caller)
  for (let time = 0; time < 10; time++) expect((await read()).errors).toBeUndefined()
  expect((await read()).errors).toHaveLength(2)
})

test('an unlimited key is as fast as it likes, unless the operator says otherwise', async () => {
  const { caller } = await trust.aKey({ plan: 'unlimited' })
  const batch = 'query ($inputs: [DecideInput!]!) { decideBatch(inputs: $inputs) { results { __typename } } }'
  const inputs = Array.from({ length: 100 }, () => ({ domain: 'not a host' }))
  const tooFast = async (ask: Trust['ask']) => {
    for (let time = 0; time < 8; time++) if ((await ask(batch, { inputs }, caller)).errors) return true
    return false
  }
  const bounded = trust.another({ config: readConfig(trustVariables, { TRUST_RATE_UNLIMITED: '700' }) })
  expect([await tooFast(trust.ask), await tooFast(bounded)]).toEqual([false, true])
})
