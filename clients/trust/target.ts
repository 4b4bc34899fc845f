/**
 * What is sent of a target. Decisions are about hosts, so the path and the query of a URL, which
 * may hold secrets, stay with the caller, as does a password; the user stays, because
 * `http://bank.example@evil.example` deceives by it. Text that is no http(s) URL is Atrium's to
 * judge, as it stands.
 */
export function subjectOf(target: string): { readonly type: 'domain' | 'url'; readonly value: string } {
  const url = URL.parse(target)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return { type: 'domain', value: target }
  return { type: 'url', value: `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}/` }
}
