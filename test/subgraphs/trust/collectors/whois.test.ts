import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WHOIS_REGISTRIES, whoisRegistryOf } from '../../../../subgraphs/trust/collectors/whois-registries.ts'
import { parseWhois, parseWhoisDate } from '../../../../subgraphs/trust/collectors/whois-response.ts'
import { aCanary } from '../../../support/canary.ts'
import { a, type DnsServer, startDnsServer, zone } from '../../../support/dns-server.ts'
import { type HttpServer, json, startHttpServer } from '../../../support/http-server.ts'
import { aBootstrap, startTrust, type Trust } from './support/trust.ts'

const day = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 1000

/** Answers in the forms of the registries, about names of our own. */
const ANSWERS: readonly { name: string; text: string; registered: string; expires: string | null }[] = [
  {
    name: 'shop.jp',
    text: '[ JPRS database provides information ]\r\nDomain Information:\r\n[Domain Name]                   SHOP.JP\r\n\r\n[Created on]                    2001/03/22\r\n[Expires on]                    2031/03/31\r\n[Status]                        Active\r\n',
    registered: '2001-03-22',
    expires: '2031-03-31',
  },
  {
    name: 'shop.co.jp',
    text: 'Domain Information:\na. [Domain Name]                SHOP.CO.JP\n[State]                         Connected (2031/03/31)\n[Registered Date]               1999/11/05\n',
    registered: '1999-11-05',
    expires: null,
  },
  {
    name: 'shop.cn',
    text: 'Domain Name: shop.cn\nROID: 20050505s10001s11652376-cn\nRegistrant: 某某有限公司\nRegistration Time: 2005-05-05 05:38:46\nExpiration Time: 2031-05-05 05:38:46\n',
    registered: '2005-05-05T05:38:46Z',
    expires: '2031-05-05T05:38:46Z',
  },
  {
    name: 'shop.ru',
    text: '% TCI Whois Service.\n\ndomain:        SHOP.RU\nstate:         REGISTERED, DELEGATED, VERIFIED\ncreated:       1997-09-23T09:45:07Z\npaid-till:     2031-09-30T21:00:00Z\n',
    registered: '1997-09-23T09:45:07Z',
    expires: '2031-09-30T21:00:00Z',
  },
  {
    name: 'shop.it',
    text: 'Domain:             shop.it\nStatus:             ok\nCreated:            1999-12-10 00:00:00\nExpire Date:        2031-04-21\n\nRegistrant\n  Created:          2018-03-02 19:04:02\n',
    registered: '1999-12-10',
    expires: '2031-04-21',
  },
  {
    name: 'shop.com.tr',
    text: '** Domain Name: shop.com.tr\nFrozen Status: -\n** Additional Info:\nCreated on..............: 2001-Aug-23.\nExpires on..............: 2031-Aug-22.\n',
    registered: '2001-08-23',
    expires: '2031-08-22',
  },
  {
    name: 'shop.co.kr',
    text: 'query : shop.co.kr\n# ENGLISH\n\nDomain Name                 : shop.co.kr\nRegistered Date             : 2007. 03. 02.\nLast Updated Date           : 2010. 10. 04.\nExpiration Date             : 2031. 03. 02.\n',
    registered: '2007-03-02',
    expires: '2031-03-02',
  },
  {
    name: 'shop.hk',
    text: 'Domain Name: SHOP.HK\nDomain Name Commencement Date: 04-05-2004\nExpiry Date: 16-11-2031\n',
    registered: '2004-05-04',
    expires: '2031-11-16',
  },
  {
    name: 'shop.be',
    text: '% .be Whois Server 6.1\nDomain:\tshop.be\nStatus:\tNOT AVAILABLE\nRegistered:\tTue Dec 12 2000\n',
    registered: '2000-12-12',
    expires: null,
  },
  {
    name: 'shop.co',
    text: 'Domain Name: shop.co\nUpdated Date: 2024-03-01T01:00:00Z\nCreation Date: 2010-07-20T18:00:00Z\nRegistry Expiry Date: 2031-07-19T23:59:59Z\n',
    registered: '2010-07-20T18:00:00Z',
    expires: '2031-07-19T23:59:59Z',
  },
]
const FREE = 'No match!!\n'

type Answer = (socket: net.Socket, query: string) => void
const servers = new Map<string, Answer>()
const queries: string[] = []
let whois: net.Server
let dns: DnsServer
let list: HttpServer
let trust: Trust
let canary: Awaited<ReturnType<typeof aCanary>>

const seconds = (date: string): number => (date.includes('T') ? Date.parse(date) / 1000 : day(date))
const portOf = (server: net.Server) => (server.address() as AddressInfo).port

beforeAll(async () => {
  canary = await aCanary()
  whois = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      const query = bytes.toString()
      queries.push(query)
      const name = query.trim().replace('/e', '')
      const known = ANSWERS.find((each) => each.name === name)
      const answer = servers.get(name) ?? ((open) => open.end(known?.text ?? FREE))
      answer(socket, query)
    })
  })
  whois.listen(0, '127.0.0.1')
  await once(whois, 'listening')
  const hosts = WHOIS_REGISTRIES.map(({ server }) => [`${server} A`, a(server, '127.0.0.1')] as const)
  // One registry's server whose name leads inside.
  const inside = [['whois.nic.kz A', a('whois.nic.kz', '127.0.0.2')] as const]
  dns = await startDnsServer(zone(Object.fromEntries([...hosts, ...inside])))
  list = await startHttpServer({ '/dns.json': json({ services: [[['com'], ['https://rdap.invalid/']]] }) })
  trust = await startTrust({
    dns,
    allowedPorts: [list.port, portOf(whois)],
    network: { whoisPort: portOf(whois), allow: ({ address, port }) => address === '127.0.0.1' && port !== canary.port },
    lists: [aBootstrap(`${list.url}/dns.json`)],
  })
  await trust.refreshLists()
})
afterAll(async () => {
  await trust?.close()
  await list?.close()
  await dns?.close()
  whois?.close()
  canary?.close()
})

test.each(ANSWERS)(
  '$name: the registry of a suffix without RDAP gives its date by WHOIS',
  async ({ name, registered, expires }) => {
    expect(await trust.ask('rdap', name)).toMatchObject({
      status: 'ok',
      version: whoisRegistryOf(name)?.server,
      facts: { registeredAt: seconds(registered), expiresAt: expires === null ? null : seconds(expires), statuses: [] },
    })
  },
)

test('one line is sent, with the suffix that the registry requires', () => {
  expect(queries).toContain('shop.jp/e\r\n')
  expect(queries).toContain('shop.cn\r\n')
})

test('a name that the registry does not know is not registered', async () => {
  expect(await trust.ask('rdap', 'nobody.jp')).toMatchObject({ status: 'absent', reason: 'not_registered' })
})

const noAnswers: readonly { why: string; answer: Answer }[] = [
  { why: 'an empty answer', answer: (socket) => void socket.end() },
  { why: 'a reset', answer: (socket) => void socket.resetAndDestroy() },
  { why: 'silence', answer: () => {} },
  { why: 'a count of queries', answer: (socket) => void socket.end('% Query limit exceeded for 192.0.2.1\n') },
  { why: 'another name', answer: (socket) => void socket.end('domain: other.sk\nValid Until: 2031-01-01\n') },
  { why: 'a web page', answer: (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n<html></html>') },
  { why: 'an answer without end', answer: (socket) => void endless(socket) },
]
function endless(socket: net.Socket): void {
  const piece = Buffer.alloc(16 * 1024, 'x')
  const more = () => {
    while (socket.writable && socket.write(piece));
  }
  socket.on('drain', more)
  more()
}

test.each(noAnswers)('$why counts as a registry that publishes nothing, for ten minutes', async ({ answer }) => {
  const name = `faulty-${noAnswers.findIndex((each) => each.answer === answer)}.sk`
  servers.set(name, answer)
  // A process that has seen none of the other faults: its circuit is closed.
  const own = await startTrust({
    dns,
    network: { whoisPort: portOf(whois), allow: ({ address }) => address === '127.0.0.1' },
    database: trust.database,
  })
  const evidence = await own.ask('rdap', name)
  await own.close()
  expect(evidence).toMatchObject({ status: 'skipped', reason: 'no_service' })
  expect(evidence.validUntil - evidence.collectedAt).toBe(600)
})

test('a server whose name leads into the own network is not connected to', async () => {
  const before = queries.length
  expect(await trust.ask('rdap', 'inside.kz')).toMatchObject({ status: 'skipped', reason: 'no_service' })
  expect(queries).toHaveLength(before)
  expect(canary.connections()).toBe(0)
})

test('an answer without a date, about the name, is of a registry that withholds it', () => {
  const registry = whoisRegistryOf('a.it')
  if (!registry) throw new Error('Expected a row for .it.')
  expect(parseWhois('Domain: a.it\nStatus: ok\n', 'a.it', registry)?.registeredAt).toBeNull()
  expect(parseWhois('Domain: a.it\nStatus: AVAILABLE\n', 'a.it', registry)).toBeNull()
})

test.each([
  ['2007. 03. 02.', 'ymd', '2007-03-02'],
  ['1996/06/27 13:36:21', 'ymd', '1996-06-27'],
  ['2001-Aug-23.', 'ymd', '2001-08-23'],
  ['13.05.2008 14:00:00', 'dmy', '2008-05-13'],
  ['13-Apr-2006', 'dmy', '2006-04-13'],
  ['Tue Dec 12 2000', 'mdy', '2000-12-12'],
  ['2031-02-31', 'ymd', null],
  ['Before 2001', 'ymd', null],
  ['0000-00-00', 'ymd', null],
  ['1970-01-01', 'ymd', null],
  ['', 'ymd', null],
  ['9'.repeat(5_000), 'ymd', null],
] as const)('%j in the order %s is %j', (text, order, date) => {
  expect(parseWhoisDate(text, order)).toBe(date === null ? null : day(date))
})

test('no suffix stands in two rows, and labels are lower case', () => {
  const suffixes = WHOIS_REGISTRIES.flatMap((registry) => registry.suffixes)
  expect(new Set(suffixes).size).toBe(suffixes.length)
  const texts = WHOIS_REGISTRIES.flatMap(({ created, expires, absent }) => [...created, ...expires, absent])
  expect(texts.filter((text) => text !== text.toLowerCase() || text.trim() !== text || text === '')).toEqual([])
})
