import { domainToASCII } from 'node:url'
import { type LookupTable, lookupTable } from '../../../platform/collections/lookup-table.ts'
import { parseIndicator } from './indicator.ts'
import type { ListEntry } from './list-repository.ts'
import { parseDate } from './rdap-response.ts'
import { asList, asRecord, asText } from './untrusted-json.ts'

/**
 * Format of a list. `lines`: one entry per line; the reader is created for each copy, and returns
 * 'nothing' for a comment or an entry about no name, null for an unreadable line. `document`: JSON
 * as a whole; null when it has another form.
 */
export type ListFormat =
  | { readonly kind: 'lines'; readonly reader: () => (line: string) => ListEntry | 'nothing' | null }
  | { readonly kind: 'document'; readonly read: (json: unknown) => ListEntry[] | null }

const EMPTY = {
  category: null,
  firstSeenAt: null,
  lastSeenAt: null,
  state: null,
  rank: null,
  urlKey: null,
  tenantKey: null,
} as const

/** Fields of a line of CSV, quoted or not, with or without blanks behind the commas. */
export function fieldsOf(line: string): string[] {
  const fields: string[] = []
  for (const [, quoted, plain] of line.matchAll(/(?:^|,)\s*(?:"((?:[^"]|"")*)"|([^,]*))/g)) {
    fields.push(quoted === undefined ? (plain ?? '').trim() : quoted.replaceAll('""', '"'))
  }
  return fields
}

/** https://urlhaus.abuse.ch/api/#csv: id, dateadded, url, url_status, last_online, threat, … */
export const urlhausCsv: ListFormat = {
  kind: 'lines',
  reader: () => (line) => {
    if (line.startsWith('#')) return 'nothing'
    const [id, added, url, status, lastOnline] = fieldsOf(line)
    const found = /^\d+$/.test(id ?? '') ? parseIndicator(url ?? '') : null
    if (!found) return null
    const firstSeenAt = parseDate(added)
    const state = status === 'online' || status === 'offline' ? status : 'unknown'
    return { ...EMPTY, ...found, category: 'malware', firstSeenAt, lastSeenAt: parseDate(lastOnline) ?? firstSeenAt, state }
  },
}

/**
 * Below this confidence the list itself says that it is guessing (https://threatfox.abuse.ch/faq/).
 * Percent.
 */
const THREATFOX_SURE_PERCENT = 50
const THREATFOX_CATEGORIES: LookupTable<ListEntry['category']> = lookupTable({
  botnet_cc: 'c2',
  payload: 'malware',
  payload_delivery: 'malware',
})

/**
 * https://threatfox.abuse.ch/export/: first_seen, id, value, type, threat_type, …, the 9th is
 * last_seen, the 10th the confidence. Also has hashes of files.
 */
export const threatfoxCsv: ListFormat = {
  kind: 'lines',
  reader: () => (line) => {
    if (line.startsWith('#')) return 'nothing'
    const [first, id, value, type, threat, , , , last, confidence] = fieldsOf(line)
    if (!/^\d+$/.test(id ?? '') || !type) return null
    if (!['domain', 'url', 'ip:port'].includes(type) || Number(confidence) < THREATFOX_SURE_PERCENT) return 'nothing'
    const indicator = parseIndicator(value ?? '')
    if (!indicator) return null
    // The type is the scope: a domain includes every host below it.
    const found = type === 'domain' ? { ...indicator, scope: 'domain' as const } : indicator
    const firstSeenAt = parseDate(first)
    const category = THREATFOX_CATEGORIES[threat ?? ''] ?? 'other'
    return { ...EMPTY, ...found, category, firstSeenAt, lastSeenAt: parseDate(last) ?? firstSeenAt, state: 'unknown' }
  },
}

/**
 * https://github.com/stamparm/blackbook: CSV whose first line names the columns Domain, Malware, Date
 * added and Source. It goes back for years, so that an entry was seen on the day it was added and no
 * later. What it has from URLhaus is that list's own, and is left out.
 */
export const blackbookCsv: ListFormat = {
  kind: 'lines',
  reader: () => {
    let columns: string[] | null = null
    return (line) => {
      if (columns === null) {
        columns = fieldsOf(line).map((name) => name.toLowerCase())
        return columns.includes('domain') && columns.includes('date added') ? 'nothing' : null
      }
      const fields = fieldsOf(line)
      const field = (name: string) => fields[columns?.indexOf(name) ?? -1] ?? ''
      if (field('source').toLowerCase() === 'urlhaus') return 'nothing'
      const found = parseIndicator(field('domain'))
      const addedAt = parseDate(field('date added'))
      return found && addedAt !== null
        ? { ...EMPTY, ...found, category: 'malware', firstSeenAt: addedAt, lastSeenAt: addedAt, state: 'unknown' }
        : null
    }
  },
}

/** https://openphish.com/feed.txt: URLs that are online now, one per line. */
export const phishingUrls: ListFormat = {
  kind: 'lines',
  reader: () => (line) => {
    if (line.startsWith('#')) return 'nothing'
    const found = parseIndicator(line)
    return found && { ...EMPTY, ...found, category: 'phishing', state: 'online' }
  },
}

/** https://phishtank.org/developer_info.php: CSV whose first line names the columns. */
export const phishtankCsv: ListFormat = {
  kind: 'lines',
  reader: () => {
    let columns: string[] | null = null
    return (line) => {
      if (columns === null) {
        columns = fieldsOf(line)
        return columns.includes('url') ? 'nothing' : null
      }
      const fields = fieldsOf(line)
      const field = (name: string) => fields[columns?.indexOf(name) ?? -1] ?? ''
      const found = parseIndicator(field('url'))
      if (!found) return null
      const state = field('online') === 'yes' ? 'online' : field('online') === 'no' ? 'offline' : 'unknown'
      const firstSeenAt = parseDate(field('submission_time'))
      return {
        ...EMPTY,
        ...found,
        category: 'phishing',
        firstSeenAt,
        lastSeenAt: parseDate(field('verification_time')) ?? firstSeenAt,
        state,
      }
    }
  },
}

/** Tranco, Umbrella and others: `rank,name`. */
export const rankedNames: ListFormat = {
  kind: 'lines',
  reader: () => (line) => {
    const match = /^(\d{1,8}),([^\s,]{1,253})$/.exec(line)
    const name = match?.[2]?.toLowerCase().replace(/\.$/, '') ?? ''
    // Names are nearly always in their final form; the conversion is slow, and there are a million.
    const key = /^[a-z0-9._-]+$/.test(name) ? name : domainToASCII(name)
    return match && key !== '' ? { ...EMPTY, key, scope: 'domain', indicator: key, rank: Number(match[1]) } : null
  },
}

/**
 * https://data.iana.org/rdap/dns.json (RFC 9224 §3): top-level domains, and the addresses that
 * answer for them.
 */
export const rdapBootstrap = {
  kind: 'document',
  read(json: unknown): ListEntry[] | null {
    const services = asRecord(json)?.services
    if (!Array.isArray(services)) return null
    return services.flatMap((service) => {
      const [zones, urls] = asList(service)
      const all = asList(urls).flatMap((url) => asText(url, 2_000) ?? [])
      // RFC 9224 §3: https where there is a choice.
      const url = all.find((each) => each.startsWith('https:')) ?? all.at(0)
      if (url === undefined || !URL.canParse(url)) return []
      return asList(zones).flatMap((zone): ListEntry[] => {
        const key = domainToASCII(asText(zone, 253) ?? '')
        return key === '' ? [] : [{ ...EMPTY, key, scope: 'domain', indicator: url }]
      })
    })
  },
} satisfies ListFormat
