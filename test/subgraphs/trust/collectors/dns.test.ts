import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DnsEvidence, DnsFacts } from '../../../../subgraphs/trust/evidence.ts'
import {
  a,
  aaaa,
  cname,
  type DnsServer,
  encode,
  REFUSED,
  type Reply,
  SERVFAIL,
  startDnsServer,
  txt,
  zone,
} from '../../../support/dns-server.ts'
import { startTrust, type Trust } from './support/trust.ts'

const PUBLIC = '93.184.216.34'

/**
 * A case: what the name server says, and what becomes of it. `facts` are those that the case is
 * about.
 */
type Case = {
  readonly why: string
  readonly host: string
  readonly zone: Parameters<typeof zone>[0]
  readonly expect: { readonly status: DnsEvidence['status']; readonly reason?: string; readonly facts?: Partial<DnsFacts> }
}

const ok = (facts: Partial<DnsFacts>): Case['expect'] => ({ status: 'ok', facts })
/** A pointer to itself in the place of an owner's name. */
const compressionLoop = (): Reply => Buffer.alloc(0)

const CASES: readonly Case[] = [
  { why: 'silence', host: 'silent.test', zone: { 'silent.test *': 'silence' }, expect: { status: 'timeout' } },
  {
    why: 'SERVFAIL',
    host: 'servfail.test',
    zone: { 'servfail.test *': { rcode: SERVFAIL } },
    expect: { status: 'failed', reason: 'servfail' },
  },
  {
    why: 'REFUSED',
    host: 'refused.test',
    zone: { 'refused.test *': { rcode: REFUSED } },
    expect: { status: 'failed', reason: 'servfail' },
  },
  {
    why: 'a lame server, which names others instead of asking them',
    host: 'lame.test',
    zone: { 'lame.test *': { authorities: [{ type: 'NS', name: '.', data: 'a.root-servers.net', ttl: 300 }] } },
    expect: { status: 'failed', reason: 'servfail' },
  },
  {
    why: 'no such records, as the SOA beside the servers says',
    host: 'empty.test',
    zone: {
      'empty.test *': {
        authorities: [
          { type: 'NS', name: 'empty.test', data: 'ns.empty.test', ttl: 300 },
          {
            type: 'SOA',
            name: 'empty.test',
            ttl: 300,
            data: {
              mname: 'ns.empty.test',
              rname: 'h.empty.test',
              serial: 1,
              refresh: 3600,
              retry: 600,
              expire: 86_400,
              minimum: 300,
            },
          },
        ],
      },
    },
    expect: ok({ a: [], aaaa: [], unanswered: [] }),
  },
  { why: 'a name that is not there', host: 'nothing.test', zone: {}, expect: { status: 'absent', reason: 'nxdomain' } },
  {
    why: 'a name without addresses is there',
    host: 'nodata.test',
    zone: {
      'nodata.test MX': { answers: [{ type: 'MX', name: 'nodata.test', data: { preference: 10, exchange: 'Mail.Test' } }] },
    },
    expect: ok({ a: [], aaaa: [], mx: ['mail.test'], ttlSeconds: null, unanswered: [] }),
  },
  {
    why: 'a truncated answer is asked for again over TCP',
    host: 'truncated.test',
    zone: {
      'truncated.test A': ({ transport }) =>
        transport === 'udp'
          ? { truncated: true, answers: [{ type: 'A', name: 'truncated.test', data: '10.9.9.9' }] }
          : a('truncated.test', PUBLIC),
    },
    expect: ok({ a: [PUBLIC] }),
  },
  {
    why: 'an answer with another id is not looked at',
    host: 'wrong-id.test',
    zone: {
      'wrong-id.test A': ({ message }) => ({
        ...(a('wrong-id.test', PUBLIC) as object),
        forged: [encode({ ...message, id: ((message.id ?? 0) + 1) % 65_536 }, a('wrong-id.test', '10.6.6.6') as never)],
      }),
    },
    expect: ok({ a: [PUBLIC] }),
  },
  {
    why: 'an answer to another question is not looked at',
    host: 'wrong-question.test',
    zone: {
      'wrong-question.test A': ({ message }) => ({
        ...(a('wrong-question.test', PUBLIC) as object),
        forged: [
          encode({ ...message, questions: [{ type: 'A', name: 'other.test' }] }, a('wrong-question.test', '10.6.6.6') as never),
        ],
      }),
    },
    expect: ok({ a: [PUBLIC] }),
  },
  {
    why: 'a question that comes back as one is no answer',
    host: 'echo.test',
    zone: { 'echo.test A': ({ message }) => ({ ...(a('echo.test', PUBLIC) as object), forged: [echoOf(message)] }) },
    expect: ok({ a: [PUBLIC] }),
  },
  {
    why: 'aliases in a circle',
    host: 'circle.test',
    zone: {
      'circle.test A': { answers: [cname('circle.test', 'round.test'), cname('round.test', 'circle.test')] },
      'circle.test AAAA': { answers: [cname('circle.test', 'round.test'), cname('round.test', 'circle.test')] },
    },
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'aliases without end, one per answer',
    host: 'c0.test',
    zone: Object.fromEntries(
      Array.from({ length: 30 }, (_, index) => [
        `c${index}.test *`,
        { answers: [cname(`c${index}.test`, `c${index + 1}.test`)] },
      ]),
    ),
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'eight aliases are still followed, in order',
    host: 'k0.test',
    zone: {
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, index) => [
          `k${index}.test *`,
          { answers: [cname(`k${index}.test`, `k${index + 1}.test`)] },
        ]),
      ),
      'k8.test A': a('k8.test', PUBLIC),
    },
    expect: ok({ a: [PUBLIC], cnames: ['k1.test', 'k2.test', 'k3.test', 'k4.test', 'k5.test', 'k6.test', 'k7.test', 'k8.test'] }),
  },
  {
    why: 'records of other names are left out',
    host: 'bailiwick.test',
    zone: {
      'bailiwick.test A': {
        answers: [
          { type: 'A', name: 'bailiwick.test', data: PUBLIC, ttl: 300 },
          { type: 'A', name: 'bank.test', data: '10.1.1.1', ttl: 300 },
        ],
      },
    },
    expect: ok({ a: [PUBLIC] }),
  },
  {
    why: '500 addresses over TCP: 64 are kept, and a private one is always among them',
    host: 'crowd.test',
    zone: {
      'crowd.test A': ({ transport }) =>
        transport === 'udp'
          ? { truncated: true }
          : a('crowd.test', ...Array.from({ length: 500 }, (_, index) => `8.8.${index >> 8}.${index & 255}`), '192.168.7.7'),
    },
    expect: ok({ a: expect.arrayContaining(['192.168.7.7', '8.8.0.0']) as never }),
  },
  {
    why: 'a TXT record of 60 KiB with NUL and bytes that are no text',
    host: 'text.test',
    zone: {
      'text.test A': a('text.test', PUBLIC),
      'text.test TXT': ({ transport }) =>
        transport === 'udp'
          ? { truncated: true }
          : txt('text.test', Buffer.concat([Buffer.from('v=spf1 a\0\xff -all '), Buffer.alloc(60_000, 0xfe)])),
    },
    expect: ok({ spf: expect.stringMatching(/^v=spf1 a�/) as never, unanswered: [] }),
  },
  {
    why: 'a name that points to itself',
    host: 'loop.test',
    zone: { 'loop.test *': compressionLoop() },
    expect: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'TTL 0',
    host: 'ttl0.test',
    zone: { 'ttl0.test A': { answers: [{ type: 'A', name: 'ttl0.test', data: PUBLIC, ttl: 0 }] } },
    expect: ok({ ttlSeconds: 0 }),
  },
  {
    why: 'TTL with the highest bit is 0 (RFC 2181)',
    host: 'ttl31.test',
    zone: { 'ttl31.test A': { answers: [{ type: 'A', name: 'ttl31.test', data: PUBLIC, ttl: 2 ** 31 }] } },
    expect: ok({ ttlSeconds: 0 }),
  },
  {
    why: 'a wildcard',
    host: 'wild.test',
    zone: { 'wild.test A': a('wild.test', PUBLIC) },
    expect: ok({ wildcard: true }),
  },
  { why: 'no wildcard', host: 'tame.test', zone: { 'tame.test A': a('tame.test', PUBLIC) }, expect: ok({ wildcard: false }) },
  {
    why: 'IPv6 alone',
    host: 'six.test',
    zone: { 'six.test AAAA': aaaa('six.test', '2606:4700::1') },
    expect: ok({ a: [], aaaa: ['2606:4700::1'] }),
  },
  {
    why: 'one family that is not answered',
    host: 'half.test',
    zone: { 'half.test A': a('half.test', PUBLIC), 'half.test AAAA': { rcode: SERVFAIL } },
    expect: ok({ a: [PUBLIC], unanswered: ['AAAA'] }),
  },
  {
    why: 'everything that is asked for',
    host: 'full.test',
    zone: {
      'full.test A': { ...(a('full.test', PUBLIC, '1.1.1.1') as object), authentic: true },
      'full.test AAAA': { authentic: true },
      'full.test NS': {
        answers: ['NS2.full.test', 'ns1.full.test'].map((data) => ({ type: 'NS' as const, name: 'FULL.test', data })),
      },
      'full.test MX': { answers: [{ type: 'MX', name: 'full.test', data: { preference: 0, exchange: '.' } }] },
      'full.test TXT': txt('full.test', 'google-site-verification=x', 'v=spf1 -all'),
      '_dmarc.full.test TXT': txt('_dmarc.full.test', 'v=DMARC1; p=reject'),
      'full.test CAA': {
        answers: [{ type: 'CAA', name: 'full.test', data: { flags: 0, tag: 'issue', value: 'letsencrypt.org' } as never }],
      },
    },
    expect: ok({
      a: ['1.1.1.1', PUBLIC],
      ns: ['ns1.full.test', 'ns2.full.test'],
      mx: [''],
      spf: 'v=spf1 -all',
      dmarc: 'v=DMARC1; p=reject',
      caa: ['0 issue "letsencrypt.org"'],
      dnssec: 'secure',
      unanswered: [],
    }),
  },
  {
    why: 'a policy for mail that lives elsewhere',
    host: 'hosted.test',
    zone: {
      'hosted.test A': a('hosted.test', PUBLIC),
      '_dmarc.hosted.test TXT': {
        answers: [
          cname('_dmarc.hosted.test', 'hosted.dmarc.test'),
          { type: 'TXT', name: 'hosted.dmarc.test', data: ['v=DMARC1; p=none'] },
        ],
      },
    },
    expect: ok({ dmarc: 'v=DMARC1; p=none' }),
  },
  {
    why: 'signatures that are wrong',
    host: 'bogus.test',
    zone: {
      'bogus.test *': ({ message, type }) =>
        message.flags !== undefined && (message.flags & 0x10) !== 0 && type === 'A'
          ? a('bogus.test', PUBLIC)
          : { rcode: SERVFAIL },
    },
    expect: ok({ dnssec: 'bogus', a: [] }),
  },
  ...['0.0.0.0', '127.0.0.1', '10.0.0.5', '169.254.169.254', '100.64.0.9'].map(
    (address, index): Case => ({
      why: `${address} is evidence`,
      host: `private${index}.test`,
      zone: { [`private${index}.test A`]: a(`private${index}.test`, address) },
      expect: ok({ a: [address] }),
    }),
  ),
  ...['::1', 'fc00::1', 'fe80::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2002:7f00:1::'].map(
    (address, index): Case => ({
      why: `${address} is evidence`,
      host: `private-six${index}.test`,
      zone: { [`private-six${index}.test AAAA`]: aaaa(`private-six${index}.test`, address) },
      expect: ok({ aaaa: [expect.any(String)] as never }),
    }),
  ),
]

let server: DnsServer
let trust: Trust

beforeAll(async () => {
  const answers = zone(Object.assign({}, ...CASES.map((each) => each.zone)))
  server = await startDnsServer((question) => {
    if (question.name.endsWith('.wild.test')) return a(question.name, PUBLIC)
    const reply = answers(question)
    return Buffer.isBuffer(reply) ? loopTo(question.message) : reply
  })
  trust = await startTrust({ dns: server })
})
afterAll(async () => {
  await trust.close()
  await server.close()
})

test.each(CASES)('$host: $why', async ({ host, expect: expected }) => {
  const { facts, ...rest } = expected
  const answer = await trust.ask('dns', host)
  expect(answer).toMatchObject({ subject: host, ...rest, ...(facts ? { facts } : {}) })
  if (answer.status === 'ok') expect(answer.facts.a.length).toBeLessThanOrEqual(64)
})

test('the records of mail and servers are those of the registrable domain, CAA those of the closest name', async () => {
  const records = await startDnsServer(
    zone({
      'www.shop.test A': a('www.shop.test', PUBLIC),
      'shop.test NS': { answers: [{ type: 'NS', name: 'shop.test', data: 'ns.shop.test' }] },
      'shop.test CAA': { answers: [{ type: 'CAA', name: 'shop.test', data: { flags: 128, tag: 'iodef', value: 'a' } as never }] },
    }),
  )
  const own = await startTrust({ dns: records })
  try {
    expect(await own.ask('dns', 'www.shop.test', 'shop.test')).toMatchObject({
      subject: 'www.shop.test',
      facts: { a: [PUBLIC], ns: ['ns.shop.test'], caa: ['128 iodef "a"'] },
    })
  } finally {
    await own.close()
    await records.close()
  }
})

test.each([
  { why: 'nobody listens for TCP', hasTcp: false, expected: { status: 'failed', reason: 'unavailable' } },
  {
    why: 'nobody answers TCP with anything but what UDP said',
    hasTcp: true,
    expected: { status: 'failed', reason: 'malformed' },
  },
])('a truncated answer is discarded when $why', async ({ hasTcp, expected }) => {
  const truncating = await startDnsServer(() => ({ truncated: true }), { hasTcp })
  const own = await startTrust({ dns: truncating })
  try {
    expect(await own.ask('dns', 'cut.test')).toMatchObject(expected)
  } finally {
    await own.close()
    await truncating.close()
  }
})

test('a second server is queried when the first is unreachable or refuses', async () => {
  const dead = await startDnsServer(() => 'silence')
  const refusing = await startDnsServer(() => ({ rcode: REFUSED }))
  const living = await startDnsServer(zone({ 'backup.test A': a('backup.test', PUBLIC) }))
  for (const first of [dead, refusing]) {
    const own = await startTrust({ dns: [first, living] })
    expect(await own.ask('dns', 'backup.test')).toMatchObject({ status: 'ok', facts: { a: [PUBLIC] } })
    await own.close()
  }
  await Promise.all([dead, refusing, living].map(({ close }) => close()))
})

test('without AD an answer is insecure from a server that validates the root, and unknown from one that does not', async () => {
  for (const authentic of [true, false]) {
    const own = await startDnsServer((question) =>
      question.name === '.' ? { authentic } : zone({ 'plain.test A': a('plain.test', PUBLIC) })(question),
    )
    const sources = await startTrust({ dns: own })
    expect(await sources.ask('dns', 'plain.test')).toMatchObject({ facts: { dnssec: authentic ? 'insecure' : 'unknown' } })
    await sources.close()
    await own.close()
  }
})

test('a server that denies every name, even the root, is no evidence that a name does not exist', async () => {
  const island = await startDnsServer(() => ({ rcode: 3 }))
  const own = await startTrust({ dns: island })
  expect(await own.ask('dns', 'example.com')).toMatchObject({ status: 'failed', reason: 'unavailable' })
  expect(await own.ask('tls', 'example.com')).toMatchObject({ status: 'failed', reason: 'unavailable' })
  await own.close()
  await island.close()
})

test('without any server DNS is unavailable, and the rest of the snapshot is there', async () => {
  const own = await startTrust({ dns: null })
  const { sources } = await own.evidenceFor({ host: 'offline.test', registrable: 'offline.test' })
  expect(sources.dns).toMatchObject({ status: 'failed', reason: 'unavailable' })
  expect(Object.keys(sources).sort()).toEqual(['ct', 'dns', 'feeds', 'popularity', 'rdap', 'tls'])
  await own.close()
})

/** An answer whose record's name points to itself. */
function loopTo(message: Parameters<typeof encode>[0]): Buffer {
  const head = encode(message, {})
  head.writeUInt16BE(1, 6)
  const pointer = Buffer.alloc(16)
  pointer.writeUInt16BE(0xc000 | head.length, 0)
  pointer.writeUInt16BE(1, 2)
  return Buffer.concat([head, pointer])
}

function echoOf(message: Parameters<typeof encode>[0]): Buffer {
  const bytes = encode(message, a('echo.test', '10.6.6.6') as never)
  bytes.writeUInt16BE(bytes.readUInt16BE(2) & 0x7fff, 2)
  return bytes
}
