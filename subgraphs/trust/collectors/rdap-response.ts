import { domainToASCII } from 'node:url'
import { Fault } from '../../../platform/outbound/fault.ts'
import type { RdapFacts, UnixSeconds } from '../evidence.ts'
import { asList, asRecord, asSet, asText } from './untrusted-json.ts'

/** Registration of the first domain, 15 March 1985; older dates are placeholders. Seconds. */
export const FIRST_DOMAIN = Date.UTC(1985, 0, 1) / 1000
const MAX_STATUSES = 40
const MAX_NAMESERVERS = 40

/** Reads a domain object (RFC 9083 §5.3). Throws `malformed` for anything else, or another name. */
export function parseDomain(json: unknown, name: string): RdapFacts {
  const domain = asRecord(json)
  if (domain?.objectClassName !== 'domain') throw new Fault('malformed', 'Expected an RDAP domain')
  const itsName = domainToASCII(asText(domain.ldhName ?? domain.unicodeName, 255) ?? '').replace(/\.$/, '')
  if (itsName !== name) throw new Fault('malformed', 'an answer about another domain')

  const registrar = asList(domain.entities)
    .map(asRecord)
    .find((entity) => asList(entity?.roles).includes('registrar'))
  const publicId = asList(registrar?.publicIds)
    .map(asRecord)
    .find((id) => id?.type === 'IANA Registrar ID')
  const ianaId = String(publicId?.identifier ?? '')
  const signed = asRecord(domain.secureDNS)?.delegationSigned
  return {
    registeredAt: earliest(domain.events, 'registration'),
    changedAt: latest(domain.events, 'last changed'),
    transferredAt: latest(domain.events, 'transfer'),
    expiresAt: latest(domain.events, 'expiration'),
    statuses: asSet(
      asList(domain.status)
        .slice(0, MAX_STATUSES)
        .flatMap((status) => asText(status, 64)?.toLowerCase() ?? []),
    ),
    registrarIanaId: /^\d{1,9}$/.test(ianaId) ? Number(ianaId) : null,
    registrarName: fullName(registrar?.vcardArray),
    nameservers: asSet(
      asList(domain.nameservers)
        .slice(0, MAX_NAMESERVERS)
        .flatMap((server) => domainToASCII(asText(asRecord(server)?.ldhName, 255) ?? '').replace(/\.$/, '') || []),
    ),
    delegationSigned: typeof signed === 'boolean' ? signed : null,
  }
}

/**
 * Where the registrar's own answer is, for registries that leave out dates; null when the answer
 * names none.
 */
export function relatedDomain(json: unknown): string | null {
  const link = asList(asRecord(json)?.links)
    .map(asRecord)
    .find((each) => each?.rel === 'related' && String(each.type ?? '').startsWith('application/rdap+json'))
  return asText(link?.href, 2_000)
}

const earliest = (events: unknown, action: string): UnixSeconds | null => datesOf(events, action).at(0) ?? null
const latest = (events: unknown, action: string): UnixSeconds | null => datesOf(events, action).at(-1) ?? null

function datesOf(events: unknown, action: string): UnixSeconds[] {
  return asList(events)
    .map(asRecord)
    .filter((event) => event?.eventAction === action)
    .flatMap((event) => parseDate(event?.eventDate) ?? [])
    .sort((one, other) => one - other)
}

/**
 * A date of RFC 3339. Some registries omit the zone or the time; those are read as UTC. Null for
 * other text, and before the first domain.
 */
export function parseDate(value: unknown): UnixSeconds | null {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2})(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?$/.exec(
    asText(value, 40) ?? '',
  )
  if (!match) return null
  const [, day = '', time = '00:00:00', zone = 'Z'] = match
  // Date.parse takes 31 February for 3 March.
  if (!isDay(day)) return null
  const seconds = Math.floor(Date.parse(`${day}T${time}${zone.toUpperCase()}`) / 1000)
  return Number.isFinite(seconds) && seconds >= FIRST_DOMAIN ? seconds : null
}

function isDay(text: string): boolean {
  const at = Date.parse(`${text}T00:00:00Z`)
  return Number.isFinite(at) && new Date(at).toISOString().startsWith(text)
}

/** `fn` of a jCard (RFC 7095). */
function fullName(vcard: unknown): string | null {
  const property = asList(asList(vcard)[1]).find((each) => asList(each)[0] === 'fn')
  return asText(asList(property)[3], 200)
}
