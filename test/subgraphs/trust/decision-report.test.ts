import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aBadHost, aGoodHost, type Data, startTrust, type TestKey, type Trust } from './support/trust.ts'

const NOON = new Date('2026-11-20T12:00:00Z')
const SECONDS = NOON.getTime() / 1000
let at = NOON
let trust: Trust
let operator: TestKey
let key: TestKey
beforeAll(async () => {
  trust = await startTrust(() => at)
  operator = await trust.aKey({ plan: 'unlimited', name: 'Ops', role: 'operator' })
  trust.sources.setEvidence('bad.example.net', aBadHost(SECONDS))
  trust.sources.setEvidence('good.example.com', aGoodHost(SECONDS))
})
afterAll(() => trust.close())
beforeEach(async () => {
  at = NOON
  key = await trust.aKey()
})

const REPORT = `id decisionId host action kind expectedAction text status answer createdAt resolvedAt`
const SEND = `mutation ($input: ReportDecisionInput!) { result: reportDecision(input: $input) { __typename
  ... on ReportDecisionSuccess { report { ${REPORT} } } ... on InvalidDecisionReport { faults { field code } } } }`
const RESOLVE = `mutation ($input: ResolveDecisionReportInput!) { result: resolveDecisionReport(input: $input) { __typename
  ... on ResolveDecisionReportSuccess { report { ${REPORT} } entry { list target } } ... on InvalidDecisionReport { faults { field code } } } }`

async function decide(domain: string, as = key): Promise<Data> {
  const text =
    'query ($input: DecideInput!) { decide(input: $input) { ... on DecisionMade { decision { id assessment { action } } } } }'
  return (await trust.ask(text, { input: { domain } }, as.caller)).data.decide.decision
}
async function send(decisionId: string, more: Record<string, unknown> = {}, as = key): Promise<Data> {
  const input = { decisionId, kind: 'FALSE_POSITIVE', text: ' Ours. ', ...more }
  const { data, errors } = await trust.ask(SEND, { input }, as.caller)
  return data?.result ?? errors?.[0]
}
async function resolve(id: string, more: Record<string, unknown> = {}, as = operator): Promise<Data> {
  const input = { id, isAccepted: true, answer: 'You are right.', ...more }
  const { data, errors } = await trust.ask(RESOLVE, { input }, as.caller)
  return data?.result ?? errors?.[0]
}
/** Fifty reports of a key today, about copies of a decision. */
async function fillReports(decisionId: string, as = key): Promise<void> {
  await trust.sql(
    `INSERT INTO decision (id, key_id, created_at, request_hash, judgement_id, elapsed_ms)
    SELECT 'dec_' || $1 || n, key_id, created_at, request_hash, judgement_id, 0 FROM decision, generate_series(1, 50) AS n WHERE id = $2`,
    [as.row, decisionId],
  )
  await trust.sql(
    `INSERT INTO decision_report (key_id, decision_id, kind, text, host, action, created_at)
    SELECT key_id, id, 'false_positive', 'x', 'h', 'deny', $2 FROM decision WHERE key_id = $1 AND id LIKE 'dec_' || $1 || '%' AND elapsed_ms = 0 AND length(id) < 30`,
    [as.row, NOON],
  )
}
const scansUsed = async (): Promise<number> => (await trust.ask('{ trustUsage { used } }', {}, key.caller)).data.trustUsage.used

const reportsOf = async (as: TestKey, field = 'decisionReports'): Promise<Data> =>
  (await trust.ask(`{ page: ${field} { totalCount edges { node { ${REPORT} } } } }`, {}, as.caller)).data?.page

test('a report is stored with its decision, answered with an entry of a list, and its owner sees what became of it', async () => {
  const { id } = await decide('bad.example.net')
  const { report } = await send(id)
  expect(report).toMatchObject({
    decisionId: id,
    host: 'bad.example.net',
    action: 'DENY',
    kind: 'FALSE_POSITIVE',
    expectedAction: null,
    text: 'Ours.',
    status: 'OPEN',
    answer: null,
    resolvedAt: null,
  })
  expect((await reportsOf(operator, 'allDecisionReports')).edges[0].node).toEqual(report)
  at = new Date(NOON.getTime() + 1_000)
  const entry = { target: 'bad.example.net', reason: 'Reported.' }
  const answered = await resolve(report.id, { list: 'ALLOW', entry })
  expect([answered.report.status, answered.entry]).toEqual(['ACCEPTED', { list: 'ALLOW', target: 'bad.example.net' }])
  expect(await reportsOf(key)).toEqual({
    totalCount: 1,
    edges: [{ node: { ...report, status: 'ACCEPTED', answer: 'You are right.', resolvedAt: '2026-11-20T12:00:01.000Z' } }],
  })
  expect((await decide('bad.example.net')).assessment.action).toBe('PROCEED')
  await trust.sql('DELETE FROM operator_list_entry')
})

test('an entry that does not fit leaves the report open', async () => {
  const { report } = await send((await decide('bad.example.net')).id)
  const entry = { target: 'github.io', reason: 'x' }
  expect((await resolve(report.id, { list: 'ALLOW', entry })).faults).toEqual([{ field: 'entry.target', code: 'shared_suffix' }])
  await trust.sql(`INSERT INTO operator_list_entry (list, scope, key, host, target, reason, created_by, created_at)
    SELECT 'brand', 'domain', 'b' || n || '.com', 'b' || n || '.com', 'b' || n || '.com', 'x', 'x', now() FROM generate_series(1, 1000) AS n`)
  const brand = { list: 'BRAND', entry: { target: 'example.com', reason: 'x' } }
  expect((await resolve(report.id, brand)).faults).toEqual([{ field: 'entry', code: 'too_many' }])
  await trust.sql('DELETE FROM operator_list_entry')
  expect((await reportsOf(key)).edges[0].node.status).toBe('OPEN')
  expect((await resolve(report.id, { isAccepted: false, list: 'ALLOW', entry })).faults[0].code).toBe('rejected')
  expect((await resolve(report.id, { list: 'ALLOW' })).faults[0].code).toBe('pair')
  expect((await resolve(report.id, { answer: ' ' })).faults).toEqual([{ field: 'answer', code: 'text' }])
  expect((await resolve(report.id, { isAccepted: false })).report.status).toBe('REJECTED')
  expect((await resolve(report.id)).faults).toEqual([{ field: 'id', code: 'not_open' }])
})

describe('a report of a target', () => {
  const ofTarget = (target: string, more: Record<string, unknown> = {}, as = key) =>
    send('', { decisionId: null, target, ...more }, as)

  test('decides it for the key, expects another action, and stores no path of a URL', async () => {
    const text =
      'See HTTPS://good.example.com/private?token=1 and http://good.example.com. Not hxxps://ann:s@cret@good.example.com:8443?x=1 nor http://good.example.com\\private'
    const sent = await ofTarget('https://good.example.com/a/b', {
      kind: 'FALSE_NEGATIVE',
      expectedAction: 'DENY',
      text,
    })
    expect(sent.report).toMatchObject({ host: 'good.example.com', expectedAction: 'DENY', status: 'OPEN' })
    expect(sent.report.text).toBe(
      'See HTTPS://good.example.com/… and http://good.example.com. Not hxxps://good.example.com:8443?… nor http://good.example.com\\…',
    )
    expect(await scansUsed()).toBe(1)
    const ofDecision = `query ($id: ID!) { decisionReports(decisionId: $id) { totalCount } }`
    expect((await trust.ask(ofDecision, { id: sent.report.decisionId }, key.caller)).data.decisionReports.totalCount).toBe(1)
    expect((await trust.ask(ofDecision, { id: 'dec_\0' }, key.caller)).data.decisionReports.totalCount).toBe(0)
  })

  test('is refused while one of its host and kind is open, without a scan', async () => {
    const { report } = await ofTarget('bad.example.net')
    expect((await ofTarget('BAD.example.net.')).faults).toEqual([{ field: 'target', code: 'reported' }])
    expect(await scansUsed()).toBe(1)
    expect((await ofTarget('bad.example.net', {}, await trust.aKey())).__typename).toBe('ReportDecisionSuccess')
    await resolve(report.id)
    expect((await ofTarget('bad.example.net')).__typename).toBe('ReportDecisionSuccess')
  })

  test('is one of several that are sent at once', async () => {
    const sent = await Promise.all(Array.from({ length: 3 }, () => ofTarget('bad.example.net')))
    expect(sent.map(({ __typename }) => __typename).toSorted()).toEqual([
      'InvalidDecisionReport',
      'InvalidDecisionReport',
      'ReportDecisionSuccess',
    ])
    expect(sent.flatMap(({ faults = [] }) => faults)).toEqual(Array(2).fill({ field: 'target', code: 'reported' }))
    expect((await reportsOf(key)).totalCount).toBe(1)
  })

  test('is refused with an invalid target, with a decision too, without scans, and with an action that is no better', async () => {
    expect((await ofTarget('a b')).faults[0].field).toBe('target')
    expect((await ofTarget('good.example.com', { decisionId: 'dec_1' })).faults[0].code).toBe('one_of')
    expect((await send('', { decisionId: null })).faults[0].code).toBe('one_of')
    const { id } = await decide('bad.example.net')
    for (const [kind, expectedAction] of [
      ['FALSE_POSITIVE', 'DENY'],
      ['FALSE_NEGATIVE', 'PROCEED'],
    ]) {
      const faults = [{ field: 'expectedAction', code: 'not_different' }]
      expect((await send(id, { kind, expectedAction })).faults).toEqual(faults)
      expect((await ofTarget('good.example.com', { kind, expectedAction })).faults).toEqual(faults)
    }
    expect(await scansUsed()).toBe(1)
    await trust.sql('UPDATE scan_count SET scans = 150 WHERE key_id = $1', [key.row])
    expect((await ofTarget('good.example.com')).faults).toEqual([{ field: 'target', code: 'quota_exceeded' }])
  })
})

test('figures of reports are read once in five seconds', async () => {
  const open = async () => (await trust.ask('{ s: decisionReportStats { open } }', {})).data.s.open
  at = new Date(NOON.getTime() + 3_600_000)
  await trust.sql('DELETE FROM decision_report')
  expect(await open()).toBe(0)
  await send((await decide('bad.example.net')).id)
  at = new Date(at.getTime() + 4_999)
  expect(await open()).toBe(0)
  at = new Date(at.getTime() + 1)
  expect(await open()).toBe(1)
})

test('figures of reports name the feeds with false positives, and no report', async () => {
  const stats = async (minutes: number) => {
    at = new Date(NOON.getTime() + minutes * 60_000)
    return (
      await trust.ask('{ s: decisionReportStats { open oldestOpenAt accepted rejected feeds { feed reported accepted } } }', {})
    ).data.s
  }
  await trust.sql('DELETE FROM decision_report')
  expect(await stats(1)).toEqual({ open: 0, oldestOpenAt: null, accepted: 0, rejected: 0, feeds: [] })
  at = NOON
  const { report } = await send((await decide('bad.example.net')).id)
  const other = await trust.aKey()
  await send((await decide('bad.example.net', other)).id, {}, other)
  await send((await decide('good.example.com')).id, { kind: 'FALSE_NEGATIVE' })
  await resolve(report.id)
  const feed = { reported: 2, accepted: 1 }
  expect(await stats(2)).toEqual({
    open: 2,
    oldestOpenAt: NOON.toISOString(),
    accepted: 1,
    rejected: 0,
    feeds: ['openphish', 'urlhaus'].map((name) => ({ feed: name, ...feed })),
  })
})

describe('a report is refused', () => {
  test('of a decision of another key, a second time, without a text or with too long a one', async () => {
    const { id } = await decide('good.example.com')
    expect((await send(id, {}, await trust.aKey())).faults).toEqual([{ field: 'decisionId', code: 'not_found' }])
    expect((await send('dec_\0')).faults).toEqual([{ field: 'decisionId', code: 'not_found' }])
    for (const text of [' ', 'x'.repeat(2_001), 'a\0b'])
      expect((await send(id, { text })).faults).toEqual([{ field: 'text', code: 'text' }])
    expect((await send(id)).__typename).toBe('ReportDecisionSuccess')
    expect((await send(id)).faults).toEqual([{ field: 'decisionId', code: 'reported' }])
  })

  test('beyond fifty in 24 hours', async () => {
    const { id } = await decide('good.example.com')
    await fillReports(id)
    const used = await scansUsed()
    const ofTarget = { decisionId: null, target: 'https://bad.example.net/' }
    expect((await send('', ofTarget)).faults).toEqual([{ field: 'target', code: 'too_many' }])
    expect(await scansUsed()).toBe(used)
    expect((await send(id)).faults).toEqual([{ field: 'decisionId', code: 'too_many' }])
    at = new Date(NOON.getTime() + 86_400_000)
    expect((await send(id)).__typename).toBe('ReportDecisionSuccess')
  })
})

test('other keys neither see nor answer reports, and a deleted decision takes its report with it', async () => {
  const { id } = await decide('good.example.com')
  const { report } = await send(id)
  expect((await reportsOf(await trust.aKey())).totalCount).toBe(0)
  expect((await resolve(report.id, {}, key)).extensions.code).toBe('FORBIDDEN')
  expect(await reportsOf(key, 'allDecisionReports')).toBeUndefined()
  await trust.sql('DELETE FROM decision WHERE id = $1', [id])
  expect((await reportsOf(key)).totalCount).toBe(0)
})
