/**
 * Why a URL cannot be used for a subgraph, to complete "… is at …"; null when it can. Never
 * contains credentials, since the message is logged.
 */
export function subgraphUrlProblem(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  // Credentials in a URL become an `Authorization` header, which is the client's.
  if (parsed && (parsed.username !== '' || parsed.password !== '')) {
    return 'an address with a user name or a password: expected one without.'
  }
  return parsed && /^https?:$/.test(parsed.protocol) ? null : `"${url}": expected an http or https URL.`
}
