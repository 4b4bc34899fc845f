/**
 * Route classes by path prefix; the first match counts. Deeper paths below /mcp are pages of items.
 */
const ROUTE_CLASSES: readonly (readonly [RegExp, string | null])[] = [
  // Polled every few seconds by monitoring.
  [/^\/(?:health|ready|metrics)$/, null],
  [/^\/graphql(?:\/|$)/, 'graphql'],
  // Events of subgraphs.
  [/^\/callbacks(?:\/|$)/, 'link'],
  [/^\/(?:api|v1)(?:\/|$)/, 'rest'],
  [/^\/mcp\/[a-z]+(?:\/server\.json)?$/, 'mcp'],
  [/^\/oauth(?:\/|$)/, 'oauth'],
  [/^\/files(?:\/|$)/, 'files'],
  // The link between gateway and subgraph processes.
  [/^\/(?:door|changes)$/, 'link'],
]

/** The route class of a path, a metrics label; null for paths that are not counted. */
export function routeClassOf(path: string): string | null {
  const found = ROUTE_CLASSES.find(([beginning]) => beginning.test(path))
  return found ? found[1] : 'pages'
}
