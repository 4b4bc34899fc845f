import { randomBytes } from 'node:crypto'
import type { RecordType as Question } from 'dns-packet'
import { isAddress, specialRange } from '../../../platform/outbound/address-policy.ts'
import type { DnsClient } from '../../../platform/outbound/dns-client.ts'
import { canonicalName, followAliases } from '../../../platform/outbound/dns-message.ts'
import { Fault } from '../../../platform/outbound/fault.ts'
import type { DnsFacts, RecordType } from '../evidence.ts'
import type { Collector } from './collector.ts'
import { asSet, asText } from './untrusted-json.ts'

/** Most addresses, servers, exchanges and CAA records stored, of each kind. */
const MAX_RECORDS = 64
const MAX_TEXT_CHARACTERS = 1_024
/**
 * Bounds of how long an answer with addresses is used again; without addresses, the lower one five
 * times. Seconds.
 */
const MIN_VALID_SECONDS = 60
const MAX_VALID_SECONDS = 3_600
/** RFC 1035 §2.3.4. */
const MAX_NAME_LENGTH = 253

/** Queries all used DNS records of a host and its registrable domain. */
export const collectDns: Collector<'dns'> = async ({ subject, parts: { dns, networks }, signal, addresses }) => {
  const { host } = subject
  if (isAddress(host)) return { status: 'skipped', reason: 'not_applicable', validFor: MAX_VALID_SECONDS }
  const registrable = subject.registrable ?? host
  const unanswered: RecordType[] = []
  /** Null without an answer. A name that is not there has no records. */
  const records = async (type: RecordType, name: string, question: Question): Promise<unknown[] | null> => {
    try {
      const { rcode, records: all } = await dns.query(name, question, signal)
      if (rcode !== 'NOERROR' && rcode !== 'NXDOMAIN') throw new Fault('unavailable', rcode)
      const owner = followAliases(all, name).at(-1)?.target ?? name
      return all.flatMap((record) =>
        record.type === question && canonicalName(record.name) === owner && 'data' in record ? [record.data] : [],
      )
    } catch {
      unanswered.push(type)
      return null
    }
  }

  // First and alone: a name that is not there has nothing else, and under load addresses of all
  // hosts go before records of some.
  const where = await addresses()
  if (where.status === 'nxdomain') return { status: 'absent', reason: 'nxdomain', validFor: MIN_VALID_SECONDS * 5 }
  const isBogus = where.status === 'servfail' && (await resolvesWithoutValidation(dns, host, signal))
  if (where.status === 'servfail' && !isBogus) return { status: 'failed', reason: 'servfail', validFor: MIN_VALID_SECONDS }

  const [ns, mx, txt, dmarc, caa, wildcard, { validatesDnssec }] = await Promise.all([
    records('NS', registrable, 'NS'),
    records('MX', registrable, 'MX'),
    records('TXT', registrable, 'TXT'),
    `_dmarc.${registrable}`.length > MAX_NAME_LENGTH ? [] : records('DMARC', `_dmarc.${registrable}`, 'TXT'),
    certificationAuthorities(host, registrable, (name) => records('CAA', name, 'CAA')),
    isWildcard(dns, host, registrable, signal),
    dns.root(signal),
  ])
  const [a, aaaa] = [limitAddresses(where.a), limitAddresses(where.aaaa)]
  const facts: DnsFacts = {
    a,
    aaaa,
    ns: names(ns),
    // Data of a DNS answer, each field checked before use.
    mx: names(mx?.map((record) => (record as { exchange?: unknown }).exchange) ?? null),
    spf: textThat(txt, /^v=spf1(?:\s|$)/i),
    dmarc: textThat(dmarc, /^v=DMARC1(?:\s|;|$)/i),
    caa: asSet((caa ?? []).slice(0, MAX_RECORDS).flatMap((record) => caaText(record) ?? [])),
    cnames: where.cnames.map((name) => asText(name, MAX_NAME_LENGTH) ?? ''),
    dnssec: isBogus ? 'bogus' : where.isAuthentic ? 'secure' : validatesDnssec ? 'insecure' : 'unknown',
    wildcard,
    ttlSeconds: where.ttlSeconds,
    unanswered: [...new Set([...where.unanswered, ...unanswered])].sort(),
    ...(networks && { networks: networks.of([...a, ...aaaa]) }),
  }
  const whole = facts.unanswered.length === 0
  const ttl = where.ttlSeconds ?? MIN_VALID_SECONDS * 5
  return {
    status: 'ok',
    facts,
    validFor: whole ? Math.min(Math.max(ttl, MIN_VALID_SECONDS), MAX_VALID_SECONDS) : MIN_VALID_SECONDS,
  }
}

/** Those that are not public come first, so that no crowd of others can push them out. */
function limitAddresses(addresses: readonly string[]): string[] {
  const judged = addresses.map((address) => ({ address, isPublic: specialRange(address) === null }))
  judged.sort((one, other) => Number(one.isPublic) - Number(other.isPublic) || (one.address < other.address ? -1 : 1))
  return judged.slice(0, MAX_RECORDS).map(({ address }) => address)
}

const names = (records: readonly unknown[] | null): string[] =>
  asSet(
    (records ?? [])
      .slice(0, MAX_RECORDS)
      .flatMap((name) => (typeof name === 'string' ? [asText(nameOf(name), MAX_NAME_LENGTH) ?? ''] : [])),
  )

/** The root stands for "no mail" in an MX (RFC 7505): an empty name. */
const nameOf = (name: string): string => canonicalName(name === '.' ? '' : name)

function textThat(records: readonly unknown[] | null, begins: RegExp): string | null {
  const texts = (records ?? []).flatMap((record) => {
    const strings = (Array.isArray(record) ? record : [record]).slice(0, 64)
    // Read as Latin-1, one character per byte: the compared values are ASCII.
    return (
      asText(strings.map((part) => (Buffer.isBuffer(part) ? part.toString('latin1') : '')).join(''), MAX_TEXT_CHARACTERS) ?? []
    )
  })
  return asSet(texts.filter((text) => begins.test(text))).at(0) ?? null
}

function caaText(record: unknown): string | null {
  // Data of a DNS answer, each field checked before use.
  const { flags, tag, value } = record as { flags?: unknown; tag?: unknown; value?: unknown }
  return asText(`${flags} ${tag} "${value}"`, 300)
}

/**
 * RFC 8659 §3: the closest name upwards that has any. Not further than the registrable domain; the
 * deepest four names.
 */
async function certificationAuthorities(
  host: string,
  registrable: string,
  lookUp: (name: string) => Promise<unknown[] | null>,
): Promise<unknown[] | null> {
  const labels = host.split('.')
  const upwards = labels.map((_, index) => labels.slice(index).join('.')).filter((name) => name.endsWith(registrable))
  const closest = upwards.length > 4 ? [...upwards.slice(0, 3), registrable] : upwards
  const answers = await Promise.all(closest.map(lookUp))
  return answers.find((records) => records !== null && records.length > 0) ?? []
}

/** Whether a random name resolves as well; null: unknown. */
async function isWildcard(dns: DnsClient, host: string, registrable: string, signal: AbortSignal): Promise<boolean | null> {
  const parent = host === registrable ? host : host.slice(host.indexOf('.') + 1)
  const probe = `${randomBytes(8).toString('hex')}.${parent}`
  if (probe.length > MAX_NAME_LENGTH) return null
  try {
    const { rcode, records } = await dns.query(probe, 'A', signal)
    if (rcode === 'NXDOMAIN') return false
    return rcode === 'NOERROR' ? records.some(({ type }) => type === 'A' || type === 'CNAME') : null
  } catch {
    return null
  }
}

/** Whether the name resolves without validation: then its signatures are invalid. */
async function resolvesWithoutValidation(dns: DnsClient, host: string, signal: AbortSignal): Promise<boolean> {
  try {
    const { rcode } = await dns.query(host, 'A', signal, { isUnchecked: true })
    return rcode === 'NOERROR' || rcode === 'NXDOMAIN'
  } catch {
    return false
  }
}
