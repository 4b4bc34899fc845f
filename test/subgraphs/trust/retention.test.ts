import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../platform/config/config.ts'
import { createTrustParts } from '../../../subgraphs/trust/parts.ts'
import { trustVariables } from '../../../subgraphs/trust/variables.ts'
import { aGoodHost, DAY, type Data, startTrust, type TestKey, type Trust } from './support/trust.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const later = (days: number) => new Date(NOON.getTime() + days * DAY * 1000)
let at = NOON
let trust: Trust
let key: TestKey
beforeAll(async () => {
  trust = await startTrust(() => at)
  key = await trust.aKey({ plan: 'unlimited' })
})
afterAll(() => trust.close())

async function decide(domain: string): Promise<string> {
  trust.sources.setEvidence(domain, aGoodHost(at.getTime() / 1000))
  const ask = 'query ($domain: String) { decide(input: { domain: $domain }) { ... on DecisionMade { decision { id } } } }'
  const { decide: made }: Data = (await trust.ask(ask, { domain }, key.caller)).data
  return made.decision.id
}
const ids = async (table: 'decision' | 'judgement' | 'snapshot', column = 'id') =>
  (await trust.sql(`SELECT ${column} AS found FROM ${table} ORDER BY ${column}`)).map(({ found }) => found)

/** The parts of another process, which is told how long to keep decisions. */
function parts(days: string, sources: Parameters<typeof createTrustParts>[0]['sources'] = trust.sources) {
  const config = readConfig(trustVariables, { TRUST_RETENTION_DAYS: days })
  return createTrustParts({
    connection: trust.database.connection,
    log: pino({ level: 'silent' }),
    sources,
    now: () => at,
    config,
  })
}

test('decisions are deleted at their age with the snapshots that nothing else refers to, and not a day before', async () => {
  at = NOON
  const old = await decide('old.example.com')
  // A snapshot that both an old and a young decision were made from.
  at = later(20)
  const young = await decide('young.example.com')
  await trust.sql(
    `INSERT INTO decision SELECT 'dec_shared', key_id, $2, request_hash, judgement_id, elapsed_ms FROM decision WHERE id = $1`,
    [young, NOON],
  )
  const before = trust.sources.requestedHosts.length
  const keeper = parts('40')
  at = later(40)
  await keeper.deleteOld()
  expect(await ids('decision')).toEqual([old, young, 'dec_shared'].sort())

  at = new Date(later(40).getTime() + 1)
  await keeper.deleteOld()
  expect(await ids('decision')).toEqual([young])
  expect(await ids('snapshot', 'host')).toEqual(['young.example.com'])
  expect(await ids('judgement')).toHaveLength(1)
  expect((await trust.ask('query ($id: ID!) { decision(id: $id) { id } }', { id: old }, key.caller)).data.decision).toBeNull()
  const replay = 'query ($id: ID!) { decision(id: $id) { replay { identical } } }'
  expect((await trust.ask(replay, { id: young }, key.caller)).data.decision.replay.identical).toBe(true)

  await parts('0').deleteOld()
  at = later(4_000)
  await parts('0').deleteOld()
  expect(await ids('decision')).toEqual([young])
  await keeper.deleteOld()
  expect([await ids('decision'), await ids('judgement'), await ids('snapshot')]).toEqual([[], [], []])
  expect(trust.sources.requestedHosts).toHaveLength(before)
})

test('a snapshot without decision goes a week after its end when there is a newer one, else with the age of decisions', async () => {
  const snapshot = (id: string, host: string, day: number) =>
    trust.sql('INSERT INTO snapshot VALUES ($1, $2, $3, $4, $5)', [id, host, '{}', later(day), later(day + 1)])
  await snapshot('a1', 'a.example', 0)
  await snapshot('a2', 'a.example', 5)
  await snapshot('a3', 'a.example', 9)
  await snapshot('b1', 'b.example', 0)
  const keeper = parts('31')
  at = new Date(later(12).getTime() + 1_000)
  await keeper.deleteOld()
  expect(await ids('snapshot')).toEqual(['a2', 'a3', 'b1'])
  at = new Date(later(31).getTime() + 1_000)
  await keeper.deleteOld()
  expect(await ids('snapshot')).toEqual(['a3'])
})

test('thousands go as well, in pieces', async () => {
  await trust.sql('DELETE FROM snapshot')
  await trust.sql(
    `INSERT INTO snapshot SELECT 's' || n, 'h' || n % 500, '{}', $1::timestamptz + n * interval '1 second', $1::timestamptz + interval '1 hour' FROM generate_series(1, 3500) AS n`,
    [NOON],
  )
  at = later(20)
  await parts('31').deleteOld()
  expect(await trust.sql('SELECT count(*)::int AS n, count(DISTINCT host)::int AS hosts FROM snapshot')).toEqual([
    { n: 500, hosts: 500 },
  ])
})

test('it happens by itself once that has begun', async () => {
  at = NOON
  await decide('once.example.com')
  at = later(60)
  const config = {
    TRUST_DNS_SERVERS: [],
    TRUST_LISTS: [],
    TRUST_OWN_FEEDS: undefined,
    TRUST_DNSBL_ZONES: undefined,
    TRUST_NETWORK_FILES: undefined,
    TRUST_CT_URL: undefined,
    TRUST_WHOIS: false,
    TRUST_REDIRECTS: 'off' as const,
  }
  await parts('31', { config }).close()
  expect(await ids('decision')).toHaveLength(1)
  const server = parts('31', { config, network: { allow: () => false } })
  server.start()
  await expect.poll(() => ids('decision')).toEqual([])
  await server.close()
})

test('what would make the count of a month wrong is refused', () => {
  expect(() => readConfig(trustVariables, { TRUST_RETENTION_DAYS: '30' })).toThrow(
    'Expected TRUST_RETENTION_DAYS to be 0 or at least 31, got "30".',
  )
  expect(readConfig(trustVariables, {})).toEqual({ TRUST_RATE_FREE: 600, TRUST_RATE_UNLIMITED: 0, TRUST_RETENTION_DAYS: 90 })
})
