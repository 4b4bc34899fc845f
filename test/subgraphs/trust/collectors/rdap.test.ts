import { gzipSync } from 'node:zlib'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Fault, type FaultReason } from '../../../../platform/outbound/fault.ts'
import { createCircuits } from '../../../../subgraphs/trust/collectors/circuits.ts'
import { rdapServiceOf } from '../../../../subgraphs/trust/collectors/rdap-services.ts'
import type { RdapEvidence } from '../../../../subgraphs/trust/evidence.ts'
import { aCanary } from '../../../support/canary.ts'
import { a, type DnsServer, startDnsServer, zone } from '../../../support/dns-server.ts'
import { type Handler, type HttpServer, json, redirect, startHttpServer } from '../../../support/http-server.ts'
import { aCertificate, anAuthority } from './support/certificates.ts'
import { aBootstrap, startTrust, type Trust } from './support/trust.ts'

const seconds = (date: string): number => Date.parse(date) / 1000

/** A domain as registries spell it. */
const aDomain = (name: string, more: Record<string, unknown> = {}) => ({
  objectClassName: 'domain',
  ldhName: name.toUpperCase(),
  status: ['client transfer prohibited'],
  events: [
    { eventAction: 'registration', eventDate: '2015-03-01T10:00:00Z' },
    { eventAction: 'expiration', eventDate: '2030-03-01T10:00:00Z' },
  ],
  ...more,
})
const events = (...all: [action: string, date: string][]) => ({
  events: all.map(([eventAction, eventDate]) => ({ eventAction, eventDate })),
})

/** Answers nothing, or a byte a second: both outlast the budget. */
const silence: Handler = () => {}
const slowBody: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/rdap+json' })
  const timer = setInterval(() => response.write(' '), 200)
  response.on('close', () => clearInterval(timer))
}
const slowHeaders: Handler = ({ socket }) => {
  const text = `HTTP/1.1 200 OK\r\nx-slow: ${'y'.repeat(1_000)}`
  let at = 0
  const timer = setInterval(() => socket.write(text[at++] ?? 'y'), 200)
  socket.on('close', () => clearInterval(timer))
}
const endless: Handler = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/rdap+json' })
  const piece = Buffer.alloc(64 * 1024, ' ')
  const more = () => {
    while (response.writable && response.write(piece));
  }
  response.on('drain', more).on('error', () => {})
  more()
}

let canary: Awaited<ReturnType<typeof aCanary>>
let dns: DnsServer
let registry: HttpServer
let trust: Trust

const CASES: readonly { why: string; name: string; answer: Handler; expect: Record<string, unknown> }[] = [
  {
    why: 'a registered domain',
    name: 'ok.com',
    answer: json(
      aDomain('ok.com', {
        status: ['Client Hold', 'client hold', 'redemption period'],
        nameservers: [{ ldhName: 'NS2.OK.COM.' }, { ldhName: 'ns1.ok.com' }],
        secureDNS: { delegationSigned: true },
        entities: [
          { roles: ['abuse'] },
          {
            roles: ['registrar'],
            publicIds: [{ type: 'IANA Registrar ID', identifier: '292' }],
            vcardArray: [
              'vcard',
              [
                ['version', {}, 'text', '4.0'],
                ['fn', {}, 'text', 'Mark\u0000Monitor'],
              ],
            ],
          },
        ],
        ...events(
          ['registration', '2015-03-01T10:00:00Z'],
          ['last changed', '2020-01-01T00:00:00Z'],
          ['last changed', '2019-01-01T00:00:00Z'],
          ['transfer', '2018-05-05T00:00:00+02:00'],
          ['expiration', '2030-03-01T10:00:00Z'],
        ),
      }),
    ),
    expect: {
      status: 'ok',
      facts: {
        registeredAt: seconds('2015-03-01T10:00:00Z'),
        changedAt: seconds('2020-01-01T00:00:00Z'),
        transferredAt: seconds('2018-05-04T22:00:00Z'),
        expiresAt: seconds('2030-03-01T10:00:00Z'),
        statuses: ['client hold', 'redemption period'],
        registrarIanaId: 292,
        registrarName: 'Mark\uFFFDMonitor',
        nameservers: ['ns1.ok.com', 'ns2.ok.com'],
        delegationSigned: true,
      },
    },
  },
  {
    why: '404: not registered',
    name: 'free.com',
    answer: json({}, { status: 404 }),
    expect: { status: 'absent', reason: 'not_registered' },
  },
  {
    why: '400 is not 404',
    name: 'bad.com',
    answer: json({}, { status: 400 }),
    expect: { status: 'failed', reason: 'unavailable' },
  },
  { why: '503', name: 'down.com', answer: json({}, { status: 503 }), expect: { status: 'failed', reason: 'unavailable' } },
  { why: 'no headers', name: 'silent.com', answer: silence, expect: { status: 'timeout' } },
  { why: 'headers that drip', name: 'dripping.com', answer: slowHeaders, expect: { status: 'timeout' } },
  { why: 'a body that drips', name: 'slow.com', answer: slowBody, expect: { status: 'timeout' } },
  {
    why: 'a web page',
    name: 'html.com',
    answer: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Sign in'),
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'broken JSON',
    name: 'broken.com',
    answer: json('{"objectClassName":"domain",'),
    expect: { status: 'failed', reason: 'malformed' },
  },
  { why: 'a list', name: 'list.com', answer: json([aDomain('list.com')]), expect: { status: 'failed', reason: 'malformed' } },
  { why: 'null', name: 'null.com', answer: json('null'), expect: { status: 'failed', reason: 'malformed' } },
  { why: 'a body without end', name: 'endless.com', answer: endless, expect: { status: 'failed', reason: 'malformed' } },
  {
    why: 'a body that unfolds to 50 MB',
    name: 'bomb.com',
    answer: (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, ' '))),
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'a body that is said to be gzip and is not',
    name: 'nozip.com',
    answer: (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(JSON.stringify(aDomain('nozip.com'))),
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'gzip that nobody asked for',
    name: 'zip.com',
    answer: (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(JSON.stringify(aDomain('zip.com')))),
    expect: { status: 'ok' },
  },
  { why: 'one redirect', name: 'moved.com', answer: redirect('/elsewhere/moved.com'), expect: { status: 'ok' } },
  {
    why: 'redirects in a circle',
    name: 'circle.com',
    answer: redirect('/domain/circle.com'),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect to plain http',
    name: 'plain.com',
    answer: redirect('http://93.184.216.34/domain/plain.com'),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect to a file',
    name: 'file.com',
    answer: redirect('file:///etc/passwd'),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect to data',
    name: 'data.com',
    answer: redirect('data:application/json,{}'),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect with a user',
    name: 'user.com',
    answer: redirect('https://user:secret@93.184.216.34/'),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect to loopback',
    name: 'loopback.com',
    answer: (request, response) => redirect(`https://127.0.0.1:${canary.port}/`)(request, response),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect to a name on loopback',
    name: 'localname.com',
    answer: (request, response) => redirect(`https://inside.test:${canary.port}/`)(request, response),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect to the metadata service',
    name: 'metadata.com',
    answer: redirect('https://169.254.169.254/latest/meta-data/'),
    expect: { status: 'failed', reason: 'blocked' },
  },
  {
    why: 'a redirect to no address',
    name: 'nowhere.com',
    answer: redirect('https://['),
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'no dates here, and a related link that leads back',
    name: 'thin.com',
    answer: json(
      aDomain('thin.com', {
        events: [],
        links: [{ rel: 'related', type: 'application/rdap+json', href: 'SELF/domain/thin.com' }],
      }),
    ),
    expect: { status: 'ok', facts: { registeredAt: null, expiresAt: null } },
  },
  {
    why: 'no dates here, but with the registrar',
    name: 'registrar.com',
    answer: json(
      aDomain('registrar.com', {
        events: undefined,
        links: [{ rel: 'related', type: 'application/rdap+json', href: 'SELF/elsewhere/registrar.com' }],
      }),
    ),
    expect: { status: 'ok', facts: { registeredAt: seconds('2011-01-01T00:00:00Z'), statuses: ['client transfer prohibited'] } },
  },
  {
    why: 'a date without a zone is UTC',
    name: 'zoneless.com',
    answer: json(aDomain('zoneless.com', events(['registration', '2015-03-01T10:00:00'], ['expiration', '2030-03-01']))),
    expect: {
      status: 'ok',
      facts: { registeredAt: seconds('2015-03-01T10:00:00Z'), expiresAt: seconds('2030-03-01T00:00:00Z') },
    },
  },
  {
    why: 'the year 1 is no date',
    name: 'year1.com',
    answer: json(aDomain('year1.com', events(['registration', '0001-01-01T00:00:00Z']))),
    expect: { status: 'ok', facts: { registeredAt: null } },
  },
  {
    why: 'the future is told as it is',
    name: 'future.com',
    answer: json(aDomain('future.com', events(['registration', '2091-01-01T00:00:00Z']))),
    expect: { status: 'ok', facts: { registeredAt: seconds('2091-01-01T00:00:00Z') } },
  },
  {
    why: 'of several registrations the earliest counts',
    name: 'twice.com',
    answer: json(
      aDomain('twice.com', events(['registration', '2019-01-01T00:00:00Z'], ['registration', '2004-01-01T00:00:00Z'])),
    ),
    expect: { status: 'ok', facts: { registeredAt: seconds('2004-01-01T00:00:00Z') } },
  },
  {
    why: 'fields of the wrong kind are absent',
    name: 'odd.com',
    answer: json(
      aDomain('odd.com', {
        events: { eventAction: 'registration' },
        status: 'ok',
        nameservers: [null, 7],
        entities: [[]],
        secureDNS: 1,
      }),
    ),
    expect: {
      status: 'ok',
      facts: { registeredAt: null, statuses: [], nameservers: [], delegationSigned: null, registrarName: null },
    },
  },
  {
    why: 'a name in its own script is the same name',
    name: 'xn--bcher-kva.com',
    answer: json(aDomain('x', { ldhName: 'B\u00dcCHER.com.' })),
    expect: { status: 'ok' },
  },
  {
    why: 'an answer about another name',
    name: 'asked.com',
    answer: json(aDomain('other.com')),
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'an answer without a name',
    name: 'noname.com',
    answer: json({ ...aDomain('x'), ldhName: undefined }),
    expect: { status: 'failed', reason: 'malformed' },
  },
]

beforeAll(async () => {
  canary = await aCanary()
  dns = await startDnsServer(zone({ 'inside.test A': a('inside.test', '127.0.0.1') }))
  let self = ''
  const routes = Object.fromEntries(
    CASES.map(({ name, answer }): [string, Handler] => [
      `/domain/${name}`,
      (request, response) => {
        const end = response.end.bind(response)
        // The address of the server is not known before it runs.
        response.end = ((body: unknown) => end(typeof body === 'string' ? body.replaceAll('SELF', self) : body)) as never
        answer(request, response)
      },
    ]),
  )
  registry = await startHttpServer({
    ...routes,
    '/domain/busy.com': json({}, { status: 429, headers: { 'retry-after': '900' } }),
    '/elsewhere/moved.com': json(aDomain('moved.com')),
    '/elsewhere/registrar.com': json(
      aDomain('registrar.com', { status: [], ...events(['registration', '2011-01-01T00:00:00Z']) }),
    ),
    '/dns.json': (request, response) =>
      json({
        services: [
          [['com', 'CO.UK'], ['http://127.0.0.1:9/', `${self}/`].reverse()],
          [['net'], ['http://127.0.0.1:1/']],
          [['bad'], []],
        ],
      })(request, response),
  })
  self = registry.url
  trust = await startTrust({ dns, allowedPorts: [registry.port, 1], lists: [aBootstrap(`${registry.url}/dns.json`)] })
  await trust.refreshLists()
})
afterAll(async () => {
  await trust.close()
  await registry.close()
  await dns.close()
  canary.close()
})

/**
 * Each case in a process that has seen none of the others, or their failures would leave the
 * registry alone.
 */
async function evidenceOf(name: string): Promise<RdapEvidence> {
  const own = await startTrust({ dns, allowedPorts: [registry.port, 1], database: trust.database })
  try {
    return await own.ask('rdap', name)
  } finally {
    await own.close()
  }
}

test.each(CASES)('$name: $why', async ({ name, expect: expected }) => {
  expect(await evidenceOf(name)).toMatchObject({ subject: name, ...expected })
})

test('no redirect has reached the listener inside', () => {
  expect(canary.connections()).toBe(0)
})

test('a 429 is retried when the registry allows it, not before', async () => {
  const answer = await evidenceOf('busy.com')
  expect(answer).toMatchObject({ status: 'failed', reason: 'rate_limited' })
  expect(answer.validUntil - answer.collectedAt).toBe(900)
})

test.each([
  { why: 'a top-level domain without RDAP', name: 'nic.de', expected: { status: 'skipped', reason: 'no_service' } },
  { why: 'a registry where nobody listens', name: 'gone.net', expected: { status: 'failed', reason: 'unavailable' } },
  { why: 'an entry without addresses', name: 'x.bad', expected: { status: 'skipped', reason: 'no_service' } },
  { why: 'the longest matching entry', name: 'shop.co.uk', expected: { status: 'absent', reason: 'not_registered' } },
])('$name: $why', async ({ name, expected }) => {
  expect(await evidenceOf(name)).toMatchObject(expected)
})

test('an address and a public suffix have no registration', async () => {
  const ofAddress = await trust.evidenceFor({ host: '93.184.216.34', registrable: null })
  expect(ofAddress.sources.rdap).toMatchObject({ status: 'skipped', reason: 'not_applicable' } satisfies Partial<RdapEvidence>)
})

test('before the list of registries is loaded, a missing top-level domain is unknown, not without RDAP', async () => {
  const own = await startTrust({ dns })
  expect(await own.ask('rdap', 'nic.de')).toMatchObject({ status: 'failed', reason: 'unavailable' })
  await own.close()
})

test('until the list of IANA is loaded, the shipped copy names the registries; then only the list', async () => {
  const own = await startTrust({ dns })
  const of = (name: string) => rdapServiceOf(own.lists, name)
  expect([await of('a.com'), await of('a.shop'), await of('a.de')]).toEqual([
    'https://rdap.verisign.com/com/v1/',
    'https://rdap.gmoregistry.net/rdap/',
    'unknown',
  ])
  await own.close()
  expect([await rdapServiceOf(trust.lists, 'a.com'), await rdapServiceOf(trust.lists, 'a.shop')]).toEqual([
    `${registry.url}/`,
    'none',
  ])
})

test('a registry that keeps failing is not queried, and others are', async () => {
  const failing = await startHttpServer({ '*': json({}, { status: 503 }) })
  const list = json({
    services: [
      [['com'], [`${failing.url}/`]],
      [['org'], [`${registry.url}/`]],
    ],
  })
  const lists = await startHttpServer({ '/': list })
  const own = await startTrust({
    dns,
    allowedPorts: [failing.port, registry.port, lists.port],
    lists: [aBootstrap(`${lists.url}/`)],
  })
  await own.refreshLists()
  for (const number of [1, 2, 3, 4, 5, 6, 7]) {
    expect(await own.ask('rdap', `host-${number}.com`)).toMatchObject({ status: 'failed', reason: 'unavailable' })
  }
  expect(failing.requests).toHaveLength(5)
  expect(await own.ask('rdap', 'nobody.org')).toMatchObject({ status: 'absent' })
  await own.close()
  await Promise.all([failing.close(), lists.close()])
})

test('it is queried again after a pause, and an answer about a name is no failure', async () => {
  let now = 0
  const { run: through } = createCircuits(pino({ level: 'silent' }), () => now)
  const answered = async (reason: FaultReason | null): Promise<string> => {
    let isQueried = false
    await through('registry.test', async () => {
      isQueried = true
      if (reason) throw new Fault(reason, 'as told')
    }).catch(() => {})
    return isQueried ? 'asked' : 'left alone'
  }
  for (const reason of ['malformed', 'blocked', 'no_capacity'] as const)
    for (let time = 0; time < 10; time++) await answered(reason)
  expect(await answered(null)).toBe('asked')
  now += 60_000
  for (const reason of ['timeout', 'unavailable', 'rate_limited', 'refused', 'no_tls'] as const) await answered(reason)
  expect(await answered(null)).toBe('left alone')
  now += 5_000
  expect([await answered(null), await answered(null)]).toEqual(['asked', 'asked'])
})

test('a registry is queried over HTTPS, by name, and only with a certificate for its name', async () => {
  const authority = await anAuthority()
  const right = await startHttpServer(
    { '/domain/a.com': json(aDomain('a.com')) },
    { tls: await aCertificate({ names: ['rdap.test'], authority }) },
  )
  const wrong = await startHttpServer(
    { '*': json(aDomain('a.net')) },
    { tls: await aCertificate({ names: ['other.test'], authority }) },
  )
  const names = await startDnsServer(zone({ 'rdap.test A': a('rdap.test', '127.0.0.1') }))
  const list = await startHttpServer({
    '/': json({
      services: [
        [['com'], [`https://rdap.test:${right.port}/`]],
        [['net'], [`https://rdap.test:${wrong.port}/`]],
      ],
    }),
  })
  const own = await startTrust({
    dns: names,
    lists: [aBootstrap(list.url)],
    network: { authorities: [authority.pem], allow: ({ port }) => [right.port, wrong.port, list.port].includes(port) },
  })
  await own.refreshLists()
  expect(await own.ask('rdap', 'a.com')).toMatchObject({ status: 'ok', version: `rdap.test:${right.port}` })
  expect(await own.ask('rdap', 'a.net')).toMatchObject({ status: 'failed', reason: 'unavailable' })
  expect(wrong.requests).toEqual([])
  await own.close()
  await Promise.all([right, wrong, list, names].map(({ close }) => close()))
})
