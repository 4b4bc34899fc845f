import { globSync, readFileSync } from 'node:fs'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { getDomain } from 'tldts'
import { afterEach, expect, test } from 'vitest'
import { parseIndicator } from '../../../../subgraphs/trust/collectors/indicator.ts'
import {
  blackbookCsv,
  phishingUrls,
  phishtankCsv,
  rankedNames,
  threatfoxCsv,
  urlhausCsv,
} from '../../../../subgraphs/trust/collectors/list-formats.ts'
import type { List } from '../../../../subgraphs/trust/collectors/lists.ts'
import type { FeedsEvidence } from '../../../../subgraphs/trust/evidence.ts'
import { type Answerer, a, startDnsServer, zone } from '../../../support/dns-server.ts'
import { type Handler, startHttpServer, text } from '../../../support/http-server.ts'
import { targetOf } from '../pipeline/support/samples.ts'
import { aBootstrap, aList, startTrust, type Trust, type TrustOptions } from './support/trust.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const HOUR = 3_600_000

/**
 * Sources with lists from a server of the test, whose answers may change, and a clock that can be
 * moved.
 */
async function aStage(
  lists: Readonly<Record<string, { readonly format: List['format']; readonly answer: Handler } & Partial<List>>>,
  { answer = zone({}), ...options }: Partial<TrustOptions> & { readonly answer?: Answerer } = {},
) {
  const answers = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.answer]))
  const server = await startHttpServer({ '*': (request, response) => answers[(request.url ?? '').slice(1)]?.(request, response) })
  cleanups.push(server.close)
  const dns = await startDnsServer(answer)
  cleanups.push(dns.close)
  const clock = { at: Date.parse('2026-11-20T12:00:00Z') }
  const trust = await startTrust({
    dns,
    allowedPorts: [server.port],
    now: () => new Date(clock.at),
    lists: Object.entries(lists).map(([name, { answer: _, ...list }]) => aList({ name, url: `${server.url}/${name}`, ...list })),
    ...options,
  })
  cleanups.push(trust.close)
  await trust.refreshLists()
  return {
    trust,
    clock,
    answers,
    server,
    dns,
    /** Comes back later, with another answer. */
    async again(name: string, next: Handler, hours = 2): Promise<void> {
      answers[name] = next
      clock.at += hours * HOUR
      await trust.refreshLists()
    },
    edition: async (name: string) => (await trust.lists.states([name]))[0],
  }
}

const feeds = (trust: Trust, host: string, registrable: string | null = host): Promise<FeedsEvidence> =>
  trust.ask('feeds', host, registrable)
const hitsOf = (evidence: FeedsEvidence) => (evidence.status === 'ok' ? evidence.facts.hits : evidence)

test.each([
  {
    why: 'the root of a host lists the host',
    line: 'http://evil.example.net/',
    expected: { key: 'evil.example.net', scope: 'host' },
  },
  {
    why: 'a path is one URL',
    line: 'https://good.example.net/wp/x.zip?a=1',
    expected: { key: 'good.example.net', scope: 'url' },
  },
  { why: 'defanged', line: 'hxxps://evil[.]example[.]net', expected: { key: 'evil.example.net', scope: 'host' } },
  {
    why: 'upper case, a port and a dot at the end',
    line: 'HTTP://EVIL.example.NET.:8080/',
    expected: { key: 'evil.example.net', scope: 'host' },
  },
  { why: 'a bare host', line: 'evil.example.net', expected: { key: 'evil.example.net', scope: 'host' } },
  { why: 'a bare host with a path', line: 'evil.example.net/login', expected: { key: 'evil.example.net', scope: 'url' } },
  {
    why: 'an international name',
    line: 'http://b\u00fccher.example.net',
    expected: { key: 'xn--bcher-kva.example.net', scope: 'host' },
  },
  { why: 'a wildcard lists the domain', line: '*.example.net', expected: { key: 'example.net', scope: 'domain' } },
  { why: 'an address with a port', line: '93.184.216.34:4444', expected: { key: '93.184.216.34', scope: 'host' } },
  { why: 'an IPv6 address', line: 'http://[2606:4700::1]/', expected: { key: '2606:4700::1', scope: 'host' } },
  { why: 'a URL on a shared suffix', line: 'https://github.io/x', expected: { key: 'github.io', scope: 'url' } },
  { why: 'a tenant of a shared suffix', line: 'https://evil.github.io/', expected: { key: 'evil.github.io', scope: 'host' } },
  { why: 'a top-level domain would list half of the world', line: 'com', expected: null },
  { why: 'so would a suffix', line: 'co.uk', expected: null },
  { why: 'and a shared one', line: 'http://github.io/', expected: null },
  { why: 'and a wildcard on one', line: '*.github.io', expected: null },
  { why: 'a private address is no statement about the internet', line: 'http://127.0.0.1/', expected: null },
  { why: 'no indicator at all', line: 'hello world', expected: null },
  { why: 'an empty line', line: '', expected: null },
])('an entry of a feed: $why', ({ line, expected }) => {
  const found = parseIndicator(line)
  expect(found && { key: found.key, scope: found.scope }).toEqual(expected)
})

test('URLhaus: its CSV with CRLF, comments and a byte order mark', async () => {
  const csv = [
    '\uFEFF# URLhaus Database Dump',
    '# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter',
    '"3","2026-11-18 10:00:00","http://evil.example.net/","online","2026-11-20 09:00:00","malware_download","exe,""x""","https://urlhaus.abuse.ch/url/3/","me"',
    '"2","2026-11-01 10:00:00","https://good.example.net/a.exe","offline","","malware_download","None","https://urlhaus.abuse.ch/url/2/","me"',
  ].join('\r\n')
  const { trust } = await aStage({ urlhaus: { format: urlhausCsv, answer: text(csv), lineage: 'abuse.ch' } })
  expect(hitsOf(await feeds(trust, 'evil.example.net'))).toEqual([
    {
      feed: 'urlhaus',
      lineage: 'abuse.ch',
      category: 'malware',
      scope: 'host',
      indicator: 'http://evil.example.net/',
      firstSeenAt: Date.parse('2026-11-18T10:00:00Z') / 1000,
      lastSeenAt: Date.parse('2026-11-20T09:00:00Z') / 1000,
      state: 'online',
      abusedLegitimate: false,
    },
  ])
  expect(hitsOf(await feeds(trust, 'good.example.net'))).toMatchObject([{ scope: 'url', state: 'offline' }])
  expect(hitsOf(await feeds(trust, 'other.evil.example.net', 'example.net'))).toEqual([])
})

test.each([
  ['a listed apex', 'evil-shop.com', 'login.evil-shop.com', 1],
  ['a listed apex, with www.', 'evil-shop.com', 'www.evil-shop.com', 1],
  ['a listed www.', 'www.evil-shop.com', 'evil-shop.com', 1],
  ['a listed www. and another host', 'www.evil-shop.com', 'login.evil-shop.com', 0],
  ['a listed host and the apex', 'login.evil-shop.com', 'evil-shop.com', 0],
  ['a listed host and one below it', 'login.evil-shop.com', 'x.login.evil-shop.com', 0],
  ['a wildcard on a host', '*.login.evil-shop.com', 'x.login.evil-shop.com', 1],
  ['a listed tenant', 'evil.github.io', 'www.evil.github.io', 1],
  ['below a listed tenant', 'evil.github.io', 'login.evil.github.io', 1],
  ['the neighbour of a listed tenant', 'evil.github.io', 'honest.github.io', 0],
  ['the company of a listed tenant', 'evil.github.io', 'github.io', 0],
  ['a suffix of two labels', 'evil.co.uk', 'honest.co.uk', 0],
])('a feed about hosts below and beside: %s (%s) lists %s %i times', async (_why, line, host, hits) => {
  const { trust } = await aStage({ openphish: { format: phishingUrls, answer: text(`http://${line}/`) } })
  expect(hitsOf(await feeds(trust, host, getDomain(host)))).toHaveLength(hits)
})

test('a URL is found by its hash, also on a host with more listed pages than are read', async () => {
  const crowd = Array.from({ length: 30 }, (_, index) => `https://raw.githubusercontent.com/crowd/r/${index}.exe`)
  const lines = ['https://raw.githubusercontent.com/u/r/x.exe', 'https://www.evil-shop.com/kit/', ...crowd].join('\n')
  const { trust } = await aStage({ openphish: { format: phishingUrls, answer: text(lines) } })
  const listed = async (url: string) => {
    const keys = targetOf(url).url
    return (keys ? await trust.listedUrls(keys) : null)?.map(({ indicator }) => indicator)
  }
  expect(await listed('http://raw.githubusercontent.com/u/r/%78.exe?raw=1')).toEqual([
    'https://raw.githubusercontent.com/u/r/x.exe',
  ])
  expect(await listed('https://evil-shop.com/kit/step2.php')).toEqual(['https://www.evil-shop.com/kit/'])
  expect(await listed('https://raw.githubusercontent.com/u/other.txt')).toEqual(['https://raw.githubusercontent.com/u/r/x.exe'])
  expect(await listed('https://raw.githubusercontent.com/v/r/x.exe')).toEqual([])
  expect(await trust.sql('SELECT count(*)::int AS urls FROM list_entry WHERE length(url_key) = 32')).toEqual([{ urls: 32 }])
  await trust.sql('DROP TABLE list_entry CASCADE')
  expect(await listed('https://evil-shop.com/kit/')).toBeUndefined()
})

test('lists of a former release get their hashes with the first refresh, although their servers have nothing newer', async () => {
  const { trust } = await aStage({ openphish: { format: phishingUrls, answer: text('https://evil-shop.com/kit/') } })
  const hashes = () => trust.sql('SELECT url_key IS NULL AS missing FROM list_entry')
  await trust.sql('UPDATE list_entry SET url_key = NULL')
  await trust.refreshLists()
  expect(await hashes()).toEqual([{ missing: true }])
  const [file = ''] = globSync('{database,prisma}/trust/migrations/*_listed_urls/migration.sql')
  const migration = readFileSync(file, 'utf8')
  await trust.sql(migration.slice(migration.indexOf('UPDATE list ')))
  // Until then the old copy serves.
  expect(hitsOf(await feeds(trust, 'evil-shop.com'))).toHaveLength(1)
  await trust.refreshLists()
  expect(await hashes()).toEqual([{ missing: false }])
})

test('ThreatFox: names and addresses, without hashes and without low confidence', async () => {
  const csv = [
    '# ThreatFox IOCs',
    '"2026-11-20 06:00:00", "1", "c2.example.net", "domain", "botnet_cc", "win.x", "None", "X", "", "100", "None", "tag", "0", "me"',
    '"2026-11-20 06:00:00", "2", "93.184.216.34:443", "ip:port", "botnet_cc", "win.x", "None", "X", "2026-11-20 07:00:00", "75", "None", "tag", "0", "me"',
    '"2026-11-20 06:00:00", "3", "guess.example.net", "domain", "payload_delivery", "win.x", "None", "X", "", "25", "None", "tag", "0", "me"',
    '"2026-11-20 06:00:00", "4", "d41d8cd98f00b204e9800998ecf8427e", "md5_hash", "payload", "win.x", "None", "X", "", "100", "None", "tag", "0", "me"',
  ].join('\n')
  const { trust, edition } = await aStage({ threatfox: { format: threatfoxCsv, answer: text(csv) } })
  expect((await edition('threatfox'))?.edition).toMatchObject({ entries: 2 })
  expect(hitsOf(await feeds(trust, 'c2.example.net'))).toMatchObject([{ category: 'c2', scope: 'domain' }])
  expect(hitsOf(await feeds(trust, 'bot.c2.example.net', 'example.net'))).toHaveLength(1)
  expect(hitsOf(await feeds(trust, '93.184.216.34', null))).toMatchObject([{ category: 'c2', indicator: '93.184.216.34:443' }])
})

test('blackbook: domains by the names of its columns, seen on the day that they were added, without those of URLhaus', async () => {
  const csv = [
    'Domain,Malware,Date added,Source',
    'panel.example.net,azorult,2026-11-18,CyberCrime',
    'old.example.net,pony,2018-11-17,CyberCrime',
    'copied.example.net,emotet,2026-11-18,URLhaus',
    'co.uk,njrat,2026-11-18,ScumBots',
    'undated.example.net,njrat,soon,ScumBots',
    ...Array.from({ length: 198 }, (_, index) => `n${index}.example.net,njrat,2026-11-18,ScumBots`),
  ].join('\n')
  const { trust, edition } = await aStage({ blackbook: { format: blackbookCsv, answer: text(csv) } })
  expect((await edition('blackbook'))?.edition).toMatchObject({ entries: 200 })
  const day = (date: string) => Date.parse(date) / 1000
  expect(hitsOf(await feeds(trust, 'panel.example.net'))).toMatchObject([
    { feed: 'blackbook', category: 'malware', state: 'unknown', lastSeenAt: day('2026-11-18') },
  ])
  expect(hitsOf(await feeds(trust, 'old.example.net'))).toMatchObject([{ lastSeenAt: day('2018-11-17') }])
  for (const host of ['copied.example.net', 'undated.example.net', 'bbc.co.uk'])
    expect(hitsOf(await feeds(trust, host))).toEqual([])
})

test('blackbook: a file without its columns is a fault, and the copy before stays', async () => {
  const csv = 'Domain,Malware,Date added,Source\npanel.example.net,azorult,2026-11-18,CyberCrime\n'
  const { trust, edition, again } = await aStage({ blackbook: { format: blackbookCsv, answer: text(csv) } })
  await again('blackbook', text('name,kind\nother.example.net,x\n'), 48)
  expect(await edition('blackbook')).toMatchObject({ edition: { entries: 1 }, fault: expect.any(String) })
  expect(hitsOf(await feeds(trust, 'panel.example.net'))).toMatchObject([{ feed: 'blackbook' }])
})

test('PhishTank: CSV by the names of its columns, packed with gzip', async () => {
  const csv = [
    'phish_id,url,phish_detail_url,submission_time,verified,verification_time,online,target',
    '7,"https://bank.example.net/a,b",http://www.phishtank.com/7,2026-11-19T00:00:00+00:00,yes,2026-11-19T01:00:00+00:00,yes,Bank',
  ].join('\n')
  const { trust } = await aStage({ phishtank: { format: phishtankCsv, answer: text(gzipSync(csv)) } })
  expect(hitsOf(await feeds(trust, 'bank.example.net'))).toMatchObject([
    {
      category: 'phishing',
      scope: 'url',
      indicator: 'https://bank.example.net/a,b',
      state: 'online',
      lastSeenAt: Date.parse('2026-11-19T01:00:00Z') / 1000,
    },
  ])
})

test('a popularity list is read from a zip, with its edition', async () => {
  const { trust } = await aStage({
    tranco: {
      kind: 'popularity',
      format: rankedNames,
      answer: text(zipOf('top-1m.csv', '1,google.com\r\n2,example.net\r\n3,B\u00fccher.example\r\n')),
    },
  })
  const popular = await trust.ask('popularity', 'www.example.net', 'example.net')
  expect(popular).toMatchObject({
    status: 'ok',
    subject: 'example.net',
    facts: { ranks: [{ list: 'tranco', rank: 2, listId: expect.stringMatching(/^[0-9a-f]{12} 2026-11-20$/) }] },
  })
  expect(await trust.ask('popularity', 'xn--bcher-kva.example')).toMatchObject({ facts: { ranks: [{ rank: 3 }] } })
  expect(await trust.ask('popularity', 'unknown.example')).toMatchObject({ status: 'ok', facts: { ranks: [] } })
})

const GOOD = Array.from({ length: 100 }, (_, index) => `http://e${index}.example.net/`).join('\n')
const REFUSED: readonly { why: string; answer: Handler; fault: RegExp }[] = [
  { why: 'is empty', answer: text(''), fault: /at least/ },
  { why: 'has lost more than half', answer: text(GOOD.split('\n').slice(0, 49).join('\n')), fault: /49 entries/ },
  {
    why: 'is a web page',
    answer: text('<!DOCTYPE html><title>Sign in</title>', { 'content-type': 'text/html' }),
    fault: /web page/,
  },
  { why: 'is a web page that says it is text', answer: text('\n  <html><body>http://a.example/</body>'), fault: /web page/ },
  {
    why: 'is something else',
    answer: text(Array.from({ length: 200 }, () => 'lorem ipsum dolor').join('\n')),
    fault: /cannot be read/,
  },
  {
    why: 'ends in the middle',
    answer: (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(GOOD.length * 2) })
      response.write(GOOD, () => response.destroy())
    },
    fault: /./,
  },
  { why: 'has broken gzip', answer: text(gzipSync(GOOD).subarray(0, 200)), fault: /decompress/ },
  { why: 'is one line without end', answer: text('x'.repeat(100_000)), fault: /without end/ },
  { why: 'is too large', answer: text(`${GOOD}\n`.repeat(60)), fault: /at most/ },
  {
    why: 'is older than the copy',
    answer: text(`${GOOD}\nhttp://old.example.net/`, { 'last-modified': 'Thu, 19 Nov 2026 00:00:00 GMT' }),
    fault: /older/,
  },
  { why: 'is not there', answer: (_, response) => response.writeHead(500).end(), fault: /500/ },
]

test.each(REFUSED)('a copy that $why does not replace the old one', async ({ answer, fault }) => {
  const stage = await aStage({ openphish: { format: phishingUrls, answer: text(GOOD), maxBytes: 100_000, minEntries: 10 } })
  const before = await stage.edition('openphish')
  await stage.again('openphish', answer)
  const after = await stage.edition('openphish')
  expect(after).toMatchObject({ edition: before?.edition, fault: expect.stringMatching(fault) })
  expect(hitsOf(await feeds(stage.trust, 'e77.example.net'))).toHaveLength(1)
  expect(await stage.trust.sql('SELECT count(*)::int AS rows FROM list_entry')).toEqual([{ rows: 100 }])
})

test('a list that was never loaded is a failure, not a clean bill', async () => {
  const { trust } = await aStage({ openphish: { format: phishingUrls, answer: text('') } })
  expect(await feeds(trust, 'e1.example.net')).toMatchObject({ status: 'failed', reason: 'unavailable' })
  expect(await trust.status()).toContainEqual({ name: 'openphish', state: 'down', reason: expect.stringMatching(/at least 1/) })
})

test('one feed of two is enough for an answer, which names the other', async () => {
  const { trust } = await aStage({
    openphish: { format: phishingUrls, answer: text('http://evil.example.net/') },
    other: { format: phishingUrls, answer: text('<html>') },
  })
  expect(await feeds(trust, 'fine.example.net')).toMatchObject({
    status: 'ok',
    facts: { hits: [], checked: [{ feed: 'openphish' }], failed: [{ feed: 'other', reason: 'unavailable' }] },
  })
})

test('a list that has really become short is believed after a week', async () => {
  const stage = await aStage({ openphish: { format: phishingUrls, answer: text(GOOD), minEntries: 1 } })
  const short = text('http://e0.example.net/')
  await stage.again('openphish', short)
  expect((await stage.edition('openphish'))?.edition?.entries).toBe(100)
  await stage.again('openphish', short, 8 * 24)
  expect((await stage.edition('openphish'))?.edition?.entries).toBe(1)
})

test('a new copy replaces the whole old one; an unchanged one, or 304, only says that it is fresh', async () => {
  const stage = await aStage({ openphish: { format: phishingUrls, answer: text(GOOD, { etag: '"1"' }) } })
  const first = (await stage.edition('openphish'))?.edition
  const tags: unknown[] = []
  await stage.again('openphish', (request, response) => {
    tags.push(request.headers['if-none-match'])
    response.writeHead(304).end()
  })
  const second = (await stage.edition('openphish'))?.edition
  expect(tags).toEqual(['"1"'])
  expect(second).toMatchObject({ version: first?.version, entries: 100 })
  expect((second?.fetchedAt ?? 0) - (first?.fetchedAt ?? 0)).toBe(7_200)
  await stage.again('openphish', text(`${GOOD}\nhttp://new.example.net/`))
  expect(hitsOf(await feeds(stage.trust, 'new.example.net'))).toHaveLength(1)
  expect((await stage.edition('openphish'))?.edition?.entries).toBe(101)
  expect(await stage.trust.sql('SELECT count(*)::int AS rows FROM list_entry')).toEqual([{ rows: 101 }])
})

test('evidence says how old the copy is; after two days without a refresh it is reported', async () => {
  const stage = await aStage({ openphish: { format: phishingUrls, answer: text(GOOD) } })
  const loadedAt = stage.clock.at / 1000
  await stage.again('openphish', (_, response) => response.writeHead(503).end(), 49)
  const evidence = await feeds(stage.trust, 'fine.example.net')
  expect(evidence).toMatchObject({ status: 'ok', facts: { checked: [{ asOf: loadedAt, refreshAt: loadedAt + 3_600 }] } })
  expect(await stage.trust.status()).toContainEqual({ name: 'openphish', state: 'down', reason: 'status 503' })
})

test('only one of several processes downloads a list', async () => {
  const { trust, server, dns, clock } = await aStage({ openphish: { format: phishingUrls, answer: text(GOOD) } })
  const lists = [aList({ name: 'openphish', url: `${server.url}/openphish`, format: phishingUrls })]
  const others = await Promise.all(
    Array.from({ length: 4 }, () =>
      startTrust({ dns, database: trust.database, allowedPorts: [server.port], lists, now: () => new Date(clock.at) }),
    ),
  )
  clock.at += 2 * HOUR
  await Promise.all(others.map(({ refreshLists }) => refreshLists()))
  expect(server.requests).toEqual(['/openphish', '/openphish'])
  await Promise.all(others.map(({ close }) => close()))
})

test('hosts looked up at the same time share a statement, and each gets its own evidence', async () => {
  const { trust } = await aStage({
    openphish: {
      format: phishingUrls,
      answer: text('http://one.example.net/a\nhttp://two.example.net/b\nhttp://two.example.net/c'),
    },
    tranco: { kind: 'popularity', format: rankedNames, answer: text('1,one.example.net\n2,none.example.net') },
  })
  const said = async (host: string) => {
    const [listed, known] = await Promise.all([feeds(trust, host), trust.ask('popularity', host)])
    return {
      hits: listed.status === 'ok' && listed.facts.hits.map(({ indicator }) => indicator),
      ranks: known.status === 'ok' && known.facts.ranks.map(({ rank }) => rank),
    }
  }
  const hosts = ['one.example.net', 'two.example.net', 'none.example.net', 'nobody.example.net']
  expect(await Promise.all(hosts.map(said))).toEqual([
    { hits: ['http://one.example.net/a'], ranks: [1] },
    { hits: ['http://two.example.net/b', 'http://two.example.net/c'], ranks: [] },
    { hits: [], ranks: [2] },
    { hits: [], ranks: [] },
  ])
})

test('requests are answered while a large list is loading', async () => {
  const { setTimeout: sleep } = await import('node:timers/promises')
  const large = Buffer.from(Array.from({ length: 200_000 }, (_, index) => `${index + 1},name-${index}.example`).join('\n'))
  const stage = await aStage({ tranco: { kind: 'popularity', format: rankedNames, answer: text('1,name-1.example') } })
  stage.clock.at += 2 * HOUR
  stage.answers.tranco = text(large)
  let isDone = false
  let turns = 0
  const loading = stage.trust.refreshLists().finally(() => (isDone = true))
  while (!isDone) {
    expect(await stage.trust.ask('popularity', `name-${turns}.example`)).toMatchObject({ status: 'ok' })
    turns += 1
    await sleep(1)
  }
  await loading
  expect(turns).toBeGreaterThan(5)
  expect(await stage.trust.ask('popularity', 'name-199999.example')).toMatchObject({ facts: { ranks: [{ rank: 200_000 }] } })
})

test('an empty list of registries is refused', async () => {
  const server = await startHttpServer({ '/dns.json': text('{"services": []}'), '/html': text('[]') })
  cleanups.push(server.close)
  for (const path of ['/dns.json', '/html']) {
    const trust = await startTrust({ dns: null, allowedPorts: [server.port], lists: [aBootstrap(`${server.url}${path}`)] })
    cleanups.push(trust.close)
    await trust.refreshLists()
    expect((await trust.lists.states(['iana-rdap']))[0]).toMatchObject({ edition: null, fault: expect.any(String) })
  }
})

const DBL = 'dbl.test'
const dblAnswers = (codes: Readonly<Record<string, string>>): Answerer =>
  zone(Object.fromEntries(Object.entries(codes).map(([host, code]) => [`${host}.${DBL} A`, a(`${host}.${DBL}`, code)])))

test.each([
  {
    why: 'a phishing domain',
    code: '127.0.1.4',
    hits: [{ feed: DBL, category: 'phishing', scope: 'domain', abusedLegitimate: false }],
  },
  { why: 'malware', code: '127.0.1.5', hits: [{ category: 'malware' }] },
  { why: 'an honest domain that is abused', code: '127.0.1.104', hits: [{ category: 'phishing', abusedLegitimate: true }] },
])('a block list over DNS: $why', async ({ code, hits }) => {
  const { trust } = await aStage({}, { answer: dblAnswers({ 'evil.example': code }), dnsbl: [DBL] })
  expect(await feeds(trust, 'evil.example')).toMatchObject({ status: 'ok', facts: { hits } })
  expect(await feeds(trust, 'fine.example')).toMatchObject({ status: 'ok', facts: { hits: [], checked: [{ feed: DBL }] } })
})

test.each([
  { why: 'its word for "you must not ask"', answer: dblAnswers({ 'evil.example': '127.255.255.254' }) },
  { why: 'its word for "that was no name"', answer: dblAnswers({ 'evil.example': '127.0.1.255' }) },
  { why: 'an address that is no code', answer: dblAnswers({ 'evil.example': '93.184.216.34' }) },
  {
    why: 'a resolver that answers every name',
    answer: (({ name, type }) => (type === 'A' ? a(name, '127.0.1.2') : {})) as Answerer,
  },
  { why: 'a resolver that is on no internet', answer: (() => ({ rcode: 3 })) as Answerer },
  { why: 'SERVFAIL', answer: (() => ({ rcode: 2 })) as Answerer },
  { why: 'silence', answer: (() => 'silence') as Answerer },
])('a block list over DNS: $why is a fault, never a hit', async ({ answer }) => {
  const { trust } = await aStage({}, { answer, dnsbl: [DBL] })
  expect(await feeds(trust, 'evil.example')).toMatchObject({ status: 'failed', reason: 'unavailable' })
})

test('an installation without feeds says so', async () => {
  const trust = await startTrust({ dns: null })
  cleanups.push(trust.close)
  expect(await feeds(trust, 'any.example')).toMatchObject({ status: 'skipped', reason: 'not_configured' })
  expect(await trust.ask('popularity', 'any.example')).toMatchObject({ status: 'skipped', reason: 'not_configured' })
  expect(await trust.ask('ct', 'any.example')).toMatchObject({ status: 'skipped', reason: 'not_configured' })
  expect(await trust.status()).toContainEqual({ name: 'feeds', state: 'off', reason: null })
})

test('a certificate log index gives first date, count and issuers; any other answer is a failed source', async () => {
  const rows = [
    { issuer_name: 'C=US, O=LE, CN=R11', not_before: '2024-05-01T00:00:00', entry_timestamp: '2024-05-01T01:00:00.5' },
    { issuer_name: 'C=US, O=LE, CN=R10', not_before: '2019-02-01T00:00:00', entry_timestamp: null },
  ]
  const server = await startHttpServer({
    '/?q=known.example': text(JSON.stringify(rows)),
    '/?q=new.example': text('[]'),
    '/?q=broken.example': text('<html>'),
    '/?q=odd.example': text('{}'),
    '/?q=busy.example': (_, response) => response.writeHead(429).end(),
  })
  cleanups.push(server.close)
  const trust = await startTrust({ dns: null, allowedPorts: [server.port], ctUrl: `${server.url}/?q={domain}` })
  cleanups.push(trust.close)
  expect(await trust.ask('ct', 'www.known.example', 'known.example')).toMatchObject({
    status: 'ok',
    subject: 'known.example',
    facts: {
      firstSeenAt: Date.parse('2019-02-01T00:00:00Z') / 1000,
      certificates: 2,
      issuers: ['C=US, O=LE, CN=R10', 'C=US, O=LE, CN=R11'],
    },
  })
  expect(await trust.ask('ct', 'new.example')).toMatchObject({ status: 'ok', facts: { firstSeenAt: null, certificates: 0 } })
  expect(await trust.ask('ct', 'broken.example')).toMatchObject({ status: 'failed', reason: 'malformed' })
  expect(await trust.ask('ct', 'odd.example')).toMatchObject({ status: 'failed', reason: 'malformed' })
  expect(await trust.ask('ct', 'busy.example')).toMatchObject({ status: 'failed', reason: 'rate_limited' })
})

/**
 * A zip with one deflated file, written as a stream: without sizes in front, and with a table of
 * contents behind.
 */
function zipOf(name: string, content: string): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(0x08, 6)
  header.writeUInt16LE(8, 8)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([
    header,
    Buffer.from(name),
    deflateRawSync(content),
    Buffer.from('PK\u0007\u0008 descriptor, PK\u0001\u0002 table of contents'.repeat(50)),
  ])
}

test('a list that is in the database and was never loaded is due, not an error', async () => {
  const { trust } = await aStage({})
  await trust.sql(`INSERT INTO trust.list (name) VALUES ('new')`)
  expect(await trust.lists.states(['new', 'unknown'])).toEqual([
    { list: 'new', edition: null, fault: null, dueAt: 0 },
    { list: 'unknown', edition: null, fault: null, dueAt: null },
  ])
})
