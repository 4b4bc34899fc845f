import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { afterEach, expect, test } from 'vitest'
import { withCancellation } from '../../../../platform/database/cancellation.ts'
import type { Snapshot } from '../../../../subgraphs/trust/evidence.ts'
import { json } from '../../../support/http-server.ts'
import { aBootstrap, snapshotOf, startTrust, type Trust, type TrustOptions } from './support/trust.ts'
import { startWorld, type World, type WorldOptions } from './support/world.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const MINUTE = 60_000

/** Sources that see nothing but an internet on loopback. */
async function aWorld({
  rdap,
  answer,
  ...options
}: Partial<TrustOptions> & WorldOptions = {}): Promise<World & { readonly trust: Trust; readonly clock: { at: number } }> {
  const world = await startWorld({ rdap, answer })
  const clock = { at: Math.floor(Date.now() / 1000) * 1000 }
  const trust = await startTrust({
    dns: world.dns,
    lists: [aBootstrap(`${world.registry.url}/dns.json`)],
    network: world.network,
    now: () => new Date(clock.at),
    ...options,
  })
  await trust.refreshLists()
  cleanups.push(world.close, trust.close)
  return { ...world, trust, clock }
}

const subject = (host: string, registrable: string | null = host) => ({ host, registrable })
const statuses = ({ sources }: Snapshot) =>
  Object.fromEntries(Object.entries(sources).map(([source, { status }]) => [source, status]))

test('all sources of one host, content-addressed', async () => {
  const { trust } = await aWorld()
  const snapshot = await trust.evidenceFor(subject('shop.com'))
  expect(statuses(snapshot)).toEqual({ rdap: 'ok', dns: 'ok', tls: 'ok', ct: 'skipped', feeds: 'skipped', popularity: 'skipped' })
  const stored = await trust.evidence.snapshot(snapshot.id)
  expect(stored).toEqual(snapshot)
  const { id, ...rest } = stored ?? snapshot
  expect(
    createHash('sha256')
      .update(canonicalize(rest) ?? '')
      .digest('hex'),
  ).toBe(id)
})

test('500 requests for one cold host at once are one collection', async () => {
  const { trust, dns, handshakes, registrations } = await aWorld()
  const snapshots = await Promise.all(Array.from({ length: 500 }, () => trust.evidenceFor(subject('shop.com'))))
  expect(new Set(snapshots.map(({ id }) => id)).size).toBe(1)
  expect(dns.queries.filter((each) => each === 'shop.com A')).toHaveLength(1)
  expect({ handshakes, registrations: registrations() }).toEqual({ handshakes: ['shop.com'], registrations: 1 })
  expect(await trust.sql('SELECT count(*)::int AS snapshots FROM snapshot')).toEqual([{ snapshots: 1 }])
})

test('hosts of one domain share what is about the domain', async () => {
  const { trust, handshakes, registrations } = await aWorld()
  const hosts = ['a.shop.com', 'b.shop.com', 'c.shop.com']
  await Promise.all(hosts.map((host) => trust.evidenceFor(subject(host, 'shop.com'))))
  await trust.evidenceFor(subject('d.shop.com', 'shop.com'))
  expect(registrations()).toBe(1)
  expect(handshakes.sort()).toEqual([...hosts, 'd.shop.com'])
})

test('a snapshot is reused while it is valid; then only expired evidence is collected again', async () => {
  const { trust, dns, clock, registrations } = await aWorld()
  const first = await trust.evidenceFor(subject('shop.com'))
  const questions = dns.queries.length
  clock.at += MINUTE
  expect(await trust.evidenceFor(subject('shop.com'))).toEqual(first)
  expect(dns.queries).toHaveLength(questions)
  clock.at += 10 * MINUTE
  const second = await trust.evidenceFor(subject('shop.com'))
  expect(second.id).not.toBe(first.id)
  expect(second.sources.dns.collectedAt).toBe(clock.at / 1000)
  expect(second.sources.rdap).toEqual(first.sources.rdap)
  expect(registrations()).toBe(1)
})

test('another process uses what this one has collected', async () => {
  const { trust, dns, clock } = await aWorld()
  const first = await trust.evidenceFor(subject('shop.com'))
  const other = await startTrust({ dns: null, database: trust.database, now: () => new Date(clock.at) })
  cleanups.push(other.close)
  const questions = dns.queries.length
  expect(await other.evidenceFor(subject('shop.com'))).toEqual(first)
  expect(dns.queries).toHaveLength(questions)
})

test('a snapshot close to its expiry is refreshed in the background', async () => {
  const { trust, clock } = await aWorld()
  const first = await trust.evidenceFor(subject('shop.com'))
  clock.at += 4.5 * MINUTE
  expect(await trust.evidenceFor(subject('shop.com'))).toEqual(first)
  await expect
    .poll(async () => (await trust.evidence.latestSnapshots(['shop.com']))[0]?.snapshot.collectedAt)
    .toBe(clock.at / 1000)
})

test('a caller who accepts stale evidence gets it at once while it is refreshed', async () => {
  const { trust, clock } = await aWorld()
  const first = await trust.evidenceFor(subject('shop.com'))
  clock.at += 7 * MINUTE
  expect(await trust.evidenceFor(subject('shop.com'), { maxStaleSeconds: 600 })).toEqual(first)
  await expect
    .poll(async () => (await trust.evidence.latestSnapshots(['shop.com']))[0]?.snapshot.collectedAt)
    .toBe(clock.at / 1000)
  clock.at += 60 * MINUTE
  expect(await trust.evidenceFor(subject('shop.com'), { maxStaleSeconds: 600 })).toMatchObject({ collectedAt: clock.at / 1000 })
})

test('a late source is a timeout for this caller and an answer for the next', async () => {
  const open = Promise.withResolvers<void>()
  const { trust } = await aWorld({
    rdap: async (request, response) => {
      await open.promise
      json({ objectClassName: 'domain', ldhName: 'slow.com', events: [] })(request, response)
    },
  })
  // Of which the database may have 400: DNS has its own time, and the registry a second more than
  // that.
  const first = await trust.evidenceFor(subject('slow.com'), { budgetMs: 1_900 })
  expect(statuses(first)).toMatchObject({ rdap: 'timeout', dns: 'ok' })
  open.resolve()
  await expect.poll(async () => (await trust.evidence.latestSnapshots(['slow.com']))[0]?.snapshot.sources.rdap.status).toBe('ok')
  expect(statuses(await trust.evidenceFor(subject('slow.com')))).toMatchObject({ rdap: 'ok' })
})

test('a registry that answers after the decision, and after its usual time, counts for the next one', async () => {
  const { trust, registrations } = await aWorld({
    rdap: async (request, response) => {
      // Longer than a decision waits, as several registries of countries take.
      await new Promise((resolve) => setTimeout(resolve, 3_500))
      json({
        objectClassName: 'domain',
        ldhName: 'slow.com',
        events: [{ eventAction: 'registration', eventDate: '2015-03-01T10:00:00Z' }],
      })(request, response)
    },
  })
  expect(statuses(await trust.evidenceFor(subject('slow.com')))).toMatchObject({ rdap: 'timeout', dns: 'ok' })
  await expect.poll(async () => statuses(await trust.evidenceFor(subject('slow.com')))).toMatchObject({ rdap: 'ok' })
  expect(registrations()).toBe(1)
})

test('every source dead: a snapshot all the same, and /ready names what is down', async () => {
  const { trust } = await aWorld({ rdap: () => {}, answer: () => 'silence' })
  trust.start()
  for (const host of ['a.com', 'b.com', 'c.com']) {
    expect(statuses(await trust.evidenceFor(subject(host)))).toMatchObject({ rdap: 'timeout', dns: 'timeout', tls: 'timeout' })
    // One registry may be down: but what never answered does not count as available either.
    if (host === 'a.com') expect(await trust.status()).toContainEqual({ name: 'rdap', state: 'untried', reason: null })
  }
  const status = await trust.status()
  expect(status.filter(({ state }) => state === 'down').map(({ name }) => name)).toEqual(['rdap', 'dns', 'tls'])
})

test('500 hosts with a dead registry: each gets an answer, with everything else in it', async () => {
  const { trust } = await aWorld({ rdap: () => {} })
  const snapshots = await Promise.all(Array.from({ length: 500 }, (_, index) => trust.evidenceFor(subject(`host-${index}.com`))))
  // Waited in vain, found no place, or came after the circuit had opened.
  expect(snapshots.every(({ sources }) => ['timeout', 'skipped', 'failed'].includes(sources.rdap.status))).toBe(true)
  expect(snapshots.filter(({ sources }) => sources.dns.status === 'ok').length).toBeGreaterThan(0)
})

test('collections whose time is over together leave turns of the event loop to others', async () => {
  let turn = 0
  let isCounting = true
  const count = () => {
    turn++
    if (isCounting) setImmediate(count)
  }
  const byTurn = new Map<number, number>()
  const { trust } = await aWorld({
    rdap: () => {},
    answer: () => 'silence',
    makeSnapshot: (...given) => {
      byTurn.set(turn, (byTurn.get(turn) ?? 0) + 1)
      // Four begin within the 10 ms of a turn; the count may see two turns as one.
      for (const end = performance.now() + 3; performance.now() < end; );
      return snapshotOf(...given)
    },
  })
  setImmediate(count)
  await Promise.all(Array.from({ length: 60 }, (_, index) => trust.evidenceFor(subject(`host-${index}.com`))))
  isCounting = false
  expect(Math.max(...byTurn.values())).toBeLessThanOrEqual(8)
})

test('one caller who cancels does not cancel the collection for the others', async () => {
  const { trust, handshakes } = await aWorld()
  const gone = new AbortController()
  const [left, stayed] = [trust.evidenceFor(subject('shop.com'), { signal: gone.signal }), trust.evidenceFor(subject('shop.com'))]
  gone.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  expect(statuses(await stayed)).toMatchObject({ dns: 'ok', tls: 'ok' })
  expect(handshakes).toEqual(['shop.com'])
})

test('a cancelled operation cancels neither the shared collection nor its storage', async () => {
  const { trust } = await aWorld()
  const ended = new AbortController()
  const first = withCancellation(ended.signal, () => trust.evidenceFor(subject('shop.com')))
  const second = trust.evidenceFor(subject('shop.com'))
  ended.abort(new Error('gone'))
  expect(statuses(await second)).toMatchObject({ rdap: 'ok', dns: 'ok', tls: 'ok' })
  expect(await first).toEqual(await second)
  expect((await trust.evidence.latestSnapshots(['shop.com']))[0]?.snapshot).toEqual(await second)
})

test('without its tables the trust service still answers from live sources', async () => {
  const { trust } = await aWorld()
  await trust.sql('DROP TABLE snapshot, evidence, list, list_entry CASCADE')
  expect(statuses(await trust.evidenceFor(subject('shop.com')))).toMatchObject({ dns: 'ok', tls: 'ok', rdap: 'failed' })
  expect(await trust.status()).toContainEqual({ name: 'iana-rdap', state: 'down', reason: 'the database does not answer' })
})

test('an exception in one collector fails that source only', async () => {
  const { trust } = await aWorld()
  await trust.sql('DROP TABLE list_entry CASCADE')
  expect(statuses(await trust.evidenceFor(subject('shop.com')))).toMatchObject({ dns: 'ok', tls: 'ok', rdap: 'failed' })
})

test('an address is looked up in feeds only', async () => {
  const { trust, dns, handshakes } = await aWorld()
  const questions = dns.queries.length
  const snapshot = await trust.evidenceFor(subject('93.184.216.34', null))
  expect(statuses(snapshot)).toMatchObject({ rdap: 'skipped', dns: 'skipped', tls: 'skipped' })
  expect(dns.queries).toHaveLength(questions)
  expect(handshakes).toEqual([])
})

test('close() cancels running collections', async () => {
  const { trust, dns } = await aWorld({ rdap: () => {}, answer: () => 'silence' })
  trust.start()
  const pending = trust.evidenceFor(subject('late.com'))
  await expect.poll(() => dns.queries).toContain('late.com A')
  await trust.close()
  expect(statuses(await pending)).toMatchObject({ dns: expect.stringMatching(/timeout|failed/) })
  cleanups.pop()
})
