import { z } from 'zod'
import { type Config, flag, type Variables } from '../../../platform/config/config.ts'
import { parseDnsServer } from '../../../platform/outbound/dns-servers.ts'
import { LIST_NAMES, type ListChoice } from './lists.ts'

const SERVERS = 'addresses of DNS servers with commas between them, such as 9.9.9.9,[2620:fe::fe]:53'
const LISTS = `"none", or some of ${LIST_NAMES.join(', ')} with commas between them, each with =https://… behind it where it has another address`
const ZONES = 'names of DNS block lists with commas between them, such as dbl.spamhaus.org'
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
    default: 'urlhaus,threatfox,tranco',
    unit: null,
    // An address may have a key in it.
    secret: true,
    meaning: `Threat feeds and popularity lists to download, whose terms you accept: ${LIST_NAMES.join(', ')}; none turns them off.`,
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
