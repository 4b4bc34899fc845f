import packet, { type Answer, type RecordType } from 'dns-packet'
import { Fault } from './fault.ts'

/** One DNS response. */
export type DnsAnswer = {
  /**
   * "NOERROR", "NXDOMAIN", "SERVFAIL", "REFUSED", …; "REFERRAL" from a lame server, which names
   * another server instead of resolving.
   */
  readonly rcode: string
  /** The answer section. */
  readonly records: readonly Answer[]
  /** AD bit: the server validated the signatures. */
  readonly isAuthentic: boolean
}

/** Bytes of a message before its first question (RFC 1035 §4.1.1). */
const HEADER_BYTES = 12
const TYPE_AND_CLASS_BYTES = 4
/** NOERROR and NXDOMAIN (RFC 1035 §4.1.1): they say what there is, and what there is not. */
const ANSWERING_RCODES: ReadonlySet<number> = new Set([0, 3])
/** Fits into one packet on every path (DNS Flag Day 2020). */
const MAX_UDP_BYTES = 1_232

/** A query with the id 0. `isUnchecked` requests the records even with wrong signatures (CD). */
export function encodeQuestion(
  { name, type }: { readonly name: string; readonly type: RecordType },
  { isUnchecked = false } = {},
): Buffer {
  return packet.encode({
    type: 'query',
    id: 0,
    flags: packet.RECURSION_DESIRED | packet.AUTHENTIC_DATA | (isUnchecked ? packet.CHECKING_DISABLED : 0),
    questions: [{ name, type }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: MAX_UDP_BYTES,
        flags: packet.DNSSEC_OK,
        extendedRcode: 0,
        ednsVersion: 0,
        flag_do: true,
        options: [],
      },
    ],
  })
}

/**
 * Parses a response: `null` when it does not answer this query (other id or question, no
 * response), 'truncated' when TCP is needed. Throws `malformed` when it answers in nonsense.
 */
export function decodeAnswer(message: Buffer, query: Buffer): DnsAnswer | 'truncated' | null {
  if (message.length < HEADER_BYTES || message.readUInt16BE(0) !== query.readUInt16BE(0)) return null
  const flags = message.readUInt16BE(2)
  const isResponse = (flags & 0x8000) !== 0
  const isTruncated = (flags & 0x0200) !== 0
  if (!isResponse) return null
  if (!repeatsQuestion(message, query)) return null
  // A truncated record section may end inside a record.
  if (isTruncated) return 'truncated'
  let decoded: packet.DecodedPacket
  try {
    decoded = packet.decode(message)
  } catch (cause) {
    throw new Fault('malformed', 'a DNS message that does not parse', { cause })
  }
  // The package's types lack the `rcode` that its code adds.
  const { rcode } = decoded as packet.DecodedPacket & { readonly rcode: string }
  const records = decoded.answers ?? []
  return { rcode: rcode === 'NOERROR' && isReferral(decoded) ? 'REFERRAL' : rcode, records, isAuthentic: (flags & 0x0020) !== 0 }
}

/** RFC 2308 §2.2: NODATA carries the zone's SOA or nothing; NS alone is a referral. */
function isReferral({ answers = [], authorities = [] }: packet.DecodedPacket): boolean {
  return answers.length === 0 && authorities.some(({ type }) => type === 'NS') && !authorities.some(({ type }) => type === 'SOA')
}

/**
 * Whether the questions are equal, ignoring the case of ASCII letters. Some servers omit the
 * question in refusals, which have nothing to forge: "no such name" is forged like records are.
 */
function repeatsQuestion(message: Buffer, query: Buffer): boolean {
  const questions = message.readUInt16BE(4)
  if (questions === 0) return !ANSWERING_RCODES.has(message.readUInt16BE(2) & 0xf)
  const end = questionEnd(query)
  if (questions !== 1 || message.length < end) return false
  const nameEnd = end - TYPE_AND_CLASS_BYTES
  for (let at = HEADER_BYTES; at < nameEnd; at += 1) if (lowerCase(message[at]) !== lowerCase(query[at])) return false
  return message.compare(query, nameEnd, end, nameEnd, end) === 0
}

/** Where the question of our own query ends, which has no compressed name. */
function questionEnd(query: Buffer): number {
  let at = HEADER_BYTES
  while (query[at]) at += (query[at] ?? 0) + 1
  return at + 1 + TYPE_AND_CLASS_BYTES
}

/** Lengths of labels are below the letters, so they are compared as they are. */
const lowerCase = (byte: number | undefined): number | undefined =>
  byte !== undefined && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte

/** Lower case without the final dot; the root is the empty name. */
export const canonicalName = (name: string): string => name.toLowerCase().replace(/\.$/, '')

/** Most aliases in a chain; resolvers stop at about as many. */
const MAX_ALIAS_CHAIN = 8

/**
 * The CNAME targets from `name` on, in order. Throws `malformed` for a loop and for a chain that is
 * too long.
 */
export function followAliases(
  records: readonly Answer[],
  name: string,
  before: readonly string[] = [],
): { readonly target: string; readonly ttl: number }[] {
  const aliases: { target: string; ttl: number }[] = []
  for (let owner = name; ; ) {
    const alias = records.find((record) => record.type === 'CNAME' && canonicalName(record.name) === owner)
    if (alias?.type !== 'CNAME') return aliases
    owner = canonicalName(alias.data)
    const visited = [name, ...before, ...aliases.map(({ target }) => target)]
    if (visited.includes(owner)) throw new Fault('malformed', 'aliases in a circle')
    if (visited.length > MAX_ALIAS_CHAIN) throw new Fault('malformed', `more than ${MAX_ALIAS_CHAIN} aliases`)
    aliases.push({ target: owner, ttl: alias.ttl ?? 0 })
  }
}
