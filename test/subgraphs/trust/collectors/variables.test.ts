import { expect, test } from 'vitest'
import { readConfig } from '../../../../platform/config/config.ts'
import { systemServers } from '../../../../platform/outbound/dns-servers.ts'
import { chosenLists } from '../../../../subgraphs/trust/collectors/lists.ts'
import { collectorVariables } from '../../../../subgraphs/trust/collectors/variables.ts'

const read = (env: Record<string, string>) => readConfig(collectorVariables, env)

test('unset: the servers of the system, lists whose terms allow it, no block lists, no log index', () => {
  expect(read({})).toEqual({
    TRUST_DNS_SERVERS: undefined,
    TRUST_LISTS: ['urlhaus', 'threatfox', 'blackbook', 'phishing-database', 'cert-pl', 'tranco'].map((name) => ({
      name,
      url: null,
    })),
    TRUST_OWN_FEEDS: undefined,
    TRUST_DNSBL_ZONES: undefined,
    TRUST_NETWORK_FILES: undefined,
    TRUST_CT_URL: undefined,
    TRUST_WHOIS: true,
    TRUST_REDIRECTS: 'shorteners',
  })
  expect(systemServers().every(({ port }) => port > 0)).toBe(true)
})

test('DNS servers with and without a port, of both families', () => {
  expect(read({ TRUST_DNS_SERVERS: '9.9.9.9, 1.1.1.1:5353,2620:fe::fe,[2620:fe::9]:54' }).TRUST_DNS_SERVERS).toEqual([
    { address: '9.9.9.9', port: 53 },
    { address: '1.1.1.1', port: 5353 },
    { address: '2620:fe::fe', port: 53 },
    { address: '2620:fe::9', port: 54 },
  ])
})

test('lists by name, with another address, or none; the list of registries is always among them', () => {
  expect(chosenLists(read({ TRUST_LISTS: 'none' }).TRUST_LISTS).map(({ name }) => name)).toEqual(['iana-rdap'])
  const lists = chosenLists(read({ TRUST_LISTS: 'openphish,urlhaus=https://mirror.example/recent.csv?auth-key=x' }).TRUST_LISTS)
  expect(lists.map(({ name, url }) => [name, url])).toEqual([
    ['iana-rdap', 'https://data.iana.org/rdap/dns.json'],
    ['openphish', 'https://openphish.com/feed.txt'],
    ['urlhaus', 'https://mirror.example/recent.csv?auth-key=x'],
  ])
})

test.each([
  { TRUST_DNS_SERVERS: 'dns.example' },
  { TRUST_DNS_SERVERS: '9.9.9.9,' },
  { TRUST_DNS_SERVERS: '9.9.9.9:0' },
  { TRUST_DNS_SERVERS: '9.9.9.9:99999' },
  { TRUST_NETWORK_FILES: 'ip2asn.tsv' },
  { TRUST_NETWORK_FILES: '/a,/b,/c,/d,/e' },
  { TRUST_LISTS: 'urlhouse' },
  { TRUST_LISTS: 'urlhaus=http://plain.example/' },
  { TRUST_LISTS: 'urlhaus=file:///etc/passwd' },
  { TRUST_DNSBL_ZONES: 'not a zone' },
  { TRUST_DNSBL_ZONES: 'dbl' },
  { TRUST_CT_URL: 'https://crt.sh/' },
  { TRUST_CT_URL: 'http://crt.sh/?q={domain}' },
])('%o is refused', (env) => {
  expect(() => read(env as never)).toThrow(`Expected ${Object.keys(env)[0]} to be`)
})

test('a list with a key in its address is not printed', () => {
  let message = ''
  try {
    read({ TRUST_LISTS: 'urlhous=https://x.example/?auth-key=secret' })
  } catch (error) {
    message = String(error)
  }
  expect(message).toContain('TRUST_LISTS')
  expect(message).not.toContain('secret')
})

test('feeds of the operator by URL and file; anything else is refused without showing it', () => {
  expect(read({ TRUST_OWN_FEEDS: 'soc=https://feeds.example/a?key=x, misp:json=/etc/feeds/misp.json' }).TRUST_OWN_FEEDS).toEqual([
    { name: 'soc', url: 'https://feeds.example/a?key=x', isJson: false },
    { name: 'misp', url: 'file:///etc/feeds/misp.json', isJson: true },
  ])
  for (const wrong of ['soc', 'soc=http://a.example', 'SOC=https://a.example', 'soc=relative', 'a=/x,a=/y', 'a:xml=/x'])
    expect(() => read({ TRUST_OWN_FEEDS: wrong }), wrong).toThrow(/^Expected TRUST_OWN_FEEDS to be at most 20 feeds[^"]*\.$/)
})
