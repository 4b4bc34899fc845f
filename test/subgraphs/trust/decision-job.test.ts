import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createTrustParts } from '../../../subgraphs/trust/parts.ts'
import { ANONYMOUS, aGoodHost, type Data, type FixedSources, startTrust, type TestKey, type Trust } from './support/trust.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

let at = NOON
let trust: Trust
let key: TestKey
/** Processes on one database. */
let copies: ReturnType<typeof createTrustParts>[]
/** Waits for this before evidence is there. */
let gate: Promise<void> | null = null
/** The same by host; null: for all. */
let gateOf: ((host: string) => Promise<void>) | null = null
let collecting = 0
let maxCollecting = 0

beforeAll(async () => {
  trust = await startTrust(() => at)
  copies = [1, 2].map(() => aCopy())
})
afterAll(async () => {
  for (const { close } of copies) await close()
  await trust.close()
})
beforeEach(async () => {
  at = NOON
  await trust.sql('DELETE FROM decision_job')
  key = await trust.aKey({ plan: 'unlimited' })
  trust.sources.requestedHosts.length = 0
  ;[gate, gateOf, maxCollecting] = [null, null, 0]
})

function aCopy() {
  const { sources } = trust
  const slow: FixedSources = {
    ...sources,
    async evidenceFor(subject, options) {
      collecting += 1
      maxCollecting = Math.max(maxCollecting, collecting)
      await (gateOf?.(subject.host) ?? gate)
      collecting -= 1
      return sources.evidenceFor(subject, options)
    },
  }
  return createTrustParts({ connection: trust.database.connection, log: pino({ level: 'silent' }), sources: slow, now: () => at })
}
/** A run in every process at once. */
const run = () => Promise.all(copies.map(({ runJobs }) => runJobs()))

const JOB = `id status createdAt startedAt finishedAt expiresAt targetCount finishedCount
  counts { waiting decided invalid quotaExceeded failed canceled }`
async function create(inputs: Data[], { as = key, ...rest }: { as?: TestKey; idempotencyKey?: string } = {}): Promise<Data> {
  const text = `mutation ($input: CreateDecisionJobInput!) { result: createDecisionJob(input: $input) { __typename
    ... on CreateDecisionJobSuccess { job { ${JOB} } } ... on InvalidDecisionJob { message faults { field code } } ... on DecisionJobLimitReached { message }
    ... on DecisionJobConflict { message } } }`
  const given = inputs.map((each) => (typeof each === 'string' ? { domain: each } : each))
  const { data, errors } = await trust.ask(text, { input: { inputs: given, ...rest } }, as.caller)
  return data?.result ?? errors?.[0]
}
async function find(id: string, as = key): Promise<Data> {
  const { data, errors } = await trust.ask(`query ($id: ID!) { decisionJob(id: $id) { ${JOB} } }`, { id }, as.caller)
  expect(errors).toBeUndefined()
  return data.decisionJob
}
async function resultsOf(id: string, page: Data = {}): Promise<Data> {
  const text = `query ($id: ID!, $first: Int, $after: String) { decisionJob(id: $id) { results(first: $first, after: $after) {
    totalCount pageInfo { hasNextPage endCursor } edges { node { index target status decisionId confidence validUntil faults { field code message }
      verdict { action state reasonCodes } } } } } }`
  const { data, errors } = await trust.ask(text, { id, first: 1000, ...page }, key.caller)
  expect(errors).toBeUndefined()
  return data.decisionJob.results
}
const nodes = async (id: string) => (await resultsOf(id)).edges.map(({ node }: Data) => node)
const cancel = async (id: string, as = key) =>
  (
    await trust.ask(
      `mutation ($id: ID!) { result: cancelDecisionJob(id: $id) { __typename ... on CancelDecisionJobSuccess { job { ${JOB} } } } }`,
      { id },
      as.caller,
    )
  ).data.result
const domains = (count: number) => Array.from({ length: count }, (_, index) => `n${index}.example.com`)
const decisions = async () => Number((await trust.sql('SELECT count(*) FROM decision WHERE key_id = $1', [key.row]))[0]?.count)

test('every target is decided once by several processes, and each is a decision of the key like any other', async () => {
  trust.sources.setEvidence('n7.example.com', aGoodHost(NOON.getTime() / 1000))
  const { job } = await create(domains(120))
  expect(job).toMatchObject({ status: 'WAITING', targetCount: 120, finishedCount: 0, startedAt: null, finishedAt: null })
  await run()
  expect(await find(job.id)).toMatchObject({
    status: 'COMPLETED',
    finishedCount: 120,
    counts: { waiting: 0, decided: 120, invalid: 0, quotaExceeded: 0, failed: 0, canceled: 0 },
    finishedAt: NOON.toISOString(),
    expiresAt: new Date(NOON.getTime() + 7 * DAY_MS).toISOString(),
  })
  expect(trust.sources.requestedHosts.toSorted()).toEqual(domains(120).toSorted())
  expect(await decisions()).toBe(120)
  const results = await nodes(job.id)
  expect(results.map(({ index, target }: Data) => [index, target])).toEqual(domains(120).map((name, index) => [index, name]))
  expect([results[7], results[8].verdict.action]).toMatchObject([
    { status: 'DECIDED', verdict: { action: 'PROCEED' } },
    'SANDBOX',
  ])
  const text = 'query ($id: ID!) { decision(id: $id) { assessment { action } replay { identical } } }'
  const { data } = await trust.ask(text, { id: results[7].decisionId }, key.caller)
  expect(data.decision).toEqual({ assessment: { action: 'PROCEED' }, replay: { identical: true } })
})

test('interaction and policy of each input count, and an override of the key', async () => {
  trust.sources.setEvidence('pay.example.com', aGoodHost(NOON.getTime() / 1000))
  await trust.ask(
    'mutation { setOverride(input: { subject: "own.example.com", action: DENY, reason: "ours" }) { __typename } }',
    {},
    key.caller,
  )
  const { job } = await create([
    { domain: 'new.example.com', interaction: { kind: 'INITIATE_PAYMENT', sensitivity: 'CRITICAL' }, policy: 'STRICT' },
    'new.example.com',
    'own.example.com',
  ])
  await run()
  expect((await nodes(job.id)).map(({ verdict }: Data) => verdict.action)).toEqual(['ESCALATE_TO_HUMAN', 'SANDBOX', 'DENY'])
})

test('invalid targets are results at once, with their faults; paths are not kept longer than needed', async () => {
  const url = 'https://shop.example.com/reset?token=secret'
  const { job } = await create(['not a host', { target: { type: 'URL', value: url } }, 'a\0b', {}])
  expect(await find(job.id)).toMatchObject({ status: 'WAITING', finishedCount: 3, counts: { invalid: 3, waiting: 1 } })
  expect(
    (await nodes(job.id)).map(({ status, target, faults }: Data) => [status, target, faults.map(({ code }: Data) => code)]),
  ).toEqual([
    ['INVALID', 'not a host', ['host']],
    ['WAITING', url, []],
    ['INVALID', 'a\ufffdb', ['control_character']],
    ['INVALID', '', ['missing']],
  ])
  await run()
  expect((await nodes(job.id))[1]).toMatchObject({ status: 'DECIDED', target: 'https://shop.example.com/…' })
  const stored = JSON.stringify(await trust.sql('SELECT * FROM decision_job_target'))
  expect(stored).not.toContain('secret')
  const odd = await create([
    'ftp://a:b@example.com/reset?token=secret',
    'https://exa mple.com?token=secret',
    'htps:x/secret',
    'a b/',
  ])
  expect((await nodes(odd.job.id)).map(({ target }: Data) => target)).toEqual([
    'ftp://a:b@example.com/…',
    'https://exa mple.com/…',
    'htps:x/…',
    'a b/',
  ])
  expect(JSON.stringify(await trust.sql('SELECT * FROM decision_job_target'))).not.toContain('secret')
  const all = await create(['not a host'])
  expect(all.job).toMatchObject({ status: 'COMPLETED', finishedCount: 1, finishedAt: NOON.toISOString() })
})

test('a canceled job decides nothing more, keeps its results, and its inputs are gone', async () => {
  const open = Promise.withResolvers<void>()
  gate = open.promise
  const { job } = await create([...domains(50), 'not a host'])
  const running = run()
  await expect.poll(() => maxCollecting).toBe(20)
  expect((await find(job.id)).status).toBe('RUNNING')
  expect((await cancel(job.id)).job).toMatchObject({ status: 'CANCELED', counts: { waiting: 0, canceled: 50, invalid: 1 } })
  open.resolve()
  await running
  // Those that were being decided are no decisions and no scans.
  expect([await decisions(), (await nodes(job.id)).length]).toEqual([0, 1])
  expect(await find(job.id)).toMatchObject({ status: 'CANCELED', counts: { decided: 0 }, finishedCount: 1 })
  expect((await cancel(job.id)).job.status).toBe('CANCELED')
  expect(await trust.sql(`SELECT count(*) FROM decision_job_target WHERE input IS NOT NULL`)).toEqual([{ count: '0' }])
})

test('a process that dies loses nothing: another decides its targets after five minutes, once', async () => {
  const dying = aCopy()
  const open = Promise.withResolvers<void>()
  gate = open.promise
  const { job } = await create(domains(30))
  const first = dying.runJobs()
  await expect.poll(() => maxCollecting).toBe(10)
  gate = null
  // It stands still; the others do the rest.
  await run()
  const before = await find(job.id)
  expect(before).toMatchObject({ status: 'RUNNING', finishedCount: expect.any(Number) })
  expect(before.finishedCount).toBeLessThan(30)
  at = new Date(at.getTime() + 5 * MINUTE_MS)
  await run()
  expect(await find(job.id)).toMatchObject({ status: 'COMPLETED', counts: { decided: 30 } })
  // It was not dead, only late: what it finds is not stored and not counted.
  open.resolve()
  await first
  await dying.close()
  expect([await decisions(), (await find(job.id)).counts.decided]).toEqual([30, 30])
})

test('a process that stops ends what it has begun and leaves the rest to others', async () => {
  const stopping = aCopy()
  const open = Promise.withResolvers<void>()
  gate = open.promise
  const { job } = await create(domains(40))
  const running = stopping.runJobs()
  await expect.poll(() => maxCollecting).toBe(10)
  const closed = stopping.close()
  open.resolve()
  await Promise.all([running, closed])
  expect((await find(job.id)).counts).toMatchObject({ decided: 10, waiting: 30 })
  gate = null
  await run()
  expect(await find(job.id)).toMatchObject({ status: 'COMPLETED', counts: { decided: 40 } })
  expect(await decisions()).toBe(40)
})

test('a target that ends its process three times is given up, and the rest is decided', async () => {
  const { job } = await create(domains(2))
  await trust.sql('UPDATE decision_job_target SET attempts = 3 WHERE position = 0')
  await run()
  expect((await nodes(job.id)).map(({ status }: Data) => status)).toEqual(['FAILED', 'DECIDED'])
  expect(await find(job.id)).toMatchObject({ status: 'COMPLETED', counts: { failed: 1, decided: 1 } })
})

test('jobs take turns by key: a small one does not wait for the large ones of another', async () => {
  const other = await trust.aKey({ plan: 'unlimited' })
  await create(domains(60))
  await create(domains(60).map((name) => `x${name}`))
  const small = await create(
    domains(5).map((name) => `small-${name}`),
    { as: other },
  )
  await copies[0]?.runJobs()
  const order = trust.sources.requestedHosts
  // The first fetches are of both keys, although the other's job came last.
  expect(order.slice(0, 20).filter((name) => name.startsWith('small-')).length).toBe(5)
  expect((await find(small.job.id, other)).status).toBe('COMPLETED')
})

test('an interactive decision does not wait for a job, of which a process collects ten targets at once', async () => {
  const open = Promise.withResolvers<void>()
  gate = open.promise
  const { job } = await create(domains(100))
  const running = run()
  await expect.poll(() => maxCollecting).toBe(20)
  const { data } = await trust.ask('{ decide(input: { domain: "now.example.com" }) { __typename } }', {}, key.caller)
  expect([data.decide.__typename, (await find(job.id)).finishedCount]).toEqual(['DecisionMade', 0])
  open.resolve()
  await running
  expect(maxCollecting).toBe(20)
})

test('scans of a limited plan are counted as for other decisions, and a job never takes more', async () => {
  const free = await trust.aKey()
  expect((await create(domains(151), { as: free })).message).toBe(
    'Expected at most 150 valid targets, got 151: so many scans are left this month.',
  )
  const { job } = await create([...domains(149), 'not a host'], { as: free })
  // Two scans go elsewhere meanwhile.
  await trust.ask(
    '{ decideBatch(inputs: [{ domain: "a.example.com" }, { domain: "b.example.com" }, { domain: "c.example.com" }]) { __typename } }',
    {},
    free.caller,
  )
  await run()
  expect((await find(job.id, free)).counts).toMatchObject({ decided: 147, quotaExceeded: 2, invalid: 1 })
  expect((await trust.ask('{ trustUsage { used remaining } }', {}, free.caller)).data.trustUsage).toEqual({
    used: 150,
    remaining: 0,
  })
})

test('a key has a bounded number of running jobs, and of targets in a day', async () => {
  const free = await trust.aKey()
  const both = await Promise.all([create(['a.example.com'], { as: free }), create(['b.example.com'], { as: free })])
  expect(both.map(({ __typename }) => __typename).toSorted()).toEqual(['CreateDecisionJobSuccess', 'DecisionJobLimitReached'])
  await run()
  expect((await create(['c.example.com'], { as: free })).__typename).toBe('CreateDecisionJobSuccess')
  await trust.sql(`UPDATE decision_job SET targets = 99999 WHERE key_id = $1`, [key.row])
  await create(['a.example.com'])
  await trust.sql(`UPDATE decision_job SET targets = 99999 WHERE key_id = $1`, [key.row])
  expect((await create(['a.example.com', 'b.example.com'])).message).toMatch(/100,000 targets in jobs of this key in 24 hours/)
  at = new Date(at.getTime() + DAY_MS)
  expect((await create(['a.example.com', 'b.example.com'])).__typename).toBe('CreateDecisionJobSuccess')
})

test.each([
  [[], {}, 'inputs', 'count'],
  [Array.from({ length: 10_001 }, () => 'example.com'), {}, 'inputs', 'count'],
  [['example.com'], { idempotencyKey: '' }, 'idempotencyKey', 'text'],
  [['example.com'], { idempotencyKey: 'a\0b' }, 'idempotencyKey', 'text'],
  [['example.com'], { idempotencyKey: 'x'.repeat(101) }, 'idempotencyKey', 'text'],
])('a wrong request is refused, and the field is named (%#)', async (inputs, rest, field, code) => {
  expect((await create(inputs, rest)).faults).toEqual([{ field, code }])
})

test('the same idempotency key creates one job, also for requests at once, and another key has its own', async () => {
  const jobs = await Promise.all([1, 2, 3].map(() => create(['a.example.com'], { idempotencyKey: 'k' })))
  expect(new Set(jobs.map(({ job }) => job.id)).size).toBe(1)
  const other = await trust.aKey()
  expect((await create(['a.example.com'], { as: other, idempotencyKey: 'k' })).job.id).not.toBe(jobs[0].job.id)
})

test('the same idempotency key with other inputs is a conflict, also for requests at once, and creates no job', async () => {
  const { job } = await create(['a.example.com'], { idempotencyKey: 'k' })
  const conflict = { __typename: 'DecisionJobConflict', message: expect.stringContaining('"idempotencyKey"') }
  expect(await create(['b.example.com'], { idempotencyKey: 'k' })).toEqual(conflict)
  expect(await create(['a.example.com', 'b.example.com'], { idempotencyKey: 'k' })).toEqual(conflict)
  expect(await create([{ domain: 'a.example.com', policy: 'STRICT' }], { idempotencyKey: 'k' })).toEqual(conflict)
  expect((await create(['a.example.com'], { idempotencyKey: 'k' })).job.id).toBe(job.id)
  const both = await Promise.all(['c.example.com', 'd.example.com'].map((host) => create([host], { idempotencyKey: 'l' })))
  expect(both.map(({ __typename }) => __typename).toSorted()).toEqual(['CreateDecisionJobSuccess', 'DecisionJobConflict'])
  expect(await trust.sql('SELECT count(*)::int AS jobs FROM decision_job')).toEqual([{ jobs: 2 }])
})

test('another spelling of the same inputs is no conflict', async () => {
  const { job } = await create(['a.example.com', 'b.example.com'], { idempotencyKey: 'k' })
  const spelled = [
    { target: { value: 'a.example.com', type: 'DOMAIN' }, policy: 'BALANCED' },
    { domain: 'b.example.com', target: null, interaction: { sensitivity: 'MEDIUM', kind: 'FETCH', mode: null }, policy: null },
  ]
  expect((await create(spelled, { idempotencyKey: 'k' })).job?.id).toBe(job.id)
  const conflict = { __typename: 'DecisionJobConflict' }
  expect(await create(spelled.toReversed(), { idempotencyKey: 'k' })).toMatchObject(conflict)
  const asUrl = { target: { type: 'URL', value: 'a.example.com' } }
  expect(await create([asUrl, 'b.example.com'], { idempotencyKey: 'k' })).toMatchObject(conflict)
})

test('a job of an earlier version, which has no hash of its inputs, is found by its idempotency key', async () => {
  const { job } = await create(['a.example.com'], { idempotencyKey: 'k' })
  await trust.sql('UPDATE decision_job SET request_hash = NULL')
  expect((await create(['b.example.com'], { idempotencyKey: 'k' })).job.id).toBe(job.id)
})

test('a request that is sent again gets its job, although that has used all scans', async () => {
  const free = await trust.aKey()
  const { job } = await create(domains(150), { as: free, idempotencyKey: 'k' })
  await run()
  const again = await create(domains(150), { as: free, idempotencyKey: 'k' })
  expect(again).toMatchObject({ __typename: 'CreateDecisionJobSuccess', job: { id: job.id, counts: { decided: 150 } } })
})

test('a run that fails ends with all of its targets: the next one does not decide ten more at once', async () => {
  const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  gateOf = (host) => (host === 'n0.example.com' ? first.promise : others.promise)
  const { job } = await create(domains(30))
  const collectingAtEnd = copies[0]?.runJobs().catch(() => collecting)
  await expect.poll(() => maxCollecting).toBe(10)
  await trust.sql('ALTER TABLE decision_job RENAME COLUMN taken_at TO moved')
  first.resolve()
  await expect.poll(async () => (await find(job.id)).counts.decided).toBe(1)
  // Time to take the next one, which fails; nine are being decided.
  await sleep(500)
  others.resolve()
  const left = await collectingAtEnd
  await trust.sql('ALTER TABLE decision_job RENAME COLUMN moved TO taken_at')
  expect(left).toBe(0)
  await run()
  expect((await find(job.id)).status).toBe('COMPLETED')
})

test('a key sees and ends its own jobs only', async () => {
  const { job } = await create(['a.example.com'])
  const other = await trust.aKey()
  expect([await find(job.id, other), (await cancel(job.id, other)).__typename]).toEqual([null, 'DecisionJobNotFound'])
  const list = async (as: TestKey) =>
    (await trust.ask('{ decisionJobs { totalCount edges { node { id } } } }', {}, as.caller)).data.decisionJobs
  expect([await list(key), await list(other)]).toEqual([
    { totalCount: 1, edges: [{ node: { id: job.id } }] },
    { totalCount: 0, edges: [] },
  ])
  for (const query of ['decisionJob(id: "x") { id }', 'decisionJobs { totalCount }', 'decisionJobs(keyId: "x") { totalCount }'])
    expect((await trust.ask(`{ ${query} }`, {}, ANONYMOUS)).errors?.[0].extensions.code).toBe('UNAUTHENTICATED')
})

test('a revoked key ends its jobs; a deleted one takes them along', async () => {
  const { job } = await create(domains(3))
  await trust.sql('UPDATE api_key SET revoked_at = $2 WHERE id = $1', [key.row, at])
  await run()
  expect(trust.sources.requestedHosts).toEqual([])
  expect(await trust.sql('SELECT status, (SELECT count(*) FROM decision_job_target) FROM decision_job')).toEqual([
    { status: 'canceled', count: '0' },
  ])
  await trust.sql('DELETE FROM api_key WHERE id = $1', [key.row])
  expect(await trust.sql('SELECT id FROM decision_job')).toEqual([])
  expect(job.id).toBeTruthy()
})

test('results are read page by page in the order of inputs, also while the job runs', async () => {
  const { job } = await create(domains(5))
  const first = await resultsOf(job.id, { first: 2 })
  expect([first.totalCount, first.pageInfo.hasNextPage, first.edges.map(({ node }: Data) => node.status)]).toEqual([
    5,
    true,
    ['WAITING', 'WAITING'],
  ])
  const next = await resultsOf(job.id, { first: 1000, after: first.pageInfo.endCursor })
  expect(next.edges.map(({ node }: Data) => node.index)).toEqual([2, 3, 4])
})

test('jobs are deleted with their results a week after their end; a deleted decision leaves its result', async () => {
  const { job } = await create(['a.example.com'])
  const running = await create(['b.example.com'])
  await trust.sql(`UPDATE decision_job_target SET due_at = '2030-01-01' WHERE target = 'b.example.com'`)
  await run()
  await trust.sql('DELETE FROM decision WHERE key_id = $1', [key.row])
  expect((await nodes(job.id))[0]).toMatchObject({ status: 'DECIDED', decisionId: null, verdict: null, confidence: null })
  at = new Date(at.getTime() + 7 * DAY_MS)
  await copies[0]?.deleteOld()
  expect(await find(job.id)).not.toBeNull()
  at = new Date(at.getTime() + 1)
  await copies[0]?.deleteOld()
  expect([await find(job.id), (await find(running.job.id)).status]).toEqual([null, 'WAITING'])
})
