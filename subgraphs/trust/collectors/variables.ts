import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { type Config, flag, type Variables } from '../../../platform/config/config.ts'
import { parseDnsServer } from '../../../platform/outbound/dns-servers.ts'
import { LIST_NAMES, type ListChoice, type OwnFeed } from './lists.ts'

const SERVERS = 'addresses of DNS servers with commas between them, such as 9.9.9.9,[2620:fe::fe]:53'
const LISTS = `"none", or some of ${LIST_NAMES.join(', ')} with commas between them, each with =https://… behind it where it has another address`
const MAX_OWN_FEEDS = 20
const OWN_FEEDS = `at most ${MAX_OWN_FEEDS} feeds with commas between them, each once as name=https://… or name=/path, or name:json=…, with names of a to z, 0 to 9 and hyphens`
const ZONES = 'names of DNS block lists with commas between them, such as dbl.spamhaus.org'
const MAX_NETWORK_FILES = 4
const NETWORK_FILES = `at most ${MAX_NETWORK_FILES} absolute paths with commas between them, such as /var/lib/atrium/ip2asn-combined.tsv.gz`
const CT = 'an https URL with {domain} in it'

const parts = (text: string): string[] => text.split(',').map((part) => part.trim())

/** The variables of the collectors. */
export const collectorVariables = {
  TRUST_DNS_SERVERS: {
    read: z.string().transform((text, context) => {
      const servers = parts(text).map(parseDnsServer)
      if (servers.every((server) => server !== null)) return servers
      context.addIssue(SERVERS)
      return z.NEVER
    }),
    default: null,
    unit: null,
    meaning: "Recursive DNS servers for trust decisions, best validating ones; unset, the system's.",
  },
  TRUST_LISTS: {
    read: z.string().transform((text, context) => {
      const choices = text === 'none' ? [] : parts(text).map(readChoice)
      if (choices.every((choice) => choice !== null)) return choices
      context.addIssue(LISTS)
      return z.NEVER
    }),
    default: 'urlhaus,threatfox,blackbook,phishing-database,cert-pl,tranco',
    unit: null,
    // An address may have a key in it.
    secret: true,
    meaning: `Threat feeds and popularity lists to download, whose terms you accept: ${LIST_NAMES.join(', ')}; none turns them off.`,
  },
  TRUST_OWN_FEEDS: {
    read: z.string().transform((text, context) => {
      const feeds = parts(text).map(readOwnFeed)
      const names = new Set(feeds.map((feed) => feed?.name))
      if (feeds.length <= MAX_OWN_FEEDS && names.size === feeds.length && feeds.every((feed) => feed !== null)) return feeds
      context.addIssue(OWN_FEEDS)
      return z.NEVER
    }),
    default: null,
    unit: null,
    // An address may have a key in it.
    secret: true,
    meaning:
      'Threat feeds of your own for all keys, as name=https://… or name=/path with commas between them; name:json=… for JSON, STIX 2.1, TAXII 2.1 or MISP instead of lines (names, URLs, hosts, CSV); unset, none.',
  },
  TRUST_DNSBL_ZONES: {
    read: z.string().transform((text, context) => {
      const zones = parts(text.toLowerCase())
      if (zones.every((zone) => /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/.test(zone))) return zones
      context.addIssue(ZONES)
      return z.NEVER
    }),
    default: null,
    unit: null,
    meaning: 'Domain block lists queried over DNS, whose terms you accept; unset, none.',
  },
  TRUST_NETWORK_FILES: {
    read: z.string().transform((text, context) => {
      const files = parts(text)
      if (files.length <= MAX_NETWORK_FILES && files.every((file) => file.startsWith('/'))) return files
      context.addIssue(NETWORK_FILES)
      return z.NEVER
    }),
    default: null,
    unit: null,
    meaning:
      'Files that say which network an address is in: IPtoASN (.tsv, also .gz) or MaxMind databases of systems (.mmdb), at most 4 paths with commas between them; read again when they change; unset, none.',
  },
  TRUST_CT_URL: {
    read: z.string().refine((text) => text.includes('{domain}') && /^https:\/\//.test(text) && URL.canParse(text), CT),
    default: null,
    unit: null,
    meaning: 'URL template with {domain} of a certificate log index with the JSON of crt.sh; unset, none is queried.',
  },
  TRUST_WHOIS: {
    read: flag,
    default: '1',
    unit: null,
    meaning: '1 queries registries without RDAP for dates of registration by WHOIS (TCP port 43, unencrypted); 0 does not.',
  },
  TRUST_REDIRECTS: {
    read: z.enum(['off', 'shorteners', 'all'], 'off, shorteners or all'),
    default: 'shorteners',
    unit: null,
    meaning:
      'URLs whose redirects are followed (headers only, no credentials) to judge where they lead: those of URL shorteners, or all, which reveals the check to every site.',
  },
} satisfies Variables

export type CollectorConfig = Config<typeof collectorVariables>

function readChoice(text: string): ListChoice | null {
  const [, name = '', url = null] = /^([a-z-]+)(?:=(https:\/\/\S+))?$/.exec(text) ?? []
  return LIST_NAMES.includes(name) && (url === null || URL.canParse(url)) ? { name, url } : null
}

function readOwnFeed(text: string): OwnFeed | null {
  const [, name = '', json, address = ''] = /^([a-z\d-]{1,40})(:json)?=(https:\/\/\S+|\/\S+)$/.exec(text) ?? []
  if (name === '' || (address.startsWith('https:') && !URL.canParse(address))) return null
  return { name, url: address.startsWith('/') ? pathToFileURL(address).href : address, isJson: json !== undefined }
}
