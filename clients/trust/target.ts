/**
 * The part of a target that is sent. Paths and queries may contain secrets: they are sent only with
 * `sendPath`, and Atrium stores them hashed. Passwords and fragments are never sent. The user name
 * is, because `http://bank.example@evil.example` deceives with it. Text that is not an http(s) URL
 * is sent unchanged.
 */
export function subjectOf(target: string, sendPath = false): { readonly type: 'domain' | 'url'; readonly value: string } {
  const url = URL.parse(target)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return { type: 'domain', value: target }
  const site = `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}`
  const whole = `${site}${url.pathname}${url.search}`
  return { type: 'url', value: sendPath && whole.length <= MAX_TARGET_LENGTH ? whole : `${site}/` }
}

/** Atrium's limit; of a longer URL only the host is sent. */
const MAX_TARGET_LENGTH = 2_048
