import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import { afterAll, afterEach, expect, test } from 'vitest'
import { networkFiles } from '../../../../subgraphs/trust/collectors/networks.ts'
import { a, startDnsServer, zone } from '../../../support/dns-server.ts'
import { mmdbOf } from './support/mmdb.ts'
import { startTrust } from './support/trust.ts'

const folder = mkdtempSync(join(tmpdir(), 'networks-'))
afterAll(() => rmSync(folder, { recursive: true }))
const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

const log = pino({ level: 'silent' })
let files = 0
/** A file of the test; returns its path. */
function aFile(content: string | Buffer, path = join(folder, `file-${files++}`)): string {
  writeFileSync(path, content)
  return path
}
async function read(path: string, timeoutMs = 60_000) {
  const networks = networkFiles([path], { log, timeoutMs, signal: new AbortController().signal })
  await networks.refresh()
  return networks
}

const TSV = `1.0.0.0\t1.0.0.255\t13335\tUS\tCLOUDFLARENET
1.0.1.0\t1.0.3.255\t0\tNone\tNot routed
93.184.216.0\t93.184.216.255\t15133\tUS\tEDGECAST
203.0.112.0\t203.0.112.255\t64500\tDE\tFriendly Hosting Company
2a01:4f8::\t2a01:4f8:ffff:ffff:ffff:ffff:ffff:ffff\t24940\tDE\tHETZNER-AS
`

test('IPtoASN, packed or not: networks of both families, with whether they rent servers out', async () => {
  for (const content of [TSV, gzipSync(TSV), TSV.replaceAll('\n', '\r\n')]) {
    const { of, status } = await read(aFile(content))
    expect(status()).toEqual({ name: 'networks', state: 'up', reason: null })
    expect(of(['1.0.0.7', '93.184.216.34', '203.0.112.0', '203.0.112.255', '2a01:4f8:1::7'])).toEqual([
      { address: '1.0.0.7', asn: 13335, name: 'CLOUDFLARENET', isHosting: true },
      { address: '93.184.216.34', asn: 15133, name: 'EDGECAST', isHosting: null },
      { address: '203.0.112.0', asn: 64500, name: 'Friendly Hosting Company', isHosting: true },
      { address: '203.0.112.255', asn: 64500, name: 'Friendly Hosting Company', isHosting: true },
      { address: '2a01:4f8:1::7', asn: 24940, name: 'HETZNER-AS', isHosting: true },
    ])
    // The same address as IPv6 sockets spell it.
    expect(of(['::ffff:93.184.216.34', '::ffff:5db8:d822'])).toMatchObject([{ asn: 15_133 }, { asn: 15_133 }])
    // Before, between and behind the ranges, and what is not routed.
    expect(of(['0.0.0.1', '1.0.1.5', '1.0.4.0', '203.0.113.0', '255.255.255.255', '2a01:4f9::1', '::1', 'x'])).toEqual([])
  }
})

test('a MaxMind database: systems by the prefix that an address belongs to; the file may say who hosts', async () => {
  const database = mmdbOf({
    '93.184.216.0/24': {
      autonomous_system_number: 15_133,
      autonomous_system_organization: 'Edgecast, a name of more than 29 letters',
    },
    '203.0.112.128/25': { autonomous_system_number: 64_500, is_hosting_provider: true },
    '198.51.99.7/32': { autonomous_system_number: 13_335, is_hosting_provider: false },
    '192.0.1.0/24': { country: 'DE' },
  })
  const { of, status } = await read(aFile(database))
  expect(status()).toMatchObject({ state: 'up' })
  expect(of(['93.184.216.255', '203.0.112.127', '203.0.112.128', '198.51.99.7', '198.51.99.8', '192.0.1.1'])).toEqual([
    { address: '93.184.216.255', asn: 15_133, name: 'Edgecast, a name of more than 29 letters', isHosting: null },
    { address: '203.0.112.128', asn: 64_500, name: null, isHosting: true },
    { address: '198.51.99.7', asn: 13_335, name: null, isHosting: false },
  ])
})

test('the evidence of DNS has the networks of the addresses, and the state of sources a row', async () => {
  const dns = await startDnsServer(zone({ 'a.example.com A': a('a.example.com', '93.184.216.34') }))
  cleanups.push(dns.close)
  const path = aFile(TSV)
  const trust = await startTrust({ dns, networkFiles: [path] })
  cleanups.push(trust.close)
  expect((await trust.status()).find(({ name }) => name === 'networks')).toMatchObject({ state: 'untried' })
  trust.start()
  await expect
    .poll(async () => (await trust.status()).find(({ name }) => name === 'networks'), { timeout: 20_000 })
    .toMatchObject({ state: 'up' })
  expect(await trust.ask('dns', 'a.example.com', 'example.com')).toMatchObject({
    status: 'ok',
    facts: { networks: [{ address: '93.184.216.34', asn: 15_133, name: 'EDGECAST', isHosting: null }] },
  })
})

/** A record that contains itself, by a pointer to the begin of the data. */
const circle = Buffer.from([(7 << 5) | 1, (2 << 5) | 1, 0x61, 1 << 5, 0])
/** Lists of lists: 28 to the power of 9 values in some hundred bytes. */
const bomb = Buffer.concat(
  Array.from({ length: 10 }, (_, level) => {
    const next = (level + 1) * 58
    const pointer = Buffer.from([(1 << 5) | (next >> 8), next & 255])
    return Buffer.concat([Buffer.from([28, 4]), ...Array.from({ length: 28 }, () => (level < 9 ? pointer : Buffer.from([0, 7])))])
  }),
)

test.each([
  ['a missing file', () => join(folder, 'missing'), 'missing'],
  ['a folder', () => folder, 'unreadable'],
  ['an empty file', () => aFile(''), 'malformed'],
  ['text of another kind', () => aFile('hello\n'.repeat(1_000)), 'malformed'],
  ['a picture', () => aFile(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')), 'malformed'],
  ['addresses that are none', () => aFile('999.0.0.0\t999.0.0.1\t1\tX\tX\n'.repeat(200)), 'malformed'],
  ['a line without its end', () => aFile(TSV.trimEnd()), 'truncated'],
  ['gzip without its end', () => aFile(gzipSync(TSV.repeat(1_000)).subarray(0, 200)), 'truncated'],
  [
    'a database without its end',
    () => aFile(mmdbOf({ '1.2.3.0/24': { autonomous_system_number: 1 } }).subarray(0, 150)),
    'malformed',
  ],
  ['a database whose tree leads out of it', () => aFile(brokenTree()), 'malformed'],
  ['a record that contains itself', () => aFile(mmdbOf({ '1.2.3.0/24': circle })), 'malformed'],
  ['a record of a billion values', () => aFile(mmdbOf({ '1.2.3.0/24': bomb })), 'malformed'],
  ['a zip bomb', () => aFile(gzipSync(Buffer.alloc(300_000_000))), 'too_large'],
  ['a gigabyte', () => aGigabyte(), 'too_large'],
  ['a gigabyte that ends as a database does', () => aGigabyte(mmdbOf({ '1.2.3.0/24': {} }).subarray(-200)), 'too_large'],
  ['a system for each address', () => aFile(manySystems()), 'too_large'],
  ['a pipe that nobody writes to', () => aPipe(), 'unreadable'],
  ['a link to a device without end', () => aLink('/dev/zero'), 'unreadable'],
] as const)('%s is a typed fault, and the service goes on', async (_, path, reason) => {
  const { of, status } = await read(path())
  expect(status()).toEqual({ name: 'networks', state: 'down', reason: expect.stringContaining(`: ${reason}. `) })
  expect(of(['93.184.216.34'])).toEqual([])
})

test('a file that takes too long is a typed fault', async () => {
  const { status } = await read(aFile(TSV), 1)
  expect(status()).toMatchObject({ state: 'down', reason: expect.stringContaining(': timeout. ') })
})

function brokenTree(): Buffer {
  const database = mmdbOf({ '1.2.3.0/24': { autonomous_system_number: 1 } })
  database.writeUIntBE(0xff_ff_f0, 0, 3)
  return database
}
function aGigabyte(end: Buffer | '' = ''): string {
  const path = aFile('')
  truncateSync(path, 1_000_000_000)
  appendFileSync(path, end)
  return path
}
const manySystems = (): string =>
  Array.from({ length: 250_001 }, (_, at) => {
    const address = `1.${at >> 16}.${(at >> 8) & 255}.${at & 255}`
    return `${address}\t${address}\t${at + 1}\tX\tX\n`
  }).join('')
function aPipe(): string {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return path
}
function aLink(to: string): string {
  const path = join(folder, 'link')
  symlinkSync(to, path)
  return path
}

test('the state of sources names the file, not where it is', async () => {
  const { status } = await read(join(folder, 'missing.tsv'))
  expect(status().reason).toMatch(/^missing\.tsv: missing\. /)
})

test('reading that was ended before it began does not begin', async () => {
  const networks = networkFiles([aFile(TSV)], { log, signal: AbortSignal.abort() })
  await networks.refresh()
  expect(networks.status().state).toBe('untried')
})

test('a changed file is read again; a broken one leaves what was there, until it is mended', async () => {
  const path = aFile(TSV)
  const networks = await read(path)
  const asn = () => networks.of(['93.184.216.34'])[0]?.asn
  const change = async (content: string, at: number) => {
    aFile(content, path)
    utimesSync(path, at, at)
    await networks.refresh()
  }
  await change('no networks\n'.repeat(200), 1_000)
  expect([asn(), networks.status().state]).toEqual([15_133, 'down'])
  rmSync(path)
  await networks.refresh()
  expect([asn(), networks.status().reason]).toEqual([15_133, expect.stringContaining('missing')])
  await change(TSV.replace('15133', '64501'), 2_000)
  expect([asn(), networks.status()]).toEqual([64_501, { name: 'networks', state: 'up', reason: null }])
  // Neither its size nor its time has changed.
  await change(TSV.replace('15133', '64502'), 2_000)
  expect(asn()).toBe(64_502)
})
