import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeId } from '../../subgraphs/toolkit/ids.ts'
import { aBadHost, aGoodHost, snapshotAbout, startTrust, type Trust } from '../subgraphs/trust/support/trust.ts'
import { runAtrium } from '../support/command-line.ts'

const ATRIUM = join(import.meta.dirname, '../../cli/atrium.ts')
const folder = mkdtempSync(join(tmpdir(), 'atrium-trust-'))

let trust: Trust
beforeAll(async () => {
  trust = await startTrust()
})
afterAll(async () => {
  await trust.close()
  rmSync(folder, { recursive: true })
})

const environmentOf = (variables: Readonly<Record<string, string>>) => ({
  ...process.env,
  DATABASE_URL: (trust.database.connection as { connectionString: string }).connectionString,
  LOG_LEVEL: 'silent',
  TRUST_LISTS: 'none',
  TRUST_DNS_SERVERS: '127.0.0.1:9',
  ...variables,
})

/** Starts `npx atrium …` on the database of this test, without a network to ask. */
function started(words: readonly string[], variables: Readonly<Record<string, string>> = {}, input: Iterable<Buffer> = []) {
  const child = spawn(process.execPath, [ATRIUM, ...words], { env: environmentOf(variables) })
  // A program may end before it has read everything.
  pipeline(Readable.from(input), child.stdin).catch(() => {})
  return child
}
const atrium = (...words: string[]) => runAtrium(['trust', ...words], environmentOf({}))

async function ended(child: ReturnType<typeof started>) {
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ])
  return { out, err, code }
}
const works = async (secret: string) => {
  const caller = { requestId: 'r', address: '127.0.0.1', credentials: { 'x-api-key': secret } }
  return (await trust.ask('{ trustUsage { plan } }', {}, caller)).data?.trustUsage?.plan ?? null
}

// Starts the program a dozen times.
test('a key is made, listed, rotated and revoked, and shown only once', { timeout: 90_000 }, async () => {
  const made = await atrium('key', 'create', '--plan', 'free', '--name', 'Ann', '--json')
  expect([made.code, made.err]).toEqual([0, ''])
  const { key, id, plan } = JSON.parse(made.out)
  expect([key, plan]).toEqual([expect.stringMatching(/^sk_[\w-]{43}$/), 'free'])
  expect(await works(key)).toBe('FREE')

  const list = await atrium('key', 'list')
  expect(list.out).toContain('Ann')
  expect(list.out).not.toContain(key)

  const rotated = (await atrium('key', 'rotate', id)).out.trim()
  expect([await works(key), await works(rotated)]).toEqual([null, 'FREE'])
  const rotatedTwice = JSON.parse((await atrium('key', 'rotate', id, '--grace-hours', '1', '--json')).out).key
  expect([await works(rotated), await works(rotatedTwice)]).toEqual(['FREE', 'FREE'])

  expect((await atrium('key', 'revoke', id)).out).toBe('"Ann" is revoked.\n')
  expect([await works(rotated), await works(rotatedTwice)]).toEqual([null, null])
  expect((await atrium('key', 'rotate', id)).err).toBe(`There is no active key with the id "${id}".\n`)
  expect(await atrium('key', 'revoke', '7')).toMatchObject({
    code: 1,
    err: 'Expected the id of a key as `atrium trust key list` shows it, got "7".\n',
  })
  expect((await atrium('key', 'create', '--plan', 'golden')).code).toBe(2)
})

test('check decides without a network and says how little that is worth', async () => {
  const { out, code } = await atrium('check', 'https://Quiet-Garden-Of-Mine.net/path', '--explain')
  expect(code).toBe(0)
  expect(out).toMatch(/^quiet-garden-of-mine\.net\n\n {2}SANDBOX/)
  expect(out).toMatch(/trust +[█░]{24} +0 /)
  expect(out).toContain('Uncertainty: high')
  expect(out).toContain('DNS is unavailable')
  expect(out).toMatch(/policy open +PROCEED WITH CAUTION/)
  expect(out).toMatch(/Points[\s\S]*Policy +p_/)
  expect(JSON.parse((await atrium('check', 'localhost', '--json')).out)).toMatchObject({
    action: 'deny',
    target: { host: 'localhost' },
  })
  expect(await atrium('check', 'ftp://example.com')).toMatchObject({ code: 1, err: 'Expected the scheme to be http or https.\n' })
})

test('keys of a user are listed and revoked by its id, and names of strangers do not move the cursor', {
  timeout: 60_000,
}, async () => {
  const owner = encodeId('User', '7')
  const { row, secret } = await trust.aKey({ name: 'Eve\u001b[2J\u202e' })
  await trust.sql('UPDATE api_key SET owner_id = $1 WHERE id = $2', [owner, row])
  const list = await atrium('key', 'list', '--owner', owner)
  expect(list).toMatchObject({ code: 0, out: expect.stringMatching(/ {2}Eve \[2J \n$/) })
  expect(list.out.split('\n')).toHaveLength(2)
  expect(await atrium('key', 'revoke', '--owner', owner)).toMatchObject({ code: 0, out: 'Keys revoked: 1.\n' })
  expect(await works(secret)).toBeNull()
  expect((await atrium('key', 'revoke', encodeId('ApiKey', row))).out).toBe('"Eve [2J " is revoked.\n')
  expect((await atrium('key', 'revoke', '--owner', 'ann@example.org')).code).toBe(2)
  expect(await atrium('key', 'revoke')).toMatchObject({ code: 1, err: 'Expected the id of a key or --owner.\n' })
})

test('what would change a decision is only what would', async () => {
  const wouldChange = async (target: string) =>
    (await atrium('check', target)).out
      .split('Alternatives\n')[1]
      ?.split('\n\n')[0]
      ?.split('\n')
      .map((line) => line.trim())
  expect(await wouldChange('localhost')).toEqual(['nothing: the form of the target decides'])
  expect(await wouldChange('a.onion')).toEqual(['nothing: the form of the target decides'])
  // The lists of this installation are none, and no other source knows addresses.
  expect((await wouldChange('8.8.8.8'))?.at(-1)).toBe('evidence of feeds (skipped)')
  expect((await wouldChange('example.com'))?.at(-1)).toMatch(/^evidence of .*dns \((failed|timeout)\)/)

  const at = Math.floor(Date.now() / 1000)
  const { engine } = await import('../../subgraphs/trust/assessment/engine.ts')
  const { defaultRequest } = await import('../../subgraphs/trust/assessment/assess.ts')
  const { decisionAsText } = await import('../../cli/trust/decision-text.ts')
  const found = engine.normalise('domain', 'example.com')
  if (found.kind === 'invalid') throw new Error(found.message)
  const request = defaultRequest(found.target)
  const skipped = (reason: 'no_service' | 'not_configured') => ({ status: 'skipped', reason }) as const
  const goodEvidence = { ...aGoodHost(at), rdap: skipped('no_service'), ct: skipped('not_configured') }
  const decision = engine.decide(snapshotAbout('example.com', at, goodEvidence), request, engine.policyVersion, null)
  // A registry that does not exist will not answer.
  expect(decisionAsText(decision, request, () => decision.action, { isExplained: false })).toContain(
    'Alternatives\n    evidence of ct (skipped)\n',
  )
})

test('a pipe that closes before the end of the output is no error', async () => {
  for (const words of [['trust', 'check', 'localhost', '--explain'], ['--help'], ['trust', 'check', 'localhost', '--json']]) {
    const child = started(words)
    child.stdout.destroy()
    const [err, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    expect([words, err, code]).toEqual([words, '', 0])
  }
})

test('feeds refresh says what is not due, and ends with 1 while a list has no copy', { timeout: 30_000 }, async () => {
  const refresh = (...words: string[]) =>
    ended(started(['trust', 'feeds', 'refresh', ...words], { TRUST_LISTS: 'urlhaus,openphish' }))
  const first = await refresh()
  expect([first.code, first.err]).toEqual([1, 'There is no copy of urlhaus, openphish.\n'])
  expect(first.out).toMatch(/^urlhaus +down +\S/m)
  expect(first.out).not.toContain('not due')
  const second = await refresh()
  expect(second.code).toBe(1)
  expect(second.out).toMatch(/^urlhaus +down +\S.*; not due until 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m)

  await trust.sql("UPDATE list SET edition = 1, version = 'v', as_of = now(), fetched_at = now()")
  const copied = await refresh('--json')
  expect([copied.code, copied.err]).toEqual([0, ''])
  expect(JSON.parse(copied.out)).toContainEqual({
    name: 'openphish',
    state: 'up',
    reason: expect.any(String),
    notDueUntil: expect.stringMatching(/^20.*Z$/),
  })
  expect((await atrium('feeds', 'refresh')).code).toBe(0)
})

test('feeds status lists what there is', async () => {
  const states = JSON.parse((await atrium('feeds', 'status', '--json')).out)
  expect(states.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['rdap', 'dns', 'tls', 'feeds']))
  // A server has its own state of what this command does not try; lists are in the database.
  expect(states).toContainEqual({ name: 'rdap', state: 'untried', reason: expect.stringContaining('/ready') })
})

test('evaluate counts actions by label, and shows the worst misses', async () => {
  const at = 1_790_000_000
  const file = join(folder, 'names.jsonl')
  const rows = [
    { host: 'good.example.com', label: 'benign', snapshot: snapshotAbout('good.example.com', at, aGoodHost(at)) },
    { host: 'listed.example.com', label: 'benign', snapshot: snapshotAbout('listed.example.com', at, aBadHost(at)) },
    { host: 'bad.example.com', label: 'phishing', snapshot: snapshotAbout('bad.example.com', at, aBadHost(at)) },
    { host: 'no host', label: 'phishing' },
  ]
  writeFileSync(file, rows.map((row) => JSON.stringify(row)).join('\n'))
  const { table, misses } = JSON.parse((await atrium('evaluate', file, '--json')).out)
  expect(table.map(({ label, counts }: { label: string; counts: object }) => [label, counts])).toMatchObject([
    ['benign', { proceed: 1, deny: 1, refused: 0 }],
    ['phishing', { deny: 1, refused: 1 }],
  ])
  expect(table[1].names).toEqual({ BRAND_LOOKALIKE: 0, BRAND_MISMATCH: 0, IDN_HOMOGRAPH: 0, suspected: 1 })
  expect(misses[0].worst[0]).toMatchObject({ host: 'listed.example.com', action: 'deny' })
  expect((await atrium('evaluate', file)).out).toMatch(/benign +50\.0 %/)
  writeFileSync(file, `\uFEFF${JSON.stringify(rows[0])}`)
  expect(JSON.parse((await atrium('evaluate', file, '--json')).out).table).toMatchObject([{ counts: { proceed: 1 } }])
  writeFileSync(file, `\uFEFF${JSON.stringify([rows[0]])}`)
  expect((await atrium('evaluate', file)).code).toBe(0)

  const stored = snapshotAbout('good.example.com', at, aGoodHost(at))
  for (const sources of [{}, { ...stored.sources, rdap: {} }, { ...stored.sources, dns: { ...stored.sources.dns, facts: {} } }]) {
    writeFileSync(file, JSON.stringify({ ...rows[0], snapshot: { ...stored, sources } }))
    const { code, out, err } = await atrium('evaluate', file)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^[^\n]*Expected[^\n]*snapshot[^\n]*as decisions store it[^\n]*\n$/)
  }
  writeFileSync(file, '{"host": 5}')
  expect((await atrium('evaluate', file)).err).toContain('line 1: Expected {host, label} as strings')
})

test('evaluate compares decisions with the expectations of cases, and exits with 1 on a wrong one', async () => {
  const file = join(folder, 'cases.json')
  const timeout = { status: 'timeout' }
  const evidence = {
    collectedAt: '2026-11-20T12:00:00Z',
    rdap: timeout,
    dns: timeout,
    tls: timeout,
    ct: timeout,
    feeds: timeout,
    popularity: timeout,
  }
  const aCase = (name: string, domain: string, wanted: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
    name,
    domain,
    evidence,
    interaction: { kind: 'fetch', mode: 'read_only', sensitivity: 'medium' },
    policy: 'balanced',
    expect: {
      actions: ['sandbox'],
      mustNot: ['deny'],
      mustHaveCodes: [],
      anyOfCodes: [],
      mustNotCodes: [],
      why: 'so',
      ...wanted,
    },
    ...more,
  })
  const right = [
    aCase('unknown', 'quiet-garden.net', { mustHaveCodes: ['SPARSE_EVIDENCE', 'DNS_UNAVAILABLE'], uncertainty: 'high' }),
    aCase('refused', 'not a host', { http: [422] }, { evidence: null }),
    aCase('strict', 'quiet-garden.net', { actions: ['escalate_to_human'] }, { policy: 'strict' }),
    aCase(
      'another registration',
      'quiet-garden.net',
      { anyOfCodes: [['X', 'SPARSE_EVIDENCE']] },
      {
        evidence: { ...evidence, rdap: { status: 'ok', json: { objectClassName: 'domain', ldhName: 'other.net' } } },
      },
    ),
    aCase(
      'overridden',
      'quiet-garden.net',
      { actions: ['deny'], mustNot: [], mustHaveCodes: ['CALLER_OVERRIDE_APPLIED'] },
      {
        override: { action: 'deny', reason: 'Ours to say.', expires: '2026-12-01T00:00:00Z' },
      },
    ),
  ]
  writeFileSync(file, JSON.stringify(right))
  expect(await atrium('evaluate', file)).toMatchObject({
    code: 0,
    out: '5 of 5 cases in their allowed actions and codes, 0 with a forbidden action.\nGiven: proceed 0, proceed_with_caution 0, sandbox 2, escalate_to_human 1, deny 1, refused 1.\n',
  })

  const wrong = [
    aCase('must not', 'localhost', { actions: ['sandbox'] }),
    aCase('wrong codes', 'quiet-garden.net', {
      mustHaveCodes: ['X'],
      anyOfCodes: [['Y', 'Z']],
      mustNotCodes: ['SPARSE_EVIDENCE'],
      uncertainty: 'low',
    }),
    aCase('not to be refused', 'not a host', {}),
  ]
  writeFileSync(file, [...right, ...wrong].map((each) => JSON.stringify(each)).join('\n'))
  const { code, out } = await atrium('evaluate', file)
  expect([code, out.split('\n')[0]]).toEqual([1, '5 of 8 cases in their allowed actions and codes, 1 with a forbidden action.'])
  const { cases } = JSON.parse((await atrium('evaluate', file, '--json')).out)
  expect(cases.slice(5).map(({ name, action, breaches }: Record<string, unknown>) => [name, action, breaches])).toEqual([
    ['must not', 'deny', ['deny is not allowed here', 'expected sandbox, got deny']],
    [
      'wrong codes',
      'sandbox',
      ['expected it to say X', 'expected one of Y, Z', 'it must not say SPARSE_EVIDENCE', 'expected low uncertainty, got high'],
    ],
    ['not to be refused', null, ['its target was refused']],
  ])
  writeFileSync(file, JSON.stringify([{ ...right[0], policy: 'lax' }]))
  expect((await atrium('evaluate', file)).err).toContain('of entry 1, `policy` is wrong')
})

test('lists are changed, exported and imported again, and count for decisions at once', { timeout: 90_000 }, async () => {
  expect((await atrium('list', 'add', 'block', 'evil.example.net', '--reason', 'Seen.')).out).toBe(
    'block domain evil.example.net\n',
  )
  expect(JSON.parse((await atrium('check', 'www.evil.example.net', '--json')).out)).toMatchObject({
    action: 'deny',
    override: { reason: 'Seen.', list: { list: 'block' } },
  })
  const file = join(folder, 'block.csv')
  writeFileSync(file, (await atrium('list', 'export', 'block')).out)
  expect((await atrium('list', 'remove', 'block', 'evil.example.net')).out).toBe('Removed domain evil.example.net.\n')
  expect((await atrium('list', 'import', 'block', file, '--reason', 'From a file.')).out).toBe(
    'Added 1, replaced 0, left out 0.\n',
  )
  writeFileSync(file, 'co.uk\nnice.example.org\n')
  const refused = await atrium('list', 'import', 'allow', file, '--reason', 'x')
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('line 1: ')])
  expect((await atrium('list', 'import', 'allow', file, '--reason', 'x', '--skip-invalid')).out).toBe(
    'Added 1, replaced 0, left out 1.\n',
  )
  const status = JSON.parse((await atrium('list', 'status', '--json')).out)
  expect(status.map(({ list, entries }: { list: string; entries: number }) => [list, entries])).toEqual([
    ['block', 1],
    ['allow', 1],
    ['brand', 0],
  ])
})

test('reports are listed and answered, with an entry of a list', { timeout: 60_000 }, async () => {
  const { caller } = await trust.aKey()
  const decided = await trust.ask(
    'query { decide(input: { domain: "localhost" }) { ... on DecisionMade { decision { id } } } }',
    {},
    caller,
  )
  const text =
    'mutation ($input: ReportDecisionInput!) { reportDecision(input: $input) { ... on ReportDecisionSuccess { report { id } } } }'
  const input = { decisionId: decided.data.decide.decision.id, kind: 'FALSE_NEGATIVE', text: 'Look at\nthis.\u202e' }
  const { id } = (await trust.ask(text, { input }, caller)).data.reportDecision.report
  expect((await atrium('report', 'list')).out).toMatch(
    new RegExp(`^${id}  .*  false_negative  deny  localhost  Look at this\\. \n$`),
  )
  const answered = await atrium('report', 'resolve', id, '--accept', '--answer', 'Blocked.', '--block', 'evil2.example.net')
  expect(answered).toMatchObject({ code: 0, out: 'accepted localhost, block evil2.example.net\n' })
})

test('a key watches a domain, and its history is shown', { timeout: 60_000 }, async () => {
  const made = JSON.parse((await atrium('key', 'create', '--json')).out)
  const key = ['--key', made.id]
  const added = await atrium('watch', 'add', 'Shop.example.com', '--webhook', 'https://hooks.example.com/x', ...key)
  expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^watches shop\.example\.com\nwhsec_\S+\n\nStore it now/) })
  expect((await atrium('watch', 'add', 'localhost', ...key)).err).toMatch(/public name/)
  expect((await atrium('watch', 'add', 'shop.example.com', ...key)).err).toMatch(/already/)
  expect((await atrium('watch', 'list', ...key)).out).toBe('shop.example.com  not assessed yet    https://hooks.example.com/x\n')
  await trust.sql(`INSERT INTO verdict_change (watch_id, changed_at, action, trust_score, threat_score, deviation_score, reason_codes,
      previous_action, webhook, error)
    SELECT id, '2026-11-20T12:00Z', 'deny', 1, 90, 0, '{X}', 'proceed', 'failed', 'status 500' FROM watched_domain`)
  expect((await atrium('watch', 'history', 'shop.example.com', ...key)).out).toBe(
    '2026-11-20T12:00  proceed → deny  webhook failed  status 500\n',
  )
  expect(await atrium('watch', 'remove', 'shop.example.com', ...key)).toMatchObject({ code: 0 })
  expect(await atrium('watch', 'history', 'shop.example.com', ...key)).toMatchObject({ code: 1 })
  expect((await atrium('watch', 'list', '--key', 'x')).err).toMatch(/no active key/)
})

test('a file of targets has a line for each, in their order, as CSV or JSON lines', { timeout: 60_000 }, async () => {
  const file = join(folder, 'names.txt')
  const names = Array.from({ length: 45 }, (_, index) => `10.0.0.${index}`)
  writeFileSync(file, ['# names', ...names, '', 'ftp://x.example', 'localhost'].join('\r\n'))
  const { out, err, code } = await atrium('check', '--file', file)
  const lines = out.trimEnd().split('\n')
  expect([code, err]).toEqual([1, '1 of 47 targets are invalid.\n'])
  expect(lines[0]).toBe('target,host,action,confidence,threat,trust,reasons,list_entry,valid_until,error')
  expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual([...names, 'ftp://x.example', 'localhost'])
  expect(lines.at(-1)).toMatch(/^localhost,localhost,deny,/)
  expect(lines.at(-2)).toMatch(/^ftp:\/\/x\.example,,,,,,,,,Expected the scheme/)

  writeFileSync(file, 'localhost\n')
  const json = await atrium('check', '--file', file, '--format', 'jsonl')
  expect([json.code, JSON.parse(json.out)]).toMatchObject([0, { target: 'localhost', decision: { action: 'deny' } }])
  expect(await atrium('check')).toMatchObject({ code: 1, err: 'Expected a domain or --file.\n' })
  expect(await atrium('check', 'localhost', '--format', 'jsonl')).toMatchObject({
    code: 2,
    err: expect.stringContaining('expected --file with --format'),
  })
  expect(await atrium('check', '--file', file, '--explain')).toMatchObject({
    code: 2,
    err: expect.stringContaining('cannot be used with'),
  })
})

test('the first target that fails ends a file; later ones that fail before it are no fault of the process', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const { engine } = await import('../../subgraphs/trust/assessment/engine.ts')
    const { defaultRequest } = await import('../../subgraphs/trust/assessment/assess.ts')
    const { checkTargets } = await import('../../cli/trust/check-file.ts')
    const found = engine.normalise('domain', 'localhost')
    if (found.kind === 'invalid') throw new Error(found.message)
    const { target: _, ...planned } = defaultRequest(found.target)
    const lists = {
      overrideFor: async ({ host }: { readonly host: string }) => {
        // The second one fails at once, and is waited for a while later.
        if (host === 'one.example') await new Promise((resolve) => setTimeout(resolve, 50))
        throw new Error(`no lists for ${host}`)
      },
      brandsNear: async () => [],
      noteHits: () => {},
      refresh: () => {},
      close: async () => {},
    }
    const parts = { engine, sources: trust.sources, lists, now: () => new Date() }
    await expect(checkTargets(['one.example', 'two.example'], planned, 'jsonl', parts)).rejects.toThrow(
      'no lists for one.example',
    )
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})

test('standard input and files without a size are bounded', { timeout: 30_000 }, async () => {
  const input = Array.from({ length: 26 }, () => Buffer.alloc(1_000_000, '#'))
  const { code, err } = await ended(started(['trust', 'check', '--file', '-'], {}, input))
  expect([code, err]).toEqual([1, 'Expected at most 25000000 bytes on standard input.\n'])
  const endless = ['--file', '/dev/zero']
  expect(await atrium('check', ...endless)).toMatchObject({ code: 1, err: 'Expected at most 25000000 bytes in "/dev/zero".\n' })
})

test('a file is decided as a job of a key, now or in the background', { timeout: 60_000 }, async () => {
  const { id } = JSON.parse((await atrium('key', 'create', '--json')).out)
  const key = ['--key', id]
  const file = join(folder, 'job-targets.txt')
  writeFileSync(file, 'example.com\n# a comment\n\nlocalhost\nnot a host\n')
  const { code, out, err } = await atrium('decide', '--file', file, ...key)
  expect([code, out.split('\n').map((line) => line.split(',').slice(0, 3).join())]).toEqual([
    0,
    ['target,status,action', 'example.com,decided,proceed_with_caution', 'localhost,decided,deny', 'not a host,invalid,', ''],
  ])
  expect(err).toMatch(/^job \S+: the running server goes on with it/)
  const background = await atrium('decide', '--file', file, '--background', '--kind', 'download_file', ...key)
  const job = background.out.trim()
  expect((await atrium('job', 'list', ...key)).out).toMatch(
    new RegExp(`^${job}  \\S+  running  1 of 3\n\\S+  \\S+  completed  3 of 3\n$`),
  )
  expect((await atrium('decide', '--file', file, ...key)).err).toMatch(/at most 1 running jobs/)
  expect((await atrium('job', 'cancel', job, ...key)).out).toBe(`${job}  canceled\n`)
  const lines = (await atrium('job', 'results', job, '--format', 'jsonl', ...key)).out.trim().split('\n')
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ position: 2, target: 'not a host', status: 'invalid' }])
  await trust.sql(`UPDATE decision_job_target SET target = E'a\\x1b[2J' WHERE status = 'invalid'`)
  expect((await atrium('job', 'results', job, ...key)).out).toMatch(/\n"?a \[2J"?,invalid,/)
  expect(await atrium('job', 'results', 'x', ...key)).toMatchObject({ code: 1, err: expect.stringMatching(/no job/) })
})
