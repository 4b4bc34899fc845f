/** Hop-by-hop headers (RFC 9110 §7.6.1) and message framing, which the sender must set itself. */
const OF_MESSAGE = [
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Request headers that the gateway sends and signs itself. */
const OF_REQUEST = new Set([
  ...OF_MESSAGE,
  'accept',
  'accept-encoding',
  'forwarded',
  'traceparent',
  'x-atrium-signature',
  'x-connected-at',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-request-id',
])

/**
 * Response headers that the gateway sets itself; CORS headers too, because no subgraph may allow
 * origins.
 */
const OF_RESPONSE = new Set([
  ...OF_MESSAGE,
  'age',
  'alt-svc',
  'cache-control',
  'content-security-policy',
  'etag',
  'expires',
  'last-modified',
  'retry-after',
  'server',
  'strict-transport-security',
  'vary',
  'x-atrium-signature',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
])

/** Whether rules must not write this request header (lower-case name). */
export const isProtectedRequestHeader = (name: string): boolean => OF_REQUEST.has(name)

/** Whether rules must not write this response header (lower-case name). */
export const isProtectedResponseHeader = (name: string): boolean => OF_RESPONSE.has(name) || name.startsWith('access-control-')

/**
 * Headers with credentials, which a rule must name explicitly; patterns never match them.
 * `atrium-trace` has the token of query traces.
 */
export const NAMED_ONLY: ReadonlySet<string> = new Set(['atrium-trace', 'authorization', 'cookie', 'set-cookie', 'set-cookie2'])
