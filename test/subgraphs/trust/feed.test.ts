import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { type Database, openDatabase } from '../../../platform/database/database.ts'
import { engine } from '../../../subgraphs/trust/assessment/engine.ts'
import { decideAll } from '../../../subgraphs/trust/decision/actions.ts'
import type { FeedHit, ListedNow } from '../../../subgraphs/trust/evidence.ts'
import { assessmentOf, listingsOf, MAX_LISTINGS_PER_FEED } from '../../../subgraphs/trust/feed/feed.ts'
import { createFeedRecorder } from '../../../subgraphs/trust/feed/recorder.ts'
import { assessReported, feedRepository } from '../../../subgraphs/trust/feed/repository.ts'
import { createTrustParts } from '../../../subgraphs/trust/parts.ts'
import type { Tables } from '../../../subgraphs/trust/tables.ts'
import { held, releaseAll } from '../social/support/held.ts'
import { type Data, snapshotAbout, startTrust, type TestKey, type Trust } from './support/trust.ts'

const NOON = new Date('2026-12-06T12:00:00Z')
const DAY_MS = 86_400_000
const later = (days: number) => new Date(NOON.getTime() + days * DAY_MS)
/** Of a host. */
const HIT: FeedHit = {
  feed: 'a',
  lineage: 'a',
  category: 'phishing',
  scope: 'host',
  indicator: 'it',
  firstSeenAt: null,
  lastSeenAt: null,
  state: 'online',
  abusedLegitimate: false,
}
const folder = mkdtempSync(join(tmpdir(), 'atrium-feeds-'))
const fileOf = (name: string) => join(folder, `${name}.txt`)
let at = NOON
let trust: Trust
let own: ReturnType<typeof createTrustParts>
let operator: TestKey
let key: TestKey

/** Two feeds of the operator in files, and no other source that answers. */
const collectors = {
  config: {
    TRUST_DNS_SERVERS: [],
    TRUST_LISTS: [],
    TRUST_OWN_FEEDS: ['one', 'two'].map((name) => ({ name, url: pathToFileURL(fileOf(name)).href, isJson: false })),
    TRUST_DNSBL_ZONES: undefined,
    TRUST_NETWORK_FILES: undefined,
    TRUST_CT_URL: undefined,
    TRUST_WHOIS: false,
    TRUST_REDIRECTS: 'off' as const,
  },
  network: { allow: () => false },
}

beforeAll(async () => {
  trust = await startTrust(() => at, collectors)
  own = createTrustParts({
    connection: trust.database.connection,
    log: pino({ level: 'silent' }),
    sources: collectors,
    now: () => at,
  })
  operator = await trust.aKey({ plan: 'unlimited', name: 'Ops', role: 'operator' })
  key = await trust.aKey({ plan: 'unlimited' })
})
afterAll(async () => {
  await own.close()
  await trust.close()
  rmSync(folder, { recursive: true, force: true })
})

async function publish(feeds: { readonly one: readonly string[]; readonly two: readonly string[] }): Promise<void> {
  for (const [name, lines] of Object.entries(feeds)) writeFileSync(fileOf(name), lines.join('\n'))
  await own.refreshLists()
}

/** Ids of decisions about these hosts, whose listings are written. */
async function decide(...hosts: readonly string[]): Promise<readonly string[]> {
  const { parts } = own
  const found = await parts.keys.find(key.row)
  if (!found) throw new Error('Expected the key.')
  const { results } = await decideAll(
    hosts.map((domain) => ({ domain })),
    {
      ...parts,
      callerState: ([request]) => parts.decisions.callerStateOfKey(found, request ?? null, at, parts.engine.policyVersion),
    },
  )
  await parts.feedRecorder.flush()
  return results.map((result) => (result.kind === 'made' ? result.decision.id : ''))
}

const FEEDS = `{ threatFeeds { name state entries hits lastHitAt precision assessments {
  listings confirmedByReport confirmedByFeed refutedByReport refutedByRemoval expired unconfirmed pending } } }`
/** Figures by feed, without assessments that no listing has. */
async function figures(): Promise<Data> {
  // Older than what is held.
  at = new Date(at.getTime() + 5_000)
  const { data } = await trust.ask(FEEDS)
  return Object.fromEntries(
    data.threatFeeds.map(({ name, hits, precision, assessments }: Data) => [
      name,
      { hits, precision, ...Object.fromEntries(Object.entries(assessments).filter(([, count]) => count !== 0)) },
    ]),
  )
}

async function report(decisionId: string, kind: string, isAccepted: boolean): Promise<void> {
  const sent = await trust.ask(
    'mutation ($input: ReportDecisionInput!) { r: reportDecision(input: $input) { ... on ReportDecisionSuccess { report { id } } } }',
    { input: { decisionId, kind, text: 'Look.' } },
    key.caller,
  )
  const input = { id: sent.data.r.report.id, isAccepted, answer: 'Seen.' }
  const answered = await trust.ask(
    'mutation ($input: ResolveDecisionReportInput!) { r: resolveDecisionReport(input: $input) { __typename } }',
    { input },
    operator.caller,
  )
  expect(answered.data.r.__typename).toBe('ResolveDecisionReportSuccess')
}

test('what became of listings: confirmed by another feed, refuted by removal, and by reports whatever was before', async () => {
  await publish({ one: ['bad.example.net', 'gone.example.net', 'alone.example.net'], two: ['bad.example.net'] })
  await decide('bad.example.net', 'gone.example.net', 'alone.example.net', 'good.example.com')
  await decide('gone.example.net')
  expect(await figures()).toEqual({
    'own-one': { hits: 4, precision: null, listings: 3, pending: 3 },
    'own-two': { hits: 1, precision: null, listings: 1, pending: 1 },
  })

  await own.reviewFeeds()
  expect((await figures())['own-one'].pending).toBe(3)
  at = later(7.5)
  await publish({ one: ['bad.example.net', 'alone.example.net'], two: ['bad.example.net'] })
  await own.reviewFeeds()
  expect(await figures()).toEqual({
    'own-one': { hits: 4, precision: 0.5, listings: 3, confirmedByFeed: 1, refutedByRemoval: 1, unconfirmed: 1 },
    'own-two': { hits: 1, precision: 1, listings: 1, confirmedByFeed: 1 },
  })

  const [bad = '', alone = ''] = await decide('bad.example.net', 'alone.example.net')
  await report(bad, 'FALSE_POSITIVE', true)
  await report(alone, 'FALSE_POSITIVE', false)
  expect(await figures()).toEqual({
    'own-one': { hits: 6, precision: 1 / 3, listings: 3, refutedByReport: 1, refutedByRemoval: 1, confirmedByReport: 1 },
    'own-two': { hits: 2, precision: 0, listings: 1, refutedByReport: 1 },
  })
  const [missed = ''] = await decide('alone.example.net')
  await report(missed, 'FALSE_NEGATIVE', false)
  expect((await figures())['own-one'].confirmedByReport).toBe(1)

  const { data } = await trust.ask(FEEDS)
  expect(data.threatFeeds[0]).toMatchObject({ name: 'own-one', state: 'UP', entries: 2 })
})

test('a feed that another one follows within seven days is confirmed, and old listings are deleted', async () => {
  await trust.sql('DELETE FROM feed_listing')
  at = later(20)
  await publish({ one: ['early.example.net', 'x.example.net'], two: ['x.example.net'] })
  await decide('early.example.net')
  at = later(26)
  await publish({ one: ['x.example.net', 'y.example.net'], two: ['early.example.net'] })
  at = later(27.5)
  await own.reviewFeeds()
  expect((await figures())['own-one']).toMatchObject({ confirmedByFeed: 1, precision: 1 })
  at = later(20 + 91)
  await own.reviewFeeds()
  expect(
    await trust.sql(
      'SELECT (SELECT count(*) FROM feed_listing)::int AS listings, (SELECT count(*) FROM feed_usage)::int AS feeds',
    ),
  ).toEqual([{ listings: 0, feeds: 0 }])
})

test('hosts below a listed domain are one listing', async () => {
  await trust.sql('DELETE FROM feed_listing')
  await trust.sql('DELETE FROM feed_usage')
  at = later(120)
  await publish({ one: ['shared-apex.com', '*.wildcard.example.org'], two: ['x.example.net'] })
  await decide('a.shared-apex.com', 'b.shared-apex.com', 'shared-apex.com', 'a.wildcard.example.org', 'b.wildcard.example.org')
  const stored = await trust.sql('SELECT subject FROM feed_listing ORDER BY subject')
  expect(stored.map(({ subject }) => subject)).toEqual(['domain wildcard.example.org', 'host shared-apex.com'])
  expect(await figures()).toMatchObject({ 'own-one': { hits: 5, listings: 2 } })
})

test('a report says nothing of another page of the host', async () => {
  await trust.sql('DELETE FROM feed_listing')
  at = later(130)
  await publish({ one: ['https://pages.example.net/evil'], two: ['x.example.net'] })
  const [decision = ''] = await decide('pages.example.net')
  await report(decision, 'FALSE_POSITIVE', true)
  expect(await trust.sql('SELECT feed, assessment FROM feed_listing')).toEqual([{ feed: 'own-one', assessment: null }])
})

describe('stored listings', () => {
  let database: Database<Tables>
  let repository: ReturnType<typeof feedRepository>
  const listed = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, n) => ({
      feed: 'many',
      subject: `host h${from + n}.example`,
      host: `h${from + n}.example`,
      isAgreed: false,
      hits: 1,
    }))

  beforeEach(async () => {
    await trust.sql('DELETE FROM feed_listing')
    database = openDatabase<Tables>(trust.database.connection, { schema: 'trust', max: 3, onError: () => {} })
    repository = feedRepository(database.query)
  })
  afterEach(async () => {
    await releaseAll()
    await database.close()
  })

  test('of more than 1,000 listings of a feed a sample of old and new ones stays', async () => {
    await repository.add(listed(0, MAX_LISTINGS_PER_FEED), NOON)
    await repository.add(listed(MAX_LISTINGS_PER_FEED, 3 * MAX_LISTINGS_PER_FEED), later(1))
    const [count] = await trust.sql(
      'SELECT count(*)::int AS all, count(*) FILTER (WHERE first_hit_at = $1)::int AS old FROM feed_listing',
      [NOON],
    )
    expect(count?.all).toBe(MAX_LISTINGS_PER_FEED)
    // A third of what was met. The hashes are always the same.
    expect(count?.old).toBeGreaterThan(MAX_LISTINGS_PER_FEED / 4)
    expect(count?.old).toBeLessThan(MAX_LISTINGS_PER_FEED / 2)
  })

  test('writers of several listings wait for the feed', async () => {
    await repository.add(listed(0, 2), NOON)
    const feed = await held(trust.database, `SELECT FROM trust.feed_usage WHERE feed = 'many' FOR UPDATE`)
    const writes = [
      repository.add(listed(0, 2), NOON),
      repository.deleteBefore(NOON),
      database.query
        .transaction()
        .execute((transaction) =>
          assessReported(transaction, { feeds: ['many'], subjects: ['host h1.example'] }, 'refuted_by_report', NOON),
        ),
    ]
    await feed.isWaitedFor(3)
    await feed.run('DELETE FROM trust.feed_listing')
    await feed.release()
    await Promise.all(writes)
  })

  test('figures that callers share are not cancelled with the first of them', async () => {
    expect(await withCancellation(AbortSignal.abort(), () => repository.figures(NOON))).toBeInstanceOf(Array)
  })

  test('listings that a slow database has not taken do not pile up', async () => {
    const written: number[] = []
    const first = Promise.withResolvers<void>()
    const recorder = createFeedRecorder({
      repository: {
        add: async (listings) => {
          written.push(listings.length)
          await first.promise
        },
      },
      log: pino({ level: 'silent' }),
      now: () => NOON,
    })
    for (let n = 0; n < 20; n++) recorder.note(listed(n * 1_000, (n + 1) * 1_000))
    first.resolve()
    await recorder.flush()
    expect(written).toEqual([5_000, 5_000])
  })
})

test('a listing is the URL itself, else the host; nothing that the feed calls offline', () => {
  const read = engine.normalise('url', 'https://bad.example.net/a/b')
  if (read.kind === 'invalid') throw new Error('Expected a target.')
  const [urlKey = ''] = read.target.url?.keys ?? []
  const seconds = NOON.getTime() / 1000
  const about = (...hits: readonly Partial<FeedHit>[]) =>
    listingsOf(
      read.target,
      snapshotAbout('bad.example.net', seconds, {
        feeds: { status: 'ok', facts: { checked: [], failed: [], hits: hits.map((each) => ({ ...HIT, ...each })) } },
      }),
    ).map(({ feed, subject, isAgreed }) => `${feed} ${subject} ${isAgreed}`)
  const url = { scope: 'url', urlKey } as const
  expect(about({ feed: 'a', lineage: 'a' }, { feed: 'a', lineage: 'a', ...url })).toEqual([`a url ${urlKey} false`])
  expect(about({ feed: 'a', lineage: 'x', ...url }, { feed: 'b', lineage: 'x', scope: 'domain' })).toEqual([
    `a url ${urlKey} false`,
    'b domain example.net false',
  ])
  // A page that is listed says nothing of the host, the host of its pages.
  expect(about({ feed: 'a', lineage: 'a', ...url }, { feed: 'b', lineage: 'b' })).toEqual([
    `a url ${urlKey} true`,
    'b host bad.example.net false',
  ])
  expect(about({ state: 'offline' }, { feed: 'old', scope: 'url' })).toEqual([])
})

test('removal refutes where entries are kept, and says nothing elsewhere or of a copy that is overdue', () => {
  const listing = { feed: 'a', subject: 'host bad.example.net' }
  const now = (feed: Partial<ListedNow['feeds'][number]>): ListedNow => ({
    feeds: [{ name: 'a', lineage: 'x', isFresh: true, keepsEntries: true, ...feed }],
    hits: [],
  })
  expect(assessmentOf(listing, now({}))).toBe('refuted_by_removal')
  expect(assessmentOf(listing, now({ keepsEntries: false }))).toBe('expired')
  expect(assessmentOf(listing, now({ isFresh: false }))).toBeNull()
  expect(assessmentOf(listing, now({ name: 'b' }))).toBeNull()
  // The feed lists the whole host in the place of its page.
  expect(assessmentOf({ feed: 'a', subject: 'url 0' }, { ...now({ lineage: 'a' }), hits: [HIT] })).toBe('unconfirmed')
})
