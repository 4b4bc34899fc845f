/** The ways into this process, by the beginning of the path; the first that fits. Pages of items lie below /mcp as well, at paths with more in them. */
const DOORS: readonly (readonly [RegExp, string | null])[] = [
  // Asked every few seconds by machines that look after this one.
  [/^\/(?:health|ready|metrics)$/, null],
  [/^\/graphql(?:\/|$)/, 'graphql'],
  [/^\/(?:api|v1)(?:\/|$)/, 'rest'],
  [/^\/mcp\/[a-z]+(?:\/server\.json)?$/, 'mcp'],
  [/^\/oauth(?:\/|$)/, 'oauth'],
  [/^\/files(?:\/|$)/, 'files'],
  // Of a subgraph, for gateways.
  [/^\/(?:door|changes)$/, 'link'],
]

/** Which way a request took; null for those that nobody counts. */
export function doorOf(path: string): string | null {
  const found = DOORS.find(([beginning]) => beginning.test(path))
  return found ? found[1] : 'pages'
}
