/**
 * Headers of one connection (RFC 9110 §7.6.1), and those that say where a message goes, how long it
 * is and what it is: the sender of a message sets them.
 */
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

/** Headers that the gateway itself sends to a subgraph, and signs. */
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

/** Headers that the gateway sends to clients and caches: no subgraph opens it to other origins. */
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

/** Whether no rule may write this header (in lower case) of a request to a subgraph. */
export const isProtectedRequestHeader = (name: string): boolean => OF_REQUEST.has(name)

/** Whether no rule may write this header (in lower case) of a response to a client. */
export const isProtectedResponseHeader = (name: string): boolean => OF_RESPONSE.has(name) || name.startsWith('access-control-')

/** Headers with credentials: only a rule that names them propagates them, a pattern never does. */
export const NAMED_ONLY: ReadonlySet<string> = new Set(['authorization', 'cookie', 'set-cookie', 'set-cookie2'])
