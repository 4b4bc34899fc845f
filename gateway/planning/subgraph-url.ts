/**
 * Why a subgraph cannot be reached at this URL, to complete "… is at …"; null where it can. Never
 * repeats credentials, since the sentence may end in a log.
 */
export function subgraphUrlProblem(url: string): string | null {
  const parsed = URL.canParse(url) ? new URL(url) : null
  // The header that would carry them belongs to the client.
  if (parsed && (parsed.username !== '' || parsed.password !== '')) {
    return 'an address with a user name or a password: expected one without.'
  }
  return parsed && /^https?:$/.test(parsed.protocol) ? null : `"${url}": expected an http or https URL.`
}
