import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { safeNetwork } from '../../../../platform/outbound/safe-connect.ts'
import { phishingUrls } from '../../../../subgraphs/trust/collectors/list-formats.ts'
import { aCanary } from '../../../support/canary.ts'
import { type Answerer, a, aaaa, cname, type DnsServer, type Reply, startDnsServer, zone } from '../../../support/dns-server.ts'
import { json, redirect, startHttpServer } from '../../../support/http-server.ts'
import { aBootstrap, aList, startTrust, type Trust, type TrustOptions } from './support/trust.ts'

const HOST = 'victim.test'
const cleanups: (() => unknown)[] = []
let canary: Awaited<ReturnType<typeof aCanary>>

beforeEach(async () => {
  canary = await aCanary()
})
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
  canary.close()
})

/** Sources that look for TLS where the canary sits. */
async function aTrust(answer: Answerer, options: Partial<TrustOptions> = {}): Promise<{ trust: Trust; dns: DnsServer }> {
  const dns = await startDnsServer(answer)
  const trust = await startTrust({ dns, network: { tlsPort: canary.port }, ...options })
  cleanups.push(dns.close, trust.close)
  return { trust, dns }
}

test('the check itself works: an allowed loopback address is connected to', async () => {
  const { trust } = await aTrust(zone({ [`${HOST} A`]: a(HOST, '127.0.0.1') }), {
    network: { tlsPort: canary.port, allow: () => true },
  })
  await trust.ask('tls', HOST)
  expect(canary.connections()).toBe(1)
})

const ANSWERS: readonly { why: string; records: Readonly<Record<string, Reply>> }[] = [
  ...['127.0.0.1', '127.1.2.3', '0.0.0.0', '10.0.0.1', '169.254.169.254', '100.64.0.1'].map((address) => ({
    why: address,
    records: { [`${HOST} A`]: a(HOST, address) },
  })),
  ...['::1', '::', '::ffff:127.0.0.1', 'fe80::1', 'fc00::1', '64:ff9b::7f00:1', '2002:7f00:1::', '2001::1'].map((address) => ({
    why: address,
    records: { [`${HOST} AAAA`]: aaaa(HOST, address) },
  })),
  { why: 'a public address with a private one behind it', records: { [`${HOST} A`]: a(HOST, '93.184.216.34', '127.0.0.1') } },
  {
    why: 'a public IPv4 and a private IPv6 address',
    records: { [`${HOST} A`]: a(HOST, '93.184.216.34'), [`${HOST} AAAA`]: aaaa(HOST, '::1') },
  },
  {
    why: 'an alias that leads inside',
    records: { [`${HOST} A`]: { answers: [cname(HOST, 'inside.test'), { type: 'A', name: 'inside.test', data: '127.0.0.1' }] } },
  },
  {
    why: 'the last of 500',
    records: { [`${HOST} A`]: a(HOST, ...Array.from({ length: 50 }, (_, index) => `93.184.216.${index}`), '127.0.0.1') },
  },
]

test.each(ANSWERS)('nothing is connected to when DNS answers $why', async ({ records }) => {
  const { trust } = await aTrust(zone(records))
  const { sources } = await trust.evidenceFor({ host: HOST, registrable: HOST })
  expect(sources.tls).toMatchObject({ status: 'skipped', reason: 'not_applicable' })
  expect(sources.dns).toMatchObject({ status: 'ok' })
  expect(canary.connections()).toBe(0)
})

test('DNS rebinding: a host name is resolved once and connected to by address', async () => {
  let answers = 0
  // 192.0.2.1 leads nowhere; the rule makes it look public.
  const rebinding: Answerer = ({ name, type }) =>
    name === HOST && type === 'A' ? a(HOST, answers++ === 0 ? '192.0.2.1' : '127.0.0.1') : {}
  const { trust, dns } = await aTrust(rebinding, {
    network: { tlsPort: canary.port, allow: ({ address }) => address === '192.0.2.1' },
  })
  const { sources } = await trust.evidenceFor({ host: HOST, registrable: HOST })
  expect(sources.dns).toMatchObject({ facts: { a: ['192.0.2.1'] } })
  expect(sources.tls.status).not.toBe('ok')
  expect(dns.queries.filter((each) => each === `${HOST} A`)).toHaveLength(1)
  expect(canary.connections()).toBe(0)
})

test('a registry whose name resolves to a private address is not queried, even if it was public before', async () => {
  let isInside = false
  const dns = await startDnsServer(({ name, type }) =>
    name === 'rdap.test' && type === 'A' ? a(name, isInside ? '127.0.0.1' : '192.0.2.1') : {},
  )
  const list = await startHttpServer({ '/': json({ services: [[['com'], [`https://rdap.test:${canary.port}/`]]] }) })
  const trust = await startTrust({
    dns,
    lists: [aBootstrap(list.url)],
    network: { tlsPort: canary.port, allow: ({ address, port }) => port === list.port || address === '192.0.2.1' },
  })
  cleanups.push(dns.close, list.close, trust.close)
  await trust.refreshLists()
  isInside = true
  expect(await trust.ask('rdap', 'any.com')).toMatchObject({ status: 'failed', reason: 'blocked' })
  expect(canary.connections()).toBe(0)
})

test('a list that redirects to a private address is not loaded', async () => {
  const list = await startHttpServer({ '/': redirect(`https://127.0.0.1:${canary.port}/`) })
  const trust = await startTrust({
    dns: null,
    allowedPorts: [list.port],
    network: { tlsPort: canary.port, allow: ({ port }) => port === list.port },
    lists: [aList({ name: 'openphish', url: list.url, format: phishingUrls })],
  })
  cleanups.push(list.close, trust.close)
  await trust.refreshLists()
  expect((await trust.lists.states(['openphish']))[0]).toMatchObject({ edition: null, fault: expect.stringMatching(/loopback/) })
  expect(canary.connections()).toBe(0)
})

test('proxy environment variables are ignored', async () => {
  const list = await startHttpServer({ '/': json({ services: [[['com'], ['https://192.0.2.1/']]] }) })
  const proxy = `http://127.0.0.1:${canary.port}`
  const before = { ...process.env }
  cleanups.push(() => {
    for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
      if (before[name] === undefined) delete process.env[name]
      else process.env[name] = before[name]
    }
  })
  Object.assign(process.env, {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    ALL_PROXY: proxy,
    NODE_USE_ENV_PROXY: '1',
  })
  const trust = await startTrust({ dns: null, allowedPorts: [list.port], lists: [aBootstrap(list.url)] })
  cleanups.push(list.close, trust.close)
  await trust.refreshLists()
  expect((await trust.lists.states(['iana-rdap']))[0]).toMatchObject({ fault: null })
  expect(canary.connections()).toBe(0)
})

test.each([
  { why: 'a public address on 443', endpoint: { address: '93.184.216.34', port: 443 }, isRefused: false },
  { why: 'a public address on 80', endpoint: { address: '93.184.216.34', port: 80 }, isRefused: false },
  { why: 'another port', endpoint: { address: '93.184.216.34', port: 22 }, isRefused: true },
  { why: 'the address of a DNS server, for anything but DNS', endpoint: { address: '127.0.0.53', port: 443 }, isRefused: true },
  { why: 'a name', endpoint: { address: 'example.org', port: 443 }, isRefused: true },
  { why: 'a path', endpoint: { address: '/var/run/docker.sock', port: 443 }, isRefused: true },
  { why: 'an address in octal', endpoint: { address: '0177.0.0.1', port: 443 }, isRefused: true },
])('by default, the address policy decides $why', async ({ endpoint, isRefused }) => {
  const network = safeNetwork({ resolvers: [{ address: '127.0.0.53', port: 53 }] })
  expect(network.blockReason(endpoint) !== null).toBe(isRefused)
  if (isRefused) await expect(network.connect(endpoint, AbortSignal.timeout(1_000))).rejects.toMatchObject({ reason: 'blocked' })
})

test('only the guarded connection opens sockets', () => {
  const root = join(import.meta.dirname, '../../../..')
  const opens =
    /\b(?:(?:net|tls|http2?)\.(?:connect|createConnection|request|get)|createSocket|createConnection|new (?:net\.)?Socket|WebSocket|EventSource|fetch)\s*\(|from 'node:(?:https?|http2|dns\/promises)'/
  const offenders = globSync(['subgraphs/trust/collectors/*.ts', 'platform/outbound/*.ts'], { cwd: root }).filter((file) =>
    opens.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(offenders).toEqual(['platform/outbound/safe-connect.ts'])
})
