/**
 * What is sent of a target. Paths and queries may hold secrets: they are sent only with `sendPath`,
 * and then judged, and stored by Atrium as hashes. Passwords and fragments always stay with the
 * caller; the user is sent, because `http://bank.example@evil.example` deceives by it. Text that is
 * no http(s) URL is Atrium's to judge, as it stands.
 */
export function subjectOf(target: string, sendPath = false): { readonly type: 'domain' | 'url'; readonly value: string } {
  const url = URL.parse(target)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return { type: 'domain', value: target }
  const site = `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}`
  const whole = `${site}${url.pathname}${url.search}`
  return { type: 'url', value: sendPath && whole.length <= MAX_TARGET_LENGTH ? whole : `${site}/` }
}

/** Atrium refuses longer targets; of such a URL the host is asked about. */
const MAX_TARGET_LENGTH = 2_048
