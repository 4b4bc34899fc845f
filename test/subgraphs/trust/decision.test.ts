import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, type GraphQLEnumType } from 'graphql'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { apiSchemaOf } from '../../../gateway/planning/composition.ts'
import { dnsClient } from '../../../platform/outbound/dns-client.ts'
import { httpClient } from '../../../platform/outbound/http-client.ts'
import { safeNetwork } from '../../../platform/outbound/safe-connect.ts'
import { slots } from '../../../platform/outbound/slots.ts'
import { engine } from '../../../subgraphs/trust/assessment/engine.ts'
import { createRedirectFollower } from '../../../subgraphs/trust/collectors/redirects.ts'
import { DRIVERS, REASON_CODES } from '../../../subgraphs/trust/pipeline/codes.ts'
import { a, startDnsServer } from '../../support/dns-server.ts'
import { startHttpServer } from '../../support/http-server.ts'
import { aHit, targetOf } from './pipeline/support/samples.ts'
import { aBadHost, aGoodHost, DAY, type Data, startTrust, type TestKey, type Trust } from './support/trust.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const SECONDS = NOON.getTime() / 1000
let at = NOON
let trust: Trust
let key: TestKey
beforeAll(async () => {
  trust = await startTrust(() => at)
})
afterAll(() => trust.close())
beforeEach(async () => {
  at = NOON
  key = await trust.aKey()
  trust.sources.setEvidence('good.example.com', aGoodHost(SECONDS))
  trust.sources.setEvidence('bad.example.com', aBadHost(SECONDS))
})

const FIELDS = `id decidedAt assessment { action state confidence reasonCodes validity { evaluatedAt validUntil ttlSeconds } uncertainty { level drivers }
  override { engineAction reason expiresAt } } audit { snapshot { id } }`
const DECIDE = `query ($input: DecideInput!) { decide(input: $input) { __typename ... on DecisionMade { decision { ${FIELDS} } }
  ... on InvalidTarget { message faults { field code } } } }`
const REPLAY =
  '{ decision(id: $id) { replay { identical explanation changes { pointer before after } storedDigest replayedDigest } } }'

async function decide(domain: string, more: Record<string, unknown> = {}, as = key): Promise<Data> {
  const { data, errors } = await trust.ask(DECIDE, { input: { domain, ...more } }, as.caller)
  expect(errors).toBeUndefined()
  return data.decide.decision ?? data.decide
}
const replayed = async (id: string, ask = trust.ask): Promise<Data> =>
  (await ask(`query ($id: ID!) ${REPLAY}`, { id }, key.caller)).data.decision.replay

test('the schema has every reason and every driver of the engine', () => {
  const schema = buildSchema(apiSchemaOf(readFileSync(join(import.meta.dirname, '../../../schema/supergraph.graphql'), 'utf8')))
  const valuesOf = (name: string) => (schema.getType(name) as GraphQLEnumType).getValues()
  expect(valuesOf('ReasonCode').map(({ name }) => name)).toEqual(Object.keys(REASON_CODES))
  // Labels are part of stored decisions, which replay byte by byte, so the SDL words its
  // descriptions by itself.
  expect(valuesOf('ReasonCode').filter(({ description }) => !description)).toEqual([])
  expect(valuesOf('UncertaintyDriver').map(({ name }) => name)).toEqual([...DRIVERS])
})

test('the same question within its validity has the same answer from the same evidence, also when that has changed', async () => {
  const first = await decide('good.example.com')
  trust.sources.setEvidence('good.example.com', aBadHost(SECONDS))
  at = new Date(NOON.getTime() + 60_000)
  const second = await decide('good.example.com')
  expect({ ...second, id: first.id, decidedAt: first.decidedAt }).toEqual(first)
  expect(second.id).not.toBe(first.id)
  // Others, and other questions, get what is known now.
  expect((await decide('good.example.com', {}, await trust.aKey())).assessment.action).toBe('DENY')
  expect((await decide('good.example.com', { policy: 'STRICT' })).assessment.action).toBe('DENY')
  at = new Date(first.assessment.validity.validUntil)
  expect((await decide('good.example.com')).assessment.action).toBe('DENY')
})

test('while a source is unavailable, evidence is collected for each decision, and thought through again only when it changes', async () => {
  let decided = 0
  const decideOf: typeof engine.decide = (...given) => {
    decided += 1
    return engine.decide(...given)
  }
  const ask = trust.another({ engine: { ...engine, decide: decideOf } })
  const host = 'partly.example.com'
  const decisionOf = async (caller = key.caller) => (await ask(DECIDE, { input: { domain: host } }, caller)).data.decide.decision
  const now = Math.floor(at.getTime() / 1000)
  const collections = () => trust.sources.requestedHosts.filter((each) => each === host).length
  trust.sources.setEvidence(host, { ...aGoodHost(now), rdap: { status: 'failed', reason: 'unavailable' } })
  const first = await decisionOf()
  const second = await decisionOf()
  await decisionOf((await trust.aKey()).caller)
  expect([collections(), decided]).toEqual([3, 1])
  expect({ ...second, id: first.id }).toEqual(first)
  expect((await replayed(second.id)).identical).toBe(true)

  trust.sources.setEvidence(host, aGoodHost(now))
  at = new Date(at.getTime() + 1_000)
  const complete = await decisionOf()
  expect([collections(), decided]).toEqual([4, 2])
  expect(complete.assessment.confidence).toBeGreaterThan(first.assessment.confidence)
  await decisionOf()
  expect([collections(), decided]).toEqual([4, 2])
})

test('what was thought through once is not thought through again, until anything that it depends on changes', async () => {
  let thought = 0
  const decideOf: typeof engine.decide = (...given) => {
    thought += 1
    return engine.decide(...given)
  }
  const ask = trust.another({ engine: { ...engine, decide: decideOf } })
  const decisionFor = async (input: Record<string, unknown>, { caller } = key) =>
    (await ask(DECIDE, { input }, caller)).data.decide.decision
  const first = await decisionFor({ domain: 'good.example.com' })
  expect(thought).toBe(1)
  const second = await decisionFor({ domain: 'good.example.com' })
  expect(thought).toBe(1)
  expect({ ...second, id: first.id }).toEqual(first)
  expect(await replayed(second.id)).toMatchObject({ identical: true })

  // Another key has had no answer from this evidence, but it is the same evidence.
  expect((await decisionFor({ domain: 'good.example.com' }, await trust.aKey())).assessment.action).toBe('PROCEED')
  expect(thought).toBe(1)
  await decisionFor({ domain: 'good.example.com', policy: 'STRICT' })
  expect(thought).toBe(2)
  const set = 'mutation ($input: SetOverrideInput!) { setOverride(input: $input) { __typename } }'
  const override = { subject: 'good.example.com', action: 'DENY', reason: 'Not for us.' }
  await trust.ask(set, { input: override }, key.caller)
  expect((await decisionFor({ domain: 'good.example.com' })).assessment).toMatchObject({
    action: 'DENY',
    override: { reason: 'Not for us.' },
  })
  await trust.ask(set, { input: { ...override, reason: 'Not now.' } }, key.caller)
  expect((await decisionFor({ domain: 'good.example.com' })).assessment.override.reason).toBe('Not now.')
  expect(thought).toBe(4)
  at = new Date(first.assessment.validity.validUntil)
  await decisionFor({ domain: 'good.example.com' })
  expect(thought).toBe(5)
})

test('an answer of other tables than those of this release is not one to go on from', async () => {
  const { id } = await decide('good.example.com')
  trust.sources.setEvidence('good.example.com', aBadHost(SECONDS))
  expect((await decide('good.example.com')).assessment.action).toBe('PROCEED')
  await trust.sql(`UPDATE judgement SET policy_version = 'older' WHERE id = (SELECT judgement_id FROM decision WHERE id = $1)`, [
    id,
  ])
  try {
    expect((await decide('good.example.com')).assessment.action).toBe('DENY')
  } finally {
    await trust.sql("UPDATE judgement SET policy_version = $1 WHERE policy_version = 'older'", [engine.policyVersion])
  }
  expect(await replayed(id)).toMatchObject({ identical: true })
})

test('an answer without a source is collected again at once', async () => {
  trust.sources.setEvidence('late.example.com', { ...aGoodHost(SECONDS), rdap: { status: 'timeout' } })
  const first = await decide('late.example.com')
  expect(first.assessment.uncertainty.drivers).toContain('REGISTRATION_DATA_UNAVAILABLE')
  trust.sources.setEvidence('late.example.com', aGoodHost(SECONDS))
  expect((await decide('late.example.com')).assessment.uncertainty.drivers).toEqual([])
})

test('what needs no evidence has one answer for as long as that holds, and is stored once', async () => {
  const stored = async () => {
    const [counts] = await trust.sql(
      'SELECT (SELECT count(*) FROM snapshot) AS snapshots, (SELECT count(*) FROM judgement) AS judgements',
    )
    return Object.values(counts ?? {}).map(Number)
  }
  for (const host of ['localhost', '10.0.0.1', 'a.onion']) {
    const first = await decide(host)
    const before = await stored()
    for (const seconds of [1, 2, 86_399]) {
      at = new Date(NOON.getTime() + seconds * 1000)
      const again = await decide(host)
      expect({ ...again, id: first.id, decidedAt: first.decidedAt }).toEqual(first)
    }
    expect(await stored()).toEqual(before)
    at = new Date(first.assessment.validity.validUntil)
    expect((await decide(host)).assessment.validity.evaluatedAt).toBe(at.toISOString())
    at = NOON
  }
})

test('no answer has run out when it is given, however old the evidence', async () => {
  const { evidenceFor } = trust.sources
  const fixed = trust.sources as { evidenceFor: typeof evidenceFor }
  const old = await evidenceFor({ host: 'bad.example.com', registrable: null })
  fixed.evidenceFor = async () => old
  try {
    at = new Date(NOON.getTime() + 23 * 3_600_000)
    const { assessment } = await decide('bad.example.com')
    expect(Date.parse(assessment.validity.validUntil)).toBeGreaterThan(at.getTime())
    expect(assessment.validity.evaluatedAt).toBe(at.toISOString())
  } finally {
    fixed.evidenceFor = evidenceFor
  }
})

test('no answer has run out when it is given, also when it did while evidence was collected', async () => {
  const { evidenceFor } = trust.sources
  const fixed = trust.sources as { evidenceFor: typeof evidenceFor }
  const host = 'expiring.example.com'
  trust.sources.setEvidence(host, { ...aGoodHost(SECONDS), rdap: { status: 'failed', reason: 'unavailable' } })
  const old = await evidenceFor({ host, registrable: null })
  const end = Date.parse((await decide(host)).assessment.validity.validUntil)
  at = new Date(end - 1_000)
  fixed.evidenceFor = async () => {
    at = new Date(end)
    return old
  }
  try {
    const { assessment } = await decide(host)
    expect(Date.parse(assessment.validity.validUntil)).toBeGreaterThan(end)
  } finally {
    fixed.evidenceFor = evidenceFor
  }
})

test('a decision replays byte for byte, also under an override that is gone by now', async () => {
  const set = 'mutation ($input: SetOverrideInput!) { setOverride(input: $input) { __typename } }'
  const expiresAt = new Date(NOON.getTime() + 600_000).toISOString()
  await trust.ask(
    set,
    { input: { subject: 'bad.example.com', action: 'SANDBOX', reason: 'We look at it.', expiresAt } },
    key.caller,
  )
  const { id, assessment } = await decide('bad.example.com')
  expect(assessment).toMatchObject({ action: 'SANDBOX', override: { engineAction: 'DENY', reason: 'We look at it.', expiresAt } })
  at = new Date(NOON.getTime() + 30 * DAY * 1000)
  expect(await replayed(id)).toMatchObject({ identical: true, explanation: null, changes: [] })
  expect((await decide('bad.example.com')).assessment.override).toBeNull()
})

test('an override that has ended between evidence and question does not count', async () => {
  const set = 'mutation ($input: SetOverrideInput!) { setOverride(input: $input) { __typename } }'
  const expiresAt = new Date(NOON.getTime() + 1_000).toISOString()
  await trust.ask(set, { input: { subject: 'good.example.com', action: 'DENY', reason: 'For a second.', expiresAt } }, key.caller)
  expect((await decide('good.example.com')).assessment.action).toBe('DENY')
  at = new Date(NOON.getTime() + 1_000)
  expect((await decide('good.example.com')).assessment).toMatchObject({ action: 'PROCEED', override: null })
  expect((await trust.ask('{ overrides { totalCount edges { node { id } } } }', {}, key.caller)).data.overrides).toEqual({
    totalCount: 0,
    edges: [],
  })
})

test('a URL is judged by what feeds list of it, and of its path only hashes are stored', async () => {
  const url = 'https://good.example.com/kit/card.php?victim=4711#top'
  const { url: keys } = targetOf(url)
  const sources = trust.sources as { listedUrls?: NonNullable<typeof trust.sources.listedUrls> }
  sources.listedUrls = async ({ keys: decisionFor }) =>
    decisionFor.includes(keys?.keys[1] ?? '')
      ? [aHit({ scope: 'url', indicator: 'https://good.example.com/kit/card.php', urlKey: keys?.keys[1] ?? '' })]
      : []
  const ask = async (value: string) => {
    const query =
      'query ($input: DecideInput!) { decide(input: $input) { ... on DecisionMade { decision { id assessment { action reasonCodes target { value normalized } } } } } }'
    const { data } = await trust.ask(query, { input: { target: { type: 'URL', value } } }, key.caller)
    return data.decide.decision
  }
  try {
    const listed = await ask(url)
    expect(listed.assessment).toMatchObject({ action: 'DENY', target: { value: url, normalized: 'good.example.com' } })
    expect(listed.assessment.reasonCodes).toContain('URL_LISTED')
    expect((await ask('https://good.example.com/')).assessment.action).toBe('PROCEED')
    expect((await ask('https://good.example.com/about')).assessment.action).toBe('PROCEED')
    expect(await replayed(listed.id)).toMatchObject({ identical: true })

    const stored = '{ decision(id: $id) { assessment { target { value } } } }'
    const { data } = await trust.ask(`query ($id: ID!) ${stored}`, { id: listed.id }, key.caller)
    expect(data.decision.assessment.target.value).toBe('https://good.example.com/…')
    expect(
      await trust.sql("SELECT count(*)::int AS paths FROM judgement WHERE request LIKE '%4711%' OR body LIKE '%4711%'"),
    ).toEqual([{ paths: 0 }])

    sources.listedUrls = async () => null
    const partial = await trust.ask(
      DECIDE,
      { input: { target: { type: 'URL', value: 'https://good.example.com/unread' } } },
      key.caller,
    )
    expect(partial.data.decide.decision.assessment.uncertainty.drivers).toContain('THREAT_FEED_PARTIAL')
  } finally {
    delete sources.listedUrls
  }
})

test('a replay with a different result names the difference', async () => {
  const { id } = await decide('good.example.com')
  const stricter = trust.another({
    engine: { ...engine, decide: (...given) => ({ ...engine.decide(...given), action: 'deny', confidence: 0.5 }) },
  })
  const { identical, explanation, changes, storedDigest, replayedDigest } = await replayed(id, stricter)
  expect([identical, explanation]).toEqual([false, 'The same evidence, request and policy gave another answer: 2 places differ.'])
  expect(changes).toEqual([
    { pointer: '/action', before: 'proceed', after: 'deny' },
    { pointer: '/confidence', before: expect.any(Number), after: 0.5 },
  ])
  expect(storedDigest).not.toBe(replayedDigest)
})

test('a replay under tables that are gone says so', async () => {
  const { id } = await decide('good.example.com')
  const newer = trust.another({ engine: { ...engine, policyVersion: 'p_new', knowsPolicy: (version) => version === 'p_new' } })
  expect(await replayed(id, newer)).toMatchObject({
    identical: false,
    explanation: `This release does not have the tables of policy version ${engine.policyVersion} any more; it decides by p_new.`,
    changes: [],
    replayedDigest: null,
  })
})

test('a replay needs nothing but what is stored, not even the same spelling of time', async () => {
  const { id } = await decide('bad.example.com')
  const before = trust.sources.requestedHosts.length
  expect((await replayed(id)).identical).toBe(true)
  expect(trust.sources.requestedHosts.length).toBe(before)
  await trust.sql(
    `UPDATE judgement SET body = replace(body, 'deny', 'reject') WHERE id = (SELECT judgement_id FROM decision WHERE id = $1)`,
    [id],
  )
  const { identical, changes } = await replayed(id)
  expect([identical, changes.map(({ pointer }: Data) => pointer)]).toEqual([
    false,
    expect.arrayContaining(['/action', '/audit/base']),
  ])
  await trust.sql(
    `UPDATE judgement SET body = replace(body, 'reject', 'deny') WHERE id = (SELECT judgement_id FROM decision WHERE id = $1)`,
    [id],
  )
})

test('an input without a target is a union member that names the field', async () => {
  expect(await trust.ask(DECIDE, { input: {} }, key.caller)).toMatchObject({
    data: { decide: { __typename: 'InvalidTarget', faults: [{ field: 'domain', code: 'missing' }] } },
  })
  expect((await decide('x', { target: { value: 'ftp://y' } })).faults).toEqual([{ field: 'target.value', code: 'scheme' }])
})

test('a batch is at most a hundred', async () => {
  const batch = 'query ($inputs: [DecideInput!]!) { decideBatch(inputs: $inputs) { results { __typename } usage { used } } }'
  const inputs = (count: number) => ({ inputs: Array.from({ length: count }, () => ({ domain: 'good.example.com' })) })
  expect((await trust.ask(batch, inputs(101), key.caller)).errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    argument: 'inputs',
  })
  expect((await trust.ask(batch, inputs(100), key.caller)).data.decideBatch.usage.used).toBe(100)
})

test('at most a thousand overrides belong to one key', async () => {
  const set =
    'mutation ($input: SetOverrideInput!) { setOverride(input: $input) { ... on InvalidOverride { faults { field code } } } }'
  await trust.sql(
    `INSERT INTO override (key_id, subject, action, reason, expires_at, created_at, updated_at)
     SELECT $1, 'h' || n || '.example.com', 'deny', 'r', NULL, now(), now() FROM generate_series(1, 1000) AS n`,
    [key.row],
  )
  const input = (subject: string) => ({ input: { subject, action: 'DENY', reason: 'r' } })
  expect((await trust.ask(set, input('one.example.com'), key.caller)).data.setOverride.faults).toEqual([
    { field: 'subject', code: 'too_many' },
  ])
  expect((await trust.ask(set, input('h7.example.com'), key.caller)).data.setOverride).toEqual({})
})

test('a short URL is judged with every hop behind it, whose paths are stored nowhere', async () => {
  const web = await startHttpServer({
    '/secret-one': (request, response) =>
      response
        .writeHead(302, { location: `http://bad.example.com:${new URL(web.url).port}/secret-two?token=3` })
        .end(request.method),
    '*': (_, response) => response.writeHead(200).end(),
  })
  const dns = await startDnsServer(({ name, type }) => (type === 'A' ? a(name, '127.0.0.1') : {}))
  const network = safeNetwork({ resolvers: [dns], allow: ({ address, port }) => address === '127.0.0.1' && port === web.port })
  const http = httpClient(network, dnsClient(network), { userAgent: 'atrium-trust', isPlainAllowed: true })
  const follow = createRedirectFollower({
    http,
    slots: slots({ perKey: 10, total: 20 }),
    ended: new AbortController().signal,
    timeoutMs: 20_000,
  })
  trust.sources.redirects = { of: 'shorteners', follow }
  trust.sources.setEvidence('bit.ly', aGoodHost(SECONDS))
  try {
    const input = { target: { type: 'URL', value: `http://bit.ly:${web.port}/secret-one` } }
    const AUDIT = `assessment { action reasonCodes target { value } } audit { redirects { end hops { host action isDeciding evidence { host sources { source } } } } }
      replay { identical }`
    const ask = async () =>
      (
        await trust.ask(
          `query ($input: DecideInput!) { decide(input: $input) { ... on DecisionMade { decision { ${AUDIT} } } } }`,
          { input },
          key.caller,
        )
      ).data.decide.decision
    const decision = await ask()
    expect(decision).toMatchObject({
      assessment: { action: 'DENY', target: { value: input.target.value } },
      audit: {
        redirects: {
          end: 'answered',
          hops: [{ host: 'bad.example.com', action: 'DENY', isDeciding: true, evidence: { host: 'bad.example.com' } }],
        },
      },
      replay: { identical: true },
    })
    expect(decision.assessment.reasonCodes).toContain('REDIRECT_TARGET_RISK')
    // The same again is answered from what is stored.
    expect((await ask()).audit).toEqual(decision.audit)
    expect(web.requests).toEqual(['/secret-one', '/secret-two?token=3'])
    const stored = await trust.sql(
      "SELECT (SELECT string_agg(snapshot::text, '') FROM snapshot) || (SELECT string_agg(judgement::text, '') FROM judgement) AS text",
    )
    expect(stored[0]?.text).toContain('bit.ly')
    expect(stored[0]?.text).not.toMatch(/secret|token/)
    // Hosts alone, and other URLs, are not followed.
    await decide('bit.ly')
    await decide('https://good.example.com/secret-one')
    expect(web.requests).toHaveLength(2)
  } finally {
    delete trust.sources.redirects
    await Promise.all([http.close(), web.close(), dns.close()])
  }
})
