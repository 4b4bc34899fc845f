import net, { type AddressInfo } from 'node:net'
import tls, { type SecureContextOptions } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TlsEvidence, TlsFacts } from '../../../../subgraphs/trust/evidence.ts'
import { type FreshDatabase, freshDatabase } from '../../../support/database.ts'
import { a, startDnsServer, zone } from '../../../support/dns-server.ts'
import { type Authority, aCertificate, anAuthority, type CertificateOptions } from './support/certificates.ts'
import { startTrust } from './support/trust.ts'

const HOST = 'shop.test'

let database: FreshDatabase
let root: Authority
let other: Authority
let middle: Authority

beforeAll(async () => {
  database = await freshDatabase()
  root = await anAuthority('Root')
  other = await anAuthority('Unknown Root')
  middle = await anAuthority('Middle', root)
})
afterAll(() => database.drop())

/** What TLS evidence says about whoever listens on this port. */
async function look(
  port: number,
  { host = HOST, authority = root }: { host?: string; authority?: Authority } = {},
): Promise<TlsEvidence> {
  const dns = await startDnsServer(zone({ [`${host} A`]: a(host, '127.0.0.1') }))
  const trust = await startTrust({
    dns,
    database,
    network: { tlsPort: port, authorities: [authority.pem], allow: (to) => to.port === port },
  })
  try {
    // What was seen of another server under this name.
    await trust.sql('TRUNCATE snapshot, evidence CASCADE')
    return await trust.ask('tls', host)
  } finally {
    await trust.close()
    await dns.close()
  }
}

async function listening(server: net.Server): Promise<{ port: number; close: () => void }> {
  server.on('error', () => {}).on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { port: (server.address() as AddressInfo).port, close: () => server.close() }
}

async function lookAt(server: net.Server, options?: Parameters<typeof look>[1]): Promise<TlsEvidence> {
  const { port, close } = await listening(server)
  try {
    return await look(port, options)
  } finally {
    close()
  }
}

const withCertificate = async (options: CertificateOptions, more: SecureContextOptions = {}): Promise<net.Server> =>
  tls.createServer({ ...(await aCertificate(options)), ...more })

const CERTIFICATES: readonly {
  why: string
  host?: string
  certificate: () => CertificateOptions
  context?: SecureContextOptions
  facts: Partial<TlsFacts>
}[] = [
  {
    why: 'a good certificate',
    certificate: () => ({ names: [HOST, `www.${HOST}`], authority: root, policy: '2.23.140.1.2.1' }),
    facts: {
      protocol: 'TLSv1.3',
      chainTrusted: true,
      selfSigned: false,
      nameMatches: true,
      validation: 'DV',
      names: [HOST, `www.${HOST}`],
      subject: `CN=${HOST}`,
      issuer: 'CN=Root',
    },
  },
  {
    why: 'an organisation behind it',
    certificate: () => ({ names: [HOST], authority: root, policy: '2.23.140.1.2.2' }),
    facts: { validation: 'OV' },
  },
  {
    why: 'extended validation',
    certificate: () => ({ names: [HOST], authority: root, policy: '2.23.140.1.1' }),
    facts: { validation: 'EV' },
  },
  {
    why: 'a policy of its own',
    certificate: () => ({ names: [HOST], authority: root, policy: '1.3.6.1.4.1.1' }),
    facts: { validation: 'unknown' },
  },
  {
    why: 'expired: the chain is trusted all the same',
    certificate: () => ({ names: [HOST], authority: root, from: -100, to: -10 }),
    facts: { chainTrusted: true, nameMatches: true, notAfter: expect.closeTo(Date.now() / 1000 - 864_000, -4) as never },
  },
  {
    why: 'expired and of nobody',
    certificate: () => ({ names: [HOST], authority: other, from: -100, to: -10 }),
    facts: { chainTrusted: false },
  },
  {
    why: 'not yet valid',
    certificate: () => ({ names: [HOST], authority: root, from: 10, to: 90 }),
    facts: { chainTrusted: true },
  },
  {
    why: 'signed by itself',
    certificate: () => ({ names: [HOST], authority: null }),
    facts: { chainTrusted: false, selfSigned: true, nameMatches: true },
  },
  {
    why: 'expired and signed by itself',
    certificate: () => ({ names: [HOST], authority: null, from: -100, to: -10 }),
    facts: { chainTrusted: false, selfSigned: true },
  },
  {
    why: 'an unknown authority',
    certificate: () => ({ names: [HOST], authority: other }),
    facts: { chainTrusted: false, selfSigned: false },
  },
  { why: 'an incomplete chain', certificate: () => ({ names: [HOST], authority: middle }), facts: { chainTrusted: false } },
  {
    why: 'a complete chain',
    certificate: () => ({ names: [HOST], authority: middle, chain: [middle.pem] }),
    facts: { chainTrusted: true },
  },
  {
    why: 'a complete chain, expired',
    certificate: () => ({ names: [HOST], authority: middle, chain: [middle.pem], from: -90, to: -1 }),
    facts: { chainTrusted: true },
  },
  {
    why: 'another name',
    certificate: () => ({ names: ['other.test'], authority: root }),
    facts: { nameMatches: false, chainTrusted: true },
  },
  {
    why: 'a wildcard stands for one label',
    host: 'a.shop.test',
    certificate: () => ({ names: ['*.shop.test'], authority: root }),
    facts: { nameMatches: true },
  },
  {
    why: 'and not for two',
    host: 'a.b.shop.test',
    certificate: () => ({ names: ['*.shop.test'], authority: root }),
    facts: { nameMatches: false },
  },
  { why: 'nor for none', certificate: () => ({ names: ['*.shop.test'], authority: root }), facts: { nameMatches: false } },
  {
    why: 'the common name alone is no match',
    certificate: () => ({ commonName: HOST, authority: root }),
    facts: { nameMatches: false, names: [] },
  },
  {
    why: 'an international name',
    host: 'xn--bcher-kva.test',
    certificate: () => ({ names: ['xn--bcher-kva.test'], authority: root }),
    facts: { nameMatches: true },
  },
  {
    why: 'SHA-1 and RSA with 1,024 bits are looked at',
    certificate: () => ({
      names: [HOST],
      authority: null,
      algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-1', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) },
    }),
    context: { ciphers: 'DEFAULT@SECLEVEL=0' },
    facts: { selfSigned: true, chainTrusted: false },
  },
  {
    why: 'TLS 1.0 alone is looked at',
    certificate: () => ({ names: [HOST], authority: root }),
    context: { minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
    facts: { protocol: 'TLSv1', nameMatches: true },
  },
  {
    why: 'of 2,000 names 100 are kept, and all are compared',
    host: 'z.last.test',
    certificate: () => ({
      names: [...Array.from({ length: 2_000 }, (_, index) => `n${index}.test`), 'z.last.test'],
      authority: root,
    }),
    facts: { nameMatches: true, names: expect.objectContaining({ length: 100 }) as never },
  },
]

test.each(CERTIFICATES)('$why', async ({ host, certificate, context, facts }) => {
  const answer = await lookAt(await withCertificate(certificate(), context), host ? { host } : {})
  expect(answer).toMatchObject({ status: 'ok', facts })
})

/** Servers that do something else than to shake hands. */
const OTHERS: readonly { why: string; serve: () => net.Server | Promise<net.Server>; expected: object }[] = [
  {
    why: 'silence after the connection',
    serve: () => net.createServer((socket) => void socket.on('error', () => {})),
    expected: { status: 'timeout' },
  },
  {
    why: 'closed in the middle of the handshake',
    serve: () => net.createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.destroy())),
    expected: { status: 'failed', reason: 'unavailable' },
  },
  {
    why: 'plain HTTP',
    serve: () =>
      net.createServer(
        (socket) => void socket.on('error', () => {}).once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
      ),
    expected: { status: 'absent', reason: 'no_tls' },
  },
  {
    why: 'a server that speaks first, and not TLS',
    serve: () => net.createServer((socket) => void socket.on('error', () => {}).write('220 mail.test ESMTP\r\n')),
    expected: { status: 'absent', reason: 'no_tls' },
  },
  {
    why: 'an alert instead of a certificate',
    serve: async () =>
      tls.createServer({
        ...(await aCertificate({ names: [HOST], authority: root })),
        SNICallback: (_, callback) => callback(new Error('unknown name')),
      }),
    expected: { status: 'failed', reason: 'unavailable' },
  },
  {
    why: 'a certificate of a megabyte',
    serve: () => withCertificate({ names: [HOST], authority: root, ballast: 1_000_000 }),
    expected: { status: 'failed', reason: 'malformed' },
  },
  {
    why: '10,000 names',
    serve: () =>
      withCertificate({
        names: Array.from({ length: 10_000 }, (_, index) => `a-rather-long-name-${index}.test`),
        authority: root,
      }),
    expected: { status: 'failed', reason: 'malformed' },
  },
  {
    why: 'a chain of 200 certificates',
    serve: async () => withCertificate({ names: [HOST], authority: root, chain: Array.from({ length: 200 }, () => middle.pem) }),
    expected: { subject: HOST },
  },
]

test.each(OTHERS)('$why', async ({ serve, expected }) => {
  expect(await lookAt(await serve())).toMatchObject(expected)
})

test('a refused connection is reported as no service', async () => {
  const { port, close } = await listening(net.createServer())
  close()
  expect(await look(port)).toMatchObject({ status: 'absent', reason: 'refused' })
})

test('the name goes with the handshake, and not a byte after it', async () => {
  const identity = await aCertificate({ names: [HOST], authority: root })
  const fallback = await aCertificate({ names: ['default.test'], authority: root })
  const names: string[] = []
  let bytes = 0
  const server = tls.createServer({
    ...fallback,
    SNICallback: (name, callback) => {
      names.push(name)
      callback(null, tls.createSecureContext(identity))
    },
  })
  server.on('secureConnection', (socket) => {
    socket.on('error', () => {}).on('data', (chunk: Buffer) => (bytes += chunk.length))
    // Whoever reads this has read too much.
    socket.write('x'.repeat(100_000))
  })
  expect(await lookAt(server)).toMatchObject({ status: 'ok', facts: { nameMatches: true } })
  expect({ names, bytes }).toEqual({ names: [HOST], bytes: 0 })
})

test('a server that requests renegotiation is read once, and disconnected', async () => {
  const server = tls.createServer({ ...(await aCertificate({ names: [HOST], authority: root })), maxVersion: 'TLSv1.2' })
  const handshakes: (string | null)[] = []
  const renegotiated = Promise.withResolvers<Error | null>()
  server.on('secureConnection', (socket) => {
    handshakes.push(socket.getProtocol())
    socket.on('error', () => {})
    // As long as nothing else is sent, this is what the other side reads first.
    socket.renegotiate({}, (error) => renegotiated.resolve(error))
    socket.on('close', () => renegotiated.resolve(new Error('closed')))
  })
  expect(await lookAt(server)).toMatchObject({
    status: 'ok',
    facts: { protocol: 'TLSv1.2', nameMatches: true, chainTrusted: true },
  })
  expect(await renegotiated.promise).toBeInstanceOf(Error)
  expect(handshakes).toEqual(['TLSv1.2'])
})
