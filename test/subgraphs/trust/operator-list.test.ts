import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readListFile, writeListFile } from '../../../subgraphs/trust/operator-list/list-file.ts'
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
  for (const host of ['good.example.com', 'example.com', 'other.example.com', 'github.com'])
    trust.sources.setEvidence(host, aGoodHost(SECONDS))
  trust.sources.setEvidence('bad.example.net', aBadHost(SECONDS))
})
afterAll(() => trust.close())
beforeEach(async () => {
  at = NOON
  await trust.sql('DELETE FROM operator_list_entry')
  key = await trust.aKey()
})

const ADD = `mutation ($input: AddOperatorListEntriesInput!) { result: addOperatorListEntries(input: $input) { __typename
  ... on AddOperatorListEntriesSuccess { added replaced entries { id list scope target reason createdBy expiresAt hits lastHitAt } }
  ... on InvalidOperatorListEntries { faults { field code message } } } }`
const DECIDE = `query ($input: DecideInput!) { decide(input: $input) { ... on DecisionMade { decision { id assessment { action reasonCodes confidence
  override { reason } listEntry { id list scope host engineAction reason expiresAt } } replay { identical } } } } }`

type Entry = { target: string; scope?: string; reason?: string; expiresAt?: string }
async function add(list: string, entries: readonly Entry[], as = operator): Promise<Data> {
  const input = { list, entries: entries.map((entry) => ({ reason: 'Of the test.', ...entry })) }
  const { data, errors } = await trust.ask(ADD, { input }, as.caller)
  return data?.result ?? errors?.[0]
}
async function remove(id: string): Promise<Data> {
  const text = 'mutation ($id: ID!) { result: removeOperatorListEntry(id: $id) { __typename } }'
  const { data } = await trust.ask(text, { id }, operator.caller)
  return data.result.__typename
}
async function decide(value: string, as = key, ask = trust.ask): Promise<Data> {
  const { data, errors } = await ask(DECIDE, { input: { target: { type: 'URL', value } } }, as.caller)
  expect(errors).toBeUndefined()
  return data.decide.decision
}
const actionOf = async (value: string, as = key) => (await decide(value, as)).assessment.action

describe('a block', () => {
  test('denies for all keys at once, names its entry, and replays after it is gone', async () => {
    expect(await actionOf('good.example.com')).toBe('PROCEED')
    const { added, entries } = await add('BLOCK', [{ target: 'example.com', reason: 'An incident.' }])
    expect([added, entries[0].scope, entries[0].createdBy]).toEqual([1, 'DOMAIN', 'Ops'])
    const { id, assessment } = await decide('good.example.com')
    expect(assessment).toMatchObject({
      action: 'DENY',
      confidence: 1,
      override: null,
      listEntry: {
        id: entries[0].id,
        list: 'BLOCK',
        scope: 'DOMAIN',
        host: 'example.com',
        engineAction: 'PROCEED',
        reason: 'An incident.',
      },
    })
    expect(assessment.reasonCodes[0]).toBe('OPERATOR_BLOCK_LISTED')
    expect(await actionOf('other.example.com', await trust.aKey())).toBe('DENY')
    expect(await remove(entries[0].id)).toBe('RemoveOperatorListEntrySuccess')
    expect(await actionOf('good.example.com')).toBe('PROCEED')
    const again = await trust.ask(
      'query ($id: ID!) { decision(id: $id) { assessment { action } replay { identical } } }',
      { id },
      key.caller,
    )
    expect(again.data.decision).toEqual({ assessment: { action: 'DENY' }, replay: { identical: true } })
  })

  test('comes before an override, which comes before an allowance, which comes before feeds', async () => {
    const set = (action: string) =>
      trust.ask(
        'mutation ($input: SetOverrideInput!) { setOverride(input: $input) { __typename } }',
        { input: { subject: 'bad.example.net', action, reason: 'Ours.' } },
        key.caller,
      )
    expect(await actionOf('bad.example.net')).toBe('DENY')
    await add('ALLOW', [{ target: 'bad.example.net' }])
    const { assessment } = await decide('bad.example.net')
    expect([assessment.action, assessment.reasonCodes[0], assessment.listEntry.engineAction]).toEqual([
      'PROCEED',
      'OPERATOR_ALLOW_LISTED',
      'DENY',
    ])
    await set('SANDBOX')
    const own = (await decide('bad.example.net')).assessment
    expect([own.action, own.override, own.listEntry]).toEqual(['SANDBOX', { reason: 'Ours.' }, null])
    await set('PROCEED')
    await add('BLOCK', [{ target: 'bad.example.net' }])
    expect(await actionOf('bad.example.net')).toBe('DENY')
  })

  test.each([
    ['a domain, and all below it', { target: 'example.com' }, ['example.com', 'good.example.com'], ['github.com']],
    ['a host alone', { target: 'example.com', scope: 'HOST' }, ['example.com'], ['good.example.com']],
    [
      'a URL with any query',
      { target: 'https://github.com/ann/x' },
      ['http://www.github.com/ann/x?y=1#z'],
      ['https://github.com/ann/y', 'github.com'],
    ],
    [
      'a directory',
      { target: 'https://github.com/ann/' },
      ['https://github.com/ann/x/y'],
      ['https://github.com/bob/x', 'https://github.com/ann2/'],
    ],
  ])('covers %s', async (_, entry, covered, others) => {
    await add('BLOCK', [entry])
    for (const each of covered) expect([each, await actionOf(each)]).toEqual([each, 'DENY'])
    for (const each of others) expect([each, await actionOf(each)]).not.toEqual([each, 'DENY'])
  })

  test('gives way to a more exact allowance, and wins where both are equal', async () => {
    await add('BLOCK', [{ target: 'example.com' }])
    await add('ALLOW', [{ target: 'good.example.com' }])
    expect([await actionOf('good.example.com'), await actionOf('other.example.com')]).toEqual(['PROCEED', 'DENY'])
    await add('BLOCK', [{ target: 'good.example.com' }])
    expect(await actionOf('good.example.com')).toBe('DENY')
  })

  test('ends at its time', async () => {
    await add('BLOCK', [{ target: 'example.com', expiresAt: '2026-11-20T12:00:30Z' }])
    expect((await decide('example.com')).assessment.listEntry.expiresAt).toBe('2026-11-20T12:00:30.000Z')
    at = new Date(NOON.getTime() + 30_000)
    expect(await actionOf('example.com')).toBe('PROCEED')
  })

  test('applies to a short URL that leads to it', async () => {
    trust.sources.setEvidence('bit.ly', aGoodHost(SECONDS))
    trust.sources.redirects = {
      of: 'shorteners',
      follow: async () => ({ end: 'answered', urls: ['https://other.example.com/page'] }),
    }
    try {
      expect(await actionOf('https://bit.ly/x')).not.toBe('DENY')
      await add('BLOCK', [{ target: 'https://other.example.com/page' }])
      const { assessment, replay } = await decide('https://bit.ly/x')
      expect([assessment.action, assessment.listEntry.host, replay.identical]).toEqual(['DENY', 'other.example.com', true])
    } finally {
      delete trust.sources.redirects
    }
  })

  test('is seen by other processes within seconds', async () => {
    const other = trust.another({})
    expect((await decide('example.com', key, other)).assessment.action).toBe('PROCEED')
    await add('BLOCK', [{ target: 'example.com' }])
    const action = async () => (await decide('example.com', await trust.aKey(), other)).assessment.action
    await expect.poll(action, { timeout: 20_000, interval: 200 }).toBe('DENY')
  })
})

describe('an allowance of a URL', () => {
  test.each([
    ['https://bad.example.net/ann%2F', 'PREFIX'],
    ['https://bad.example.net/ann/b/..', 'PREFIX'],
    ['https://bad.example.net/ann/#top', 'PREFIX'],
    ['https://bad.example.net/ann%3F', 'URL'],
    ['https://bad.example.net/ann/?page=1', 'URL'],
  ])('%s has the scope of its canonical path: %s', async (target, scope) => {
    expect((await add('ALLOW', [{ target }])).entries).toMatchObject([{ scope }])
  })

  test('allows nothing below it', async () => {
    const ask = 'https://bad.example.net/go?folder=a/'
    await add('ALLOW', [{ target: ask }, { target: 'https://bad.example.net/ann/' }])
    const below = ['https://bad.example.net/go%3Ffolder=a/malware.exe', 'https://bad.example.net/ann/malware.exe']
    for (const each of [ask, ...below.slice(1)]) expect([each, await actionOf(each)]).toEqual([each, 'PROCEED'])
    // Entries that were made before directories were refused.
    await trust.sql("UPDATE operator_list_entry SET scope = 'url'")
    key = await trust.aKey()
    for (const each of below) expect([each, await actionOf(each)]).toEqual([each, 'DENY'])
    for (const each of [ask, 'https://bad.example.net/ann/']) expect([each, await actionOf(each)]).toEqual([each, 'PROCEED'])
  })
})

test('an allowance opens no private network', async () => {
  trust.sources.setEvidence('inside.example.org', {
    ...aGoodHost(SECONDS),
    dns: {
      status: 'ok',
      facts: {
        a: ['10.0.0.7'],
        aaaa: [],
        ns: [],
        mx: [],
        spf: null,
        dmarc: null,
        caa: [],
        cnames: [],
        dnssec: 'insecure',
        wildcard: false,
        ttlSeconds: 60,
        unanswered: [],
      },
    },
  })
  await add('ALLOW', [{ target: 'inside.example.org' }])
  expect(await actionOf('inside.example.org')).toBe('DENY')
})

test('a brand makes names like it look-alikes, but not its own, and the evidence names the entry', async () => {
  const young = { ...aBadHost(SECONDS), feeds: aGoodHost(SECONDS).feeds ?? { status: 'timeout' as const } }
  for (const host of ['quibblewerks.com', 'quibbleworks.com']) trust.sources.setEvidence(host, young)
  const before = await decide('quibblewerks.com')
  expect(before.assessment.reasonCodes).not.toContain('BRAND_LOOKALIKE')
  const { entries } = await add('BRAND', [{ target: 'quibbleworks.com' }])
  // The same key, which has had an answer.
  const after = await decide('quibblewerks.com')
  expect(after.assessment.reasonCodes).toContain('BRAND_LOOKALIKE')
  expect(after.replay.identical).toBe(true)
  expect((await decide('quibbleworks.com')).assessment.reasonCodes).not.toContain('BRAND_LOOKALIKE')
  const text = 'query ($id: ID!) { decision(id: $id) { audit { snapshot { sources { source facts } } } } }'
  const { data } = await trust.ask(text, { id: after.id }, key.caller)
  const facts = data.decision.audit.snapshot.sources.find(({ source }: Data) => source === 'popularity').facts
  expect(facts.neighbours).toContainEqual(expect.objectContaining({ name: 'quibbleworks.com', entry: expect.any(String) }))
  await remove(entries[0].id)
  expect((await decide('quibblewerks.com')).assessment.reasonCodes).not.toContain('BRAND_LOOKALIKE')
})

test('an expired brand neither hides a valid one with its label, nor is exempt from it', async () => {
  const young = { ...aBadHost(SECONDS), feeds: aGoodHost(SECONDS).feeds ?? { status: 'timeout' as const } }
  for (const host of ['quibbleworks-login.org', 'quibbleworks-login.com']) trust.sources.setEvidence(host, young)
  await add('BRAND', [{ target: 'quibbleworks.com' }])
  await trust.sql(`INSERT INTO operator_list_entry (list, scope, key, host, target, reason, created_by, created_at, expires_at)
    SELECT 'brand', 'domain', host, host, host, 'x', 'x', now(), '2026-11-19T12:00:00Z'
    FROM unnest('{quibbleworks.net,quibbleworks-login.com}'::text[]) AS host`)
  // Any change has the lists read again.
  await add('BRAND', [{ target: 'snorkelbank.com' }])
  for (const host of ['quibbleworks-login.org', 'quibbleworks-login.com'])
    expect([host, (await decide(host)).assessment.reasonCodes]).toEqual([host, expect.arrayContaining(['BRAND_LOOKALIKE'])])
})

test('hits are counted per entry and list, without waiting, and written by the end of the process', async () => {
  await add('BLOCK', [{ target: 'example.com' }, { target: 'github.com' }])
  const { caller } = await trust.aKey()
  const copy = await startTrustCopy()
  for (const value of ['example.com', 'good.example.com', 'github.com'])
    await copy.ask(DECIDE, { input: { target: { type: 'URL', value } } }, caller)
  await copy.close()
  const { data } = await trust.ask('{ operatorLists { list entries hits lastHitAt changedAt } }')
  expect(data.operatorLists[0]).toEqual({
    list: 'BLOCK',
    entries: 2,
    hits: 3,
    lastHitAt: '2026-11-20T12:00:00.000Z',
    changedAt: '2026-11-20T12:00:00.000Z',
  })
  const listed = await trust.ask(
    '{ operatorListEntries(list: BLOCK) { totalCount edges { node { target hits } } } }',
    {},
    operator.caller,
  )
  expect(listed.data.operatorListEntries).toEqual({
    totalCount: 2,
    edges: [{ node: { target: 'github.com', hits: 1 } }, { node: { target: 'example.com', hits: 2 } }],
  })
})
async function startTrustCopy() {
  const { trustSubgraph } = await import('../../../subgraphs/trust/subgraph.ts')
  const { default: pino } = await import('pino')
  const { graphql } = await import('graphql')
  const copy = await trustSubgraph({
    connection: trust.database.connection,
    log: pino({ level: 'silent' }),
    sources: trust.sources,
    now: () => at,
  })
  const ask = (source: string, variableValues: Record<string, unknown>, caller: TestKey['caller']) =>
    graphql({ schema: copy.schema, source, variableValues, contextValue: copy.context(caller) })
  return { ask, close: copy.close }
}

describe('authorization', () => {
  test('keys of callers are refused, by name', async () => {
    const refusal = { extensions: { code: 'FORBIDDEN' }, message: expect.stringContaining('Expected an API key of an operator') }
    expect(await add('BLOCK', [{ target: 'example.com' }], key)).toMatchObject(refusal)
    const { errors } = await trust.ask('{ operatorListEntries(list: BLOCK) { totalCount } }', {}, key.caller)
    expect(errors?.[0]).toMatchObject(refusal)
    const { errors: anonymous } = await trust.ask('{ operatorListEntries(list: BLOCK) { totalCount } }')
    expect(anonymous?.[0]).toMatchObject({ extensions: { code: 'UNAUTHENTICATED' } })
  })
})

describe('an invalid entry', () => {
  test.each([
    ['BLOCK', { target: 'co.uk' }, 'entries.1.target', 'public_suffix'],
    ['BLOCK', { target: '10.0.0.1' }, 'entries.1.target', 'private'],
    ['BLOCK', { target: 'ftp://example.com' }, 'entries.1.target', 'scheme'],
    ['BLOCK', { target: 'example.com', scope: 'URL' }, 'entries.1.target', 'scope'],
    ['BLOCK', { target: 'https://example.com/a', scope: 'PREFIX' }, 'entries.1.target', 'scope'],
    ['ALLOW', { target: 'https://example.com/a/', scope: 'URL' }, 'entries.1.target', 'scope'],
    ['ALLOW', { target: 'https://example.com/a%2F', scope: 'URL' }, 'entries.1.target', 'scope'],
    ['ALLOW', { target: 'https://example.com/a/b/..#c', scope: 'URL' }, 'entries.1.target', 'scope'],
    ['BLOCK', { target: 'https://example.com/1/2/3/4/5/6/7/8/9/' }, 'entries.1.target', 'scope'],
    ['ALLOW', { target: 'github.io' }, 'entries.1.target', 'shared_suffix'],
    ['BRAND', { target: 'www.example.com' }, 'entries.1.target', 'brand'],
    ['BLOCK', { target: 'example.org', reason: ' ' }, 'entries.1.reason', 'text'],
    ['BLOCK', { target: 'example.org', expiresAt: '2020-01-01T00:00:00Z' }, 'entries.1.expiresAt', 'past'],
  ])('of %s is named: %o, and nothing is added', async (list, entry, field, code) => {
    const { __typename, faults } = await add(list, [{ target: 'example.com' }, entry])
    expect([__typename, faults[0].field, faults[0].code]).toEqual(['InvalidOperatorListEntries', field, code])
    expect(await trust.sql('SELECT id FROM operator_list_entry')).toEqual([])
  })

  test('too many at once and too many in all are refused', async () => {
    expect(
      await add(
        'BLOCK',
        Array.from({ length: 501 }, () => ({ target: 'example.com' })),
      ),
    ).toMatchObject({
      extensions: { code: 'BAD_USER_INPUT' },
    })
    await trust.sql(`INSERT INTO operator_list_entry (list, scope, key, host, target, reason, created_by, created_at)
      SELECT 'brand', 'domain', 'b' || n || '.com', 'b' || n || '.com', 'b' || n || '.com', 'x', 'x', now() FROM generate_series(1, 1000) AS n`)
    const { faults } = await add('BRAND', [{ target: 'example.com' }])
    expect(faults).toEqual([{ field: 'entries', code: 'too_many', message: 'Expected at most 1000 entries: remove some first.' }])
    expect((await add('BRAND', [{ target: 'b7.com' }])).replaced).toBe(1)
  })
})

describe('a file', () => {
  const DEFAULTS = { reason: 'Imported.', scope: null, expiresAt: null }
  const targets = (text: string) => readListFile(text, DEFAULTS)?.map(({ input }) => input?.target ?? null)

  test('may be lines, a hosts file, rules, CSV or JSON', () => {
    expect(targets('# list\nevil.example.net\nhxxps://bad[.]example.org/x\n\n')).toEqual([
      'evil.example.net',
      'https://bad.example.org/x',
    ])
    expect(targets('0.0.0.0 ads.example.net # no\n127.0.0.1 localhost\n')).toEqual(['ads.example.net'])
    expect(targets('||ads.example.net^\nnot a name\n')).toEqual(['ads.example.net', null])
    // Names of columns are no entry; a first line that cannot be read is not taken for them.
    expect(targets('url,added\nads.example.net,today\n')).toEqual(['ads.example.net'])
    expect(targets('co.uk\nads.example.net\n')).toEqual([null, 'ads.example.net'])
    expect(targets('["a.example.net", {"domain": "b.example.net"}]')).toEqual(['a.example.net', 'b.example.net'])
    expect(targets('{"no": "list"}')).toBeUndefined()
    expect(
      readListFile(
        'target,reason,scope,expires_at\nx.example.net,"Why, oh",host,2030-01-01T00:00:00Z\ny.example.net,,nonsense,\n',
        DEFAULTS,
      ),
    ).toEqual([
      {
        location: 'line 2',
        input: { target: 'x.example.net', reason: 'Why, oh', scope: 'host', expiresAt: new Date('2030-01-01T00:00:00Z') },
      },
      { location: 'line 3', input: null },
    ])
  })

  test('that was exported is read back as it was', () => {
    const entry = {
      id: '1',
      list: 'block',
      scope: 'url',
      key: 'k',
      host: 'example.com',
      target: 'https://example.com/a,"b"',
      reason: 'Two\nlines, "quoted"',
      createdBy: 'Ops',
      createdAt: NOON,
      expiresAt: new Date('2030-01-01T00:00:00Z'),
      hits: 3,
      lastHitAt: null,
    } as const
    const input = { target: entry.target, scope: entry.scope, expiresAt: entry.expiresAt }
    expect(readListFile(writeListFile([entry], 'csv'), DEFAULTS)?.[0]?.input).toEqual({ ...input, reason: 'Two lines, "quoted"' })
    expect(readListFile(writeListFile([entry], 'json'), DEFAULTS)?.[0]?.input).toEqual({ ...input, reason: entry.reason })
    for (const reason of ['=HYPERLINK("https://evil.example")', "'=1+1", '-', "'tis ours", ' blank ']) {
      const csv = writeListFile([{ ...entry, reason }], 'csv')
      expect(csv).not.toMatch(/(?:^|,)"?[=+@-]/m)
      expect(readListFile(csv, DEFAULTS)?.[0]?.input?.reason).toBe(reason.trim())
    }
  })
})
