type Subject = { readonly type: 'domain' | 'url'; readonly value: string }

/** Atrium's limit; of a longer URL only the host is sent. */
const MAX_TARGET_LENGTH = 2_048

/**
 * The part of a target that is sent. Paths and queries may contain secrets: they are sent only with
 * `sendPath`, and Atrium stores them hashed. Passwords and fragments are never sent, of text that
 * is no valid URL neither. The user name is, because `http://bank.example@evil.example` deceives
 * with it. Of other schemes only the scheme is sent, and of text with a character that `faultOf`
 * refuses only that character.
 */
export function subjectOf(target: string, sendPath = false): Subject {
  const refused = refusedCharacter(target)
  if (refused !== null) return { type: 'domain', value: refused }
  const url = URL.parse(target)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return partsOfText(target, sendPath)
  const site = `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}`
  return { type: 'url', value: bounded(site, `${url.pathname}${url.search}`, sendPath) }
}

/** Why a target is refused before anything of it is sent: Atrium's own words; null for others. */
export const faultOf = (target: string): string | null =>
  refusedCharacter(target) === null
    ? null
    : 'target.value: Expected no control characters, and no blanks but those of ASCII at the ends.'

/** What JavaScript calls white space, less that of ASCII: URL parsers drop some of it silently. */
const BLANK = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/

function refusedCharacter(target: string): string | null {
  const text = withoutBlanks(target)
  const control = /\p{Cc}/u.exec(text)
  if (control) return control[0]
  return [text.at(0), text.at(-1)].find((end) => end !== undefined && BLANK.test(end)) ?? null
}

/** ASCII whitespace of the Infra Standard, which Atrium and URL parsers drop at both ends. */
const ASCII_BLANKS = ' \t\n\f\r'

/** In linear time, which an expression for the end is not. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && ASCII_BLANKS.includes(text[start] ?? '')) start++
  while (end > start && ASCII_BLANKS.includes(text[end - 1] ?? '')) end--
  return text.slice(start, end)
}

/** Reads text that is no URL as Atrium does: a host alone, with a path, or a broken URL. */
function partsOfText(target: string, sendPath: boolean): Subject {
  const text = withoutBlanks(target)
  // Of an IPv6 address the first colon ends no scheme; a number behind it is a port.
  const isAddress = /^[0-9a-f.]*:[0-9a-f.]*:/i.test(text)
  const scheme = isAddress ? undefined : /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#\\]|$))/i.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return { type: 'domain', value: `${scheme}:` }
  const address = scheme === undefined ? text : text.slice(scheme.length + 1).replace(/^[/\\]+/, '')
  const [authority = ''] = address.split(/[/\\?#]/, 1)
  const rest = address.slice(authority.length)
  const at = authority.lastIndexOf('@')
  const user = at === -1 ? '' : (authority.slice(0, at).split(':', 1)[0] ?? '')
  const host = `${user === '' ? '' : `${user}@`}${authority.slice(at + 1)}`
  if (scheme === undefined && rest === '') return { type: 'domain', value: host }
  const [behind = ''] = rest.split('#', 1)
  const [path = ''] = behind.split('?', 1)
  const lower = authority.slice(at + 1).replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
  const site = scheme === undefined ? host : `${scheme}://${user === '' ? '' : `${user}@`}${lower}`
  const whole = `${path.replaceAll('\\', '/') || '/'}${behind.slice(path.length)}`
  return { type: scheme === undefined ? 'domain' : 'url', value: bounded(site, whole, sendPath && lower !== '') }
}

const bounded = (site: string, rest: string, sendPath: boolean): string =>
  sendPath && site.length + rest.length <= MAX_TARGET_LENGTH ? `${site}${rest}` : `${site}/`
