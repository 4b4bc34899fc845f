/** Argument of `restrict` in Apollo's cache policy. */
type CacheHint = { maxAge: number; scope?: 'PUBLIC' | 'PRIVATE' }

/**
 * Restricts an operation's cache policy by the `Cache-Control` of one subgraph, as Apollo Gateway
 * does: without `max-age` the whole response is uncacheable. A `policy` without `restrict` is
 * ignored.
 */
export function restrictCachePolicy(policy: unknown, header: string | null): void {
  if (!isRestrictable(policy)) return
  const directives = new Map(
    (header ?? '').split(',').map((part): [string, string] => {
      const [name = '', value = ''] = part.trim().toLowerCase().split('=')
      return [name, value.replaceAll('"', '')]
    }),
  )
  const maxAge = directives.get('max-age') ?? ''
  const hint: CacheHint = { maxAge: /^\d+$/.test(maxAge) ? Number(maxAge) : 0 }
  if (directives.has('private')) hint.scope = 'PRIVATE'
  else if (directives.has('public')) hint.scope = 'PUBLIC'
  policy.restrict(hint)
}

function isRestrictable(policy: unknown): policy is { readonly restrict: (hint: CacheHint) => void } {
  return typeof policy === 'object' && policy !== null && 'restrict' in policy && typeof policy.restrict === 'function'
}
