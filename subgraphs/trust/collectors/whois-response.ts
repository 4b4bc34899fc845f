import { Fault } from '../../../platform/outbound/fault.ts'
import type { RdapFacts, UnixSeconds } from '../evidence.ts'
import { FIRST_DOMAIN, parseDate } from './rdap-response.ts'
import type { DateOrder, WhoisRegistry } from './whois-registries.ts'

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
/** No registry writes longer lines before its dates; the rest of a line is ignored. Characters. */
const MAX_LINE = 300
/** What servers answer that count queries per address, in single blanks. */
const REFUSALS = ['exceeded', 'quota', 'too many', 'rate limit', 'try again later', 'access denied']

/**
 * Reads a WHOIS answer by its registry's row; null when the name is not registered. Throws a
 * `Fault`: `rate_limited` when the server counts queries, `malformed` when the answer has no date
 * of registration and does not name the domain either.
 */
export function parseWhois(text: string, name: string, registry: WhoisRegistry): RdapFacts | null {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.slice(0, MAX_LINE).trim())
  const registeredAt = firstDate(lines, registry.created, registry.dateOrder)
  if (registeredAt === null) {
    const plain = lines.join(' ').toLowerCase().replace(/\s+/g, ' ')
    if (plain.includes(registry.absent)) return null
    if (REFUSALS.some((refusal) => plain.includes(refusal))) throw new Fault('rate_limited', 'the WHOIS server counts queries')
    if (!plain.includes(name)) throw new Fault('malformed', 'a WHOIS answer without the domain')
  }
  return {
    registeredAt,
    changedAt: null,
    transferredAt: null,
    expiresAt: firstDate(lines, registry.expires, registry.dateOrder),
    statuses: [],
    registrarIanaId: null,
    registrarName: null,
    nameservers: [],
    delegationSigned: null,
  }
}

function firstDate(lines: readonly string[], labels: readonly string[], order: DateOrder): UnixSeconds | null {
  for (const line of lines) {
    const lower = line.toLowerCase()
    const label = labels.find((each) => lower.startsWith(each) && !/^[a-z-]/.test(lower.slice(each.length)))
    const date = label === undefined ? null : parseWhoisDate(line.slice(label.length).replace(/^[\s.:]+/, ''), order)
    if (date !== null) return date
  }
  return null
}

/**
 * A date in a registry's own form, such as `2007. 03. 02.`, `18-10-1999`, `2001-Aug-23.` or `Tue
 * Dec 12 2000`. RFC 3339 is read with its time; other forms as midnight UTC, which is right to a
 * day. Null for other text, and before the first domain.
 */
export function parseWhoisDate(text: string, order: DateOrder): UnixSeconds | null {
  const exact = parseDate(text)
  if (exact !== null) return exact
  const parts = (text.toLowerCase().match(/\d+|[a-z]{3,}/g) ?? [])
    .map((part) => (/\d/.test(part) ? Number(part) : MONTHS.indexOf(part.slice(0, 3)) + 1))
    // Weekdays and zones are not months.
    .filter((part) => part > 0)
  const [one = 0, two = 0, three = 0] = parts
  const [year, month, day] = order === 'ymd' ? [one, two, three] : order === 'dmy' ? [three, two, one] : [three, one, two]
  if (year < 1000 || month > 12 || day > 31) return null
  const at = Date.UTC(year, month - 1, day)
  // Rejects dates such as 31 February.
  if (new Date(at).getUTCDate() !== day) return null
  const seconds = at / 1000
  return seconds >= FIRST_DOMAIN ? seconds : null
}
