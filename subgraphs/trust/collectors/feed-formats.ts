import { ownValue } from '../../../platform/collections/lookup-table.ts'
import type { UnixSeconds } from '../evidence.ts'
import { parseIndicator } from './indicator.ts'
import { fieldsOf, type ListFormat } from './list-formats.ts'
import type { ListEntry } from './list-repository.ts'
import { parseDate } from './rdap-response.ts'
import { asList, asRecord, asText } from './untrusted-json.ts'

/** Longest value and pattern that is read. */
const MAX_VALUE_LENGTH = 4_096
/** Fields of a line of CSV that are tried. */
const MAX_FIELDS = 20

type Sighting = Pick<ListEntry, 'category' | 'firstSeenAt' | 'lastSeenAt'>

const UNDATED: Sighting = { category: 'other', firstSeenAt: null, lastSeenAt: null }

/** `domain`: the value stands for every host below it. Null for what is no host, address or URL. */
function entryOf(value: unknown, sighting: Sighting, isDomain = false): ListEntry | null {
  const found = parseIndicator(asText(value, MAX_VALUE_LENGTH) ?? '')
  if (found === null) return null
  const scope = isDomain && found.scope === 'host' ? 'domain' : found.scope
  return { ...found, scope, ...sighting, state: 'unknown', rank: null }
}

/**
 * Names, addresses and URLs, one per line: alone, as a hosts file (`0.0.0.0 name`), as a rule of a
 * content blocker (`||name^`), or as the first such field of CSV. Lines that begin with `#`, `!`
 * or `;` are comments.
 */
export const plainLines: ListFormat = {
  kind: 'lines',
  reader: () => {
    let isFirst = true
    return (line) => {
      const isHeader = isFirst
      isFirst = false
      if (/^[#!;]/.test(line)) return 'nothing'
      const text = line.replace(/\s[#!;].*$/, '').replace(/^\|\|([^^/$]+)\^.*$/, '*.$1')
      const hosts = /^(?:0\.0\.0\.0|127\.0\.0\.1|::1?)\s+(\S+)/.exec(text)
      if (hosts) return /\./.test(hosts[1] ?? '') ? entryOf(hosts[1], UNDATED) : 'nothing'
      for (const field of fieldsOf(text).slice(0, MAX_FIELDS)) {
        const entry = entryOf(field, UNDATED)
        if (entry) return entry
      }
      // The names of columns.
      return isHeader ? 'nothing' : null
    }
  },
}

/** A list of texts or of objects, a bundle of STIX 2.1, an envelope of TAXII 2.1, or events of MISP. */
export const jsonDocument: ListFormat = {
  kind: 'document',
  read(json) {
    if (Array.isArray(json)) return json.flatMap((each) => (asRecord(each)?.Event ? inMisp(each) : inList(each)))
    const root = asRecord(json)
    if (root === null) return null
    if (Array.isArray(root.objects)) return root.objects.flatMap(inStix)
    if (root.Event || root.response) return inMisp(root)
    return null
  },
}

/** Keys of objects that hold the value, in published feeds. */
const VALUE_KEYS = ['url', 'domain', 'host', 'hostname', 'ip', 'indicator', 'value', 'ioc']

function inList(item: unknown): ListEntry[] {
  const fields = asRecord(item)
  const alone = fields === null ? entryOf(item, UNDATED) : null
  if (fields === null) return alone ? [alone] : []
  const key = VALUE_KEYS.find((each) => typeof ownValue(fields, each) === 'string')
  if (key === undefined) return []
  const sighting = {
    category: categoryOf(asText(fields.category, 100) ?? asText(fields.threat, 100) ?? ''),
    firstSeenAt: parseDate(fields.first_seen),
    lastSeenAt: parseDate(fields.last_seen),
  }
  const entry = entryOf(ownValue(fields, key), sighting, key === 'domain')
  return entry ? [entry] : []
}

/** STIX 2.1 §4.7: an indicator's pattern; comparisons that all have to hold name no single one. */
function inStix(item: unknown): ListEntry[] {
  const object = asRecord(item)
  const pattern = asText(object?.pattern, MAX_VALUE_LENGTH)
  if (object?.type !== 'indicator' || object.revoked === true || pattern === null) return []
  if (object.pattern_type !== 'stix' || /\b(?:AND|FOLLOWEDBY|NOT)\b/.test(pattern.replaceAll(/'(?:[^'\\]|\\.)*'/g, "''")))
    return []
  const words = [...asList(object.indicator_types), ...asList(object.labels)].flatMap((word) => asText(word, 100) ?? [])
  const sighting = {
    category: categoryOf(words.join(' ')),
    firstSeenAt: parseDate(object.valid_from),
    lastSeenAt: parseDate(object.modified) ?? parseDate(object.valid_from),
  }
  return [...pattern.matchAll(/(domain-name|url|ipv4-addr|ipv6-addr):value\s*=\s*'((?:[^'\\]|\\.)*)'/g)].flatMap(
    ([, kind, value = '']) => entryOf(value.replaceAll(/\\(.)/g, '$1'), sighting, kind === 'domain-name') ?? [],
  )
}

/** Attributes of an event that are meant for detection, its objects' included. */
function inMisp(item: unknown): ListEntry[] {
  const root = asRecord(item)
  const response = asRecord(root?.response)
  const events = Array.isArray(root?.response) ? root.response : [root]
  const attributes = [
    ...asList(response?.Attribute),
    ...events.flatMap((each) => {
      const event = asRecord(asRecord(each)?.Event)
      return [...asList(event?.Attribute), ...asList(event?.Object).flatMap((object) => asList(asRecord(object)?.Attribute))]
    }),
  ]
  return attributes.flatMap((each): ListEntry[] => {
    const attribute = asRecord(each)
    const type = asText(attribute?.type, 50) ?? ''
    if (!MISP_TYPES.has(type) || attribute?.deleted === true || attribute?.to_ids === false) return []
    const seen = unixSeconds(attribute?.timestamp)
    const sighting = {
      category: categoryOf(asText(attribute?.category, 100) ?? ''),
      firstSeenAt: parseDate(attribute?.first_seen) ?? seen,
      lastSeenAt: parseDate(attribute?.last_seen) ?? seen,
    }
    // `domain|ip` has both, the name first.
    const entry = entryOf(asText(attribute?.value, MAX_VALUE_LENGTH)?.split('|')[0], sighting, type.startsWith('domain'))
    return entry ? [entry] : []
  })
}

const MISP_TYPES: ReadonlySet<string> = new Set(['domain', 'hostname', 'domain|ip', 'url', 'ip-dst', 'ip-src'])

function unixSeconds(value: unknown): UnixSeconds | null {
  const seconds = Number(asText(value, 20) ?? value)
  return Number.isSafeInteger(seconds) && seconds > 0 && seconds < 1e11 ? seconds : null
}

function categoryOf(words: string): ListEntry['category'] {
  if (/phish|credential/i.test(words)) return 'phishing'
  if (/c2|c&c|command|botnet/i.test(words)) return 'c2'
  if (/malware|malicious|payload|ransom/i.test(words)) return 'malware'
  return /spam/i.test(words) ? 'spam' : 'other'
}
