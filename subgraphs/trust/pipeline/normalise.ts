import tr46 from 'tr46'
import { canonicalIpv6, type Reach, reachOf } from './address.ts'
import { type NameParts, partsOf } from './name.ts'
import { type NameFinding, nameFindings, writtenFindings } from './script.ts'
import { foldedToAscii } from './skeleton.ts'
import { type EmbeddedHost, type UrlParts, urlPartsOf } from './url.ts'

/**
 * What a decision is about, in one spelling. Everything that depends on tables of names is settled
 * here, once, and stored with the decision.
 */
export type Target = {
  readonly type: TargetType
  /** As it was sent. */
  readonly value: string
  /**
   * Lower-case A-labels without a trailing dot, or the canonical text of an address, without
   * brackets.
   */
  readonly host: string
  /** `host` for people: U-labels. */
  readonly unicode: string
  /** What people read in `unicode`: accents dropped, look-alikes of ASCII letters replaced. */
  readonly folded: string
  readonly kind: 'name' | 'address'
  /** For addresses: where they lead. */
  readonly reach: Reach | null
  readonly name: NameParts
  /**
   * Problems of the letters of an internationalised name, each finding once, in alphabetical order.
   */
  readonly findings: readonly NameFinding[]
  /**
   * What stands before the `@` of a URL; browsers ignore it and people read it. Null when there is
   * nothing.
   */
  readonly userinfo: string | null
  readonly port: number | null
  /** What stands behind the host, hashed; absent for a host alone, and before engine 3. */
  readonly url?: UrlParts
}
export type TargetType = 'domain' | 'url'

export type Normalised =
  | { readonly kind: 'target'; readonly target: Target }
  | { readonly kind: 'invalid'; readonly code: TargetFault; readonly message: string }
export type TargetFault =
  | 'empty'
  | 'too_long'
  | 'control_character'
  | 'scheme'
  | 'userinfo'
  | 'port'
  | 'host'
  | 'zone'
  | 'address'

/**
 * Longest text that is read, in UTF-16 units: what servers commonly take as a URL; a host alone
 * ends at 253.
 */
const MAX_TEXT_LENGTH = 2048

const invalid = (code: TargetFault, message: string): Normalised => ({ kind: 'invalid', code, message })
const NO_NAME: NameParts = { registrable: null, suffix: null, tenant: null, shared: false, specialUse: null }

/**
 * Stage 1: one spelling for every form of a host. Takes a host, a host with port or path, or an
 * http(s) URL, whatever `type` says, because clients mix them up. Splits like the WHATWG URL
 * standard; IDNA is UTS #46 nontransitional with STD3 rules, from the tables of tr46 and not of
 * Node.
 */
export function normalise(type: TargetType, value: string): Normalised {
  const found = normaliseHost(type, value)
  if (found.kind === 'invalid') return found
  const { target } = found
  const url = urlPartsOf(target.host, target.port, pathOf(value), embeddedHost)
  return url === null ? found : { kind: 'target', target: { ...target, url } }
}

/** Path, query and fragment of a target's text as they were sent; empty for a host alone. */
export const pathOf = (value: string): string => partsOfUrl(value.trim())?.rest ?? ''

/**
 * A target's text without what stands behind its host, which may hold secrets: an ellipsis stands
 * for path, query and fragment. Decisions depend on `Target.url` instead.
 */
export function withoutPath(value: string): string {
  const text = value.trim()
  const rest = pathOf(text)
  return rest.length <= 1 ? value : `${text.slice(0, text.length - rest.length)}/…`
}

/** A host within a URL; null for an invalid one. */
function embeddedHost(text: string): EmbeddedHost | null {
  const found = normaliseHost('domain', text)
  if (found.kind === 'invalid') return null
  const { host, unicode, folded, kind, reach, name, findings } = found.target
  return { host, unicode, folded, kind, reach, name, findings }
}

/** ASCII whitespace of the Infra Standard. */
const ASCII_BLANKS = ' \t\n\f\r'

/** In linear time, which an expression for the end is not. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && ASCII_BLANKS.includes(text[start] ?? '')) start++
  while (end > start && ASCII_BLANKS.includes(text[end - 1] ?? '')) end--
  return text.slice(start, end)
}

function normaliseHost(type: TargetType, value: string): Normalised {
  if (value.length > MAX_TEXT_LENGTH)
    return invalid('too_long', `Expected at most ${MAX_TEXT_LENGTH} characters, got ${value.length}.`)
  // What URL parsers drop at the ends as well: clients send what models and files have there.
  const text = withoutBlanks(value)
  if (text === '') return invalid('empty', 'Expected a host name or an http(s) URL, got blanks only.')
  if (!text.isWellFormed()) return invalid('host', 'Expected well-formed Unicode.')
  // URL parsers drop tabs and line breaks silently, and some a byte order mark: the checked URL would
  // not be the opened one.
  if (/\p{Cc}/u.test(text) || text !== text.trim())
    return invalid('control_character', 'Expected no control characters, and no blanks but those of ASCII at the ends.')

  const bare = canonicalIpv6(text)
  if (bare !== null) return addressTarget(type, value, bare, null, null)

  if (/^\[?[0-9a-f:.]*:[0-9a-f:.]*%/i.test(text)) return invalid('zone', 'Expected an IPv6 address without a zone.')

  const parts = partsOfUrl(text)
  if (parts === null) return invalid('scheme', 'Expected the scheme to be http or https.')
  const { authority } = parts
  const at = authority.lastIndexOf('@')
  const userinfo = at === -1 ? null : authority.slice(0, at)
  const split = splitPort(authority.slice(at + 1))
  if (split === null) return invalid('port', 'Expected a port between 0 and 65535.')
  return hostTarget(type, value, split.host, userinfo === '' ? null : userinfo, split.port)
}

/**
 * What stands between the scheme's slashes and the path, and the rest from the path on; null for
 * schemes other than http and https. A number after a colon is a port, not a scheme.
 */
function partsOfUrl(text: string): { readonly authority: string; readonly rest: string } | null {
  const scheme = /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#\\]|$))/i.exec(text)
  if (scheme && !/^https?$/i.test(scheme[1] ?? '')) return null
  const address = scheme ? text.slice(scheme[0].length).replace(/^[/\\]+/, '') : text
  const authority = address.split(/[/\\?#]/, 1)[0] ?? ''
  return { authority, rest: address.slice(authority.length) }
}

function splitPort(text: string): { host: string; port: number | null } | null {
  const match = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(text)
  if (!match) return /^\[|:.*:/.test(text) ? { host: text, port: null } : null
  const port = match[2] === undefined || match[2] === '' ? null : Number(match[2])
  return port !== null && port > 65_535 ? null : { host: match[1] ?? '', port }
}

function hostTarget(type: TargetType, value: string, written: string, userinfo: string | null, port: number | null): Normalised {
  if (written === '') return invalid('empty', 'Expected a host name, got none.')
  if (written.startsWith('[') || written.includes(':')) {
    if (written.includes('%')) return invalid('zone', 'Expected an IPv6 address without a zone.')
    const address = canonicalIpv6(written.replace(/^\[(.*)\]$/, '$1'))
    return address === null
      ? invalid('address', 'Expected an IPv6 address between brackets.')
      : addressTarget(type, value, address, userinfo, port)
  }

  const decoded = percentDecoded(written)
  const ascii = decoded === null ? null : toAscii(decoded)
  if (ascii === null)
    return invalid('host', `Expected a host name of letters, digits and hyphens (labels of 1 to 63, 253 in all).`)
  if (endsInNumber(ascii)) {
    const address = ipv4Of(ascii)
    return address === null
      ? invalid('address', 'Expected an IPv4 address where the last label is a number.')
      : addressTarget(type, value, address, userinfo, port)
  }

  const { domain: unicode } = tr46.toUnicode(ascii, IDNA)
  const name = partsOf(ascii)
  const target: Target = {
    type,
    value,
    host: ascii,
    unicode,
    folded: foldedToAscii(unicode),
    kind: 'name',
    reach: null,
    name,
    findings: [...new Set([...nameFindings(unicode), ...writtenFindings(decoded ?? '')])].sort(),
    userinfo,
    port,
  }
  return { kind: 'target', target }
}

const addressTarget = (
  type: TargetType,
  value: string,
  host: string,
  userinfo: string | null,
  port: number | null,
): Normalised => ({
  kind: 'target',
  target: {
    type,
    value,
    host,
    unicode: host,
    folded: host,
    kind: 'address',
    reach: reachOf(host),
    name: NO_NAME,
    findings: [],
    userinfo,
    port,
  },
})

/** Hyphens are not checked: the third and fourth of `r3---sn-x.example` are in daily use. */
const IDNA = {
  checkBidi: true,
  checkHyphens: false,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  verifyDNSLength: true,
  transitionalProcessing: false,
} as const

/** The name in A-labels, less one trailing dot; null when IDNA, STD3 or the DNS do not allow it. */
function toAscii(text: string): string | null {
  const mapped = text.replace(/[.\u3002\uff0e\uff61]$/, '')
  return mapped === '' ? null : tr46.toASCII(mapped, IDNA)
}

/**
 * Browsers decode %-escapes in hosts before anything else. Null when they are broken or hide
 * something that is not text.
 */
function percentDecoded(text: string): string | null {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

/** WHATWG URL, "ends in a number checker": such hosts are IPv4 addresses or nothing. */
const endsInNumber = (host: string): boolean => /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host)

/**
 * IPv4 in any of its spellings (`127.1`, `0x7f.1`, `2130706433`, `0177.0.0.1`), read as browsers
 * do; null for other text.
 */
function ipv4Of(host: string): string | null {
  const url = URL.parse(`http://${host}/`)
  return url && /^\d+\.\d+\.\d+\.\d+$/.test(url.hostname) ? url.hostname : null
}
