import type { Socket as Tcp } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/** Bytes that mean harm to an HTTP server, and the closest that do not. */
export type RawAbuse = {
  readonly why: string
  readonly hostile: (socket: Tcp) => unknown
  /** The statuses of all answers, in order: each one that is listed here may be it. */
  readonly statuses: readonly (readonly number[])[]
  /**
   * Whether the connection may have been ended before the last of them, or the client have missed
   * them: who is refused while still writing may be.
   */
  readonly mayEndEarly?: true
  readonly harmless?: (socket: Tcp) => unknown
  /** Of the harmless one; one 200 unless given. */
  readonly accepted?: readonly number[]
}

const FINE = '{"query":"{ bells }"}'
const CLOSE = 'connection: close\r\n'
const JSON_TYPE = 'content-type: application/json\r\n'

/** A request with these header lines, each with its line break. */
const head = (line: string, headers = ''): string => `${line} HTTP/1.1\r\nhost: x\r\n${headers}\r\n`
const posted =
  (body: string | Buffer, headers = JSON_TYPE) =>
  (socket: Tcp) => {
    socket.write(head('POST /graphql', `${headers}${CLOSE}content-length: ${Buffer.byteLength(body)}\r\n`))
    socket.write(body)
  }
const said = (text: string | Buffer) => (socket: Tcp) => socket.write(text)
const chunked = (chunks: string, headers = '') =>
  said(head('POST /graphql', `${JSON_TYPE}${CLOSE}transfer-encoding: chunked\r\n${headers}`) + chunks)
const requested = (path: string, headers = 'apollo-require-preflight: 1\r\n', method = 'GET') =>
  said(head(`${method} ${path}`, headers + CLOSE))

const fine = posted(FINE)
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('')
const BAD = [[400]] as const
const UNSUPPORTED = [[415]] as const
const TOO_LONG = [[413]] as const
const HEADERS = [[431]] as const
const MEGABYTES = Buffer.alloc(50_000_000, ' ')

const BODIES: readonly RawAbuse[] = [
  { why: 'a batch', hostile: posted(`[${FINE}]`), statuses: BAD, harmless: fine },
  { why: 'a batch of 4,000', hostile: posted(`[${times(3_999, () => `${FINE},`)}${FINE}]`), statuses: BAD, harmless: fine },
  { why: 'a batch of none', hostile: posted('[]'), statuses: BAD, harmless: fine },
  { why: 'null', hostile: posted('null'), statuses: BAD, harmless: fine },
  { why: 'a text', hostile: posted('"{ bells }"'), statuses: BAD, harmless: fine },
  { why: 'a number', hostile: posted('1e999'), statuses: BAD, harmless: fine },
  { why: 'nothing', hostile: posted(''), statuses: BAD, harmless: fine },
  { why: 'JSON that ends too early', hostile: posted('{"query":"{ bells }"'), statuses: BAD, harmless: fine },
  { why: 'JSON that goes on', hostile: posted(`${FINE}}`), statuses: BAD, harmless: posted(`${FINE}\r\n `) },
  { why: 'JSON with a comment', hostile: posted(`${FINE} // why`), statuses: BAD, harmless: fine },
  { why: 'JSON 45,000 deep', hostile: posted('['.repeat(45_000) + ']'.repeat(45_000)), statuses: BAD, harmless: fine },
  {
    why: 'JSON with __proto__',
    hostile: posted('{"query":"{ bells }","__proto__":{"isAdmin":true}}'),
    statuses: BAD,
    harmless: fine,
  },
  {
    why: 'JSON with constructor.prototype',
    hostile: posted('{"query":"{ bells }","constructor":{"prototype":{"isAdmin":true}}}'),
    statuses: BAD,
    harmless: fine,
  },
  { why: 'NUL before JSON', hostile: posted(`\0${FINE}`), statuses: BAD, harmless: posted(` ${FINE}`) },
  {
    why: 'bytes that are no UTF-8',
    hostile: posted(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
    statuses: BAD,
    harmless: posted('{"query":"{ product(id: \\"é\\") { id } }"}'),
  },
  {
    why: 'UTF-16',
    hostile: posted(Buffer.from(FINE, 'utf16le'), 'content-type: application/json; charset=utf-16\r\n'),
    statuses: [[400, 415]],
    harmless: posted(FINE, 'content-type: application/json; charset=utf-8\r\n'),
  },
  {
    why: '100,001 bytes',
    hostile: posted(FINE + ' '.repeat(100_001 - FINE.length)),
    statuses: TOO_LONG,
    harmless: posted(FINE + ' '.repeat(100_000 - FINE.length)),
  },
  { why: '50 MB', hostile: posted(MEGABYTES), mayEndEarly: true, statuses: TOO_LONG, harmless: fine },
  {
    why: '50 MB in chunks',
    hostile: (socket) => {
      chunked('')(socket)
      for (let sent = 0; sent < 50; sent++) socket.write(chunk(' '.repeat(1_000_000)))
      socket.write('0\r\n\r\n')
    },
    mayEndEarly: true,
    statuses: TOO_LONG,
    harmless: chunked(`${chunk(FINE.slice(0, 5))}${chunk(FINE.slice(5))}0\r\n\r\n`),
  },
  {
    why: 'a length of 10 GB, and nothing behind it',
    hostile: said(head('POST /graphql', `${JSON_TYPE}content-length: 10000000000\r\n`)),
    statuses: TOO_LONG,
    harmless: fine,
  },
]

const TYPES: readonly RawAbuse[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense',
    'application/graphql',
    'application/jsonp',
    'text/json',
    '*/*',
    'application/json, text/plain',
  ].map(
    (type): RawAbuse => ({
      why: `content-type ${type}`,
      hostile: posted(FINE, `content-type: ${type}\r\n`),
      statuses: [[400, 415]],
      harmless: posted(FINE, 'content-type: Application/JSON\r\n'),
    }),
  ),
  { why: 'no content-type', hostile: posted(FINE, ''), statuses: [[400, 415]], harmless: fine },
  {
    why: 'a body of gzip',
    hostile: posted(gzipSync(FINE), `${JSON_TYPE}content-encoding: gzip\r\n`),
    statuses: UNSUPPORTED,
    harmless: posted(FINE, `${JSON_TYPE}content-encoding: identity\r\n`),
  },
  {
    why: 'a bomb of gzip: 50 MB in 50 kB',
    hostile: posted(gzipSync(MEGABYTES), `${JSON_TYPE}content-encoding: gzip\r\n`),
    statuses: UNSUPPORTED,
    harmless: fine,
  },
  {
    why: 'a bomb of brotli',
    hostile: posted(brotliCompressSync(MEGABYTES.subarray(0, 5_000_000)), `${JSON_TYPE}content-encoding: br\r\n`),
    statuses: UNSUPPORTED,
    harmless: fine,
  },
  {
    why: 'a bomb in a bomb',
    hostile: posted(gzipSync(gzipSync(MEGABYTES)), `${JSON_TYPE}content-encoding: gzip, gzip\r\n`),
    statuses: UNSUPPORTED,
    harmless: fine,
  },
  {
    why: 'a coding that is none',
    hostile: posted(FINE, `${JSON_TYPE}content-encoding: nonsense\r\n`),
    statuses: UNSUPPORTED,
    harmless: fine,
  },
  {
    why: '1,000 wishes in accept-encoding',
    hostile: posted(FINE, `${JSON_TYPE}accept-encoding: ${times(1_000, (i) => `x${i};q=0.5,`)}\r\n`),
    statuses: [[200]],
    harmless: posted(FINE, `${JSON_TYPE}accept-encoding: gzip;q=0, br;q=0\r\n`),
  },
]

const FRAMING: readonly RawAbuse[] = [
  {
    why: 'a length below the body',
    hostile: said(head('POST /graphql', `${JSON_TYPE}content-length: 5\r\n`) + FINE),
    mayEndEarly: true,
    statuses: [[400], [400]],
    harmless: fine,
  },
  {
    why: 'a length that is negative',
    hostile: said(head('POST /graphql', `${JSON_TYPE}content-length: -1\r\n`)),
    statuses: BAD,
    harmless: fine,
  },
  {
    why: 'a length that is no number',
    hostile: said(head('POST /graphql', `${JSON_TYPE}content-length: 1e3\r\n`)),
    statuses: BAD,
    harmless: fine,
  },
  {
    why: 'two lengths',
    hostile: said(head('POST /graphql', `${JSON_TYPE}content-length: 21\r\ncontent-length: 22\r\n`) + FINE),
    statuses: BAD,
    harmless: fine,
  },
  {
    why: 'a length and chunks: smuggling',
    hostile: chunked(`0\r\n\r\n${head('GET /health')}`, 'content-length: 4\r\n'),
    statuses: BAD,
    harmless: chunked(`${chunk(FINE)}0\r\n\r\n`),
  },
  {
    why: 'chunks under another name: smuggling',
    hostile: said(`${head('POST /graphql', `${JSON_TYPE}transfer-encoding: xchunked\r\n`)}${chunk(FINE)}0\r\n\r\n`),
    statuses: BAD,
    harmless: chunked(`${chunk(FINE)}0\r\n\r\n`),
  },
  {
    why: 'chunks twice',
    hostile: said(
      head('POST /graphql', `${JSON_TYPE}transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n`) +
        `${chunk(FINE)}0\r\n\r\n`,
    ),
    statuses: BAD,
    harmless: chunked(`${chunk(FINE)}0\r\n\r\n`),
  },
  {
    why: 'a chunk whose size is none',
    hostile: chunked('xyz\r\n{}\r\n0\r\n\r\n'),
    statuses: BAD,
    harmless: chunked(`${chunk(FINE)}0\r\n\r\n`),
  },
  {
    why: 'a chunk of 2^64 bytes',
    hostile: chunked('ffffffffffffffffff\r\n{}'),
    statuses: BAD,
    harmless: chunked(`${chunk(FINE)}0\r\n\r\n`),
  },
  {
    why: '30 kB of chunk extensions',
    hostile: chunked(`15;${'x'.repeat(30_000)}\r\n${FINE}\r\n0\r\n\r\n`),
    statuses: [[400, 413]],
    harmless: chunked(`15;x=1\r\n${FINE}\r\n0\r\n\r\n`),
  },
  {
    why: 'chunks of one byte each',
    hostile: chunked(`${times(20_000, () => '1\r\n \r\n')}0\r\n\r\n`),
    statuses: BAD,
    harmless: chunked(`${times(FINE.length, (i) => chunk(FINE.charAt(i)))}0\r\n\r\n`),
  },
  {
    why: '100 requests at once',
    hostile: said(times(99, () => head('GET /health')) + head('GET /health', CLOSE)),
    statuses: Array.from({ length: 100 }, () => [200]),
    harmless: said(head('GET /health') + head('GET /health', CLOSE)),
    accepted: [200, 200],
  },
  {
    why: 'a bad request between good ones',
    hostile: said(`${head('GET /health')}nonsense\r\n\r\n${head('GET /health')}`),
    mayEndEarly: true,
    statuses: [[200, 400], [400]],
    harmless: said(head('GET /health') + head('GET /ready', CLOSE)),
    accepted: [200, 200],
  },
  {
    why: 'an expectation that nobody can meet',
    hostile: posted(FINE, `${JSON_TYPE}expect: miracles\r\n`),
    statuses: [[417]],
    harmless: posted(FINE, `${JSON_TYPE}expect: 100-continue\r\n`),
    accepted: [100, 200],
  },
]

const HEADS: readonly RawAbuse[] = [
  { why: 'no HTTP at all', hostile: said('hello\r\n\r\n'), statuses: BAD, harmless: requested('/health') },
  {
    why: 'the beginning of TLS',
    hostile: said(Buffer.from('16030100c8010000c40303', 'hex')),
    statuses: BAD,
    harmless: requested('/health'),
  },
  {
    why: 'HTTP/0.9',
    hostile: said('GET /health\r\n\r\n'),
    statuses: [[200, 400]],
    harmless: said('GET /health HTTP/1.0\r\n\r\n'),
  },
  { why: 'HTTP/9.9', hostile: said('GET /health HTTP/9.9\r\nhost: x\r\n\r\n'), statuses: BAD, harmless: requested('/health') },
  {
    why: 'HTTP/2 without asking',
    hostile: said('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    statuses: BAD,
    harmless: requested('/health', 'upgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n'),
  },
  { why: 'no host', hostile: said(`GET /health HTTP/1.1\r\n${CLOSE}\r\n`), statuses: BAD, harmless: requested('/health') },
  { why: 'two hosts', hostile: requested('/health', 'host: y\r\n'), statuses: [[200, 400]], harmless: requested('/health') },
  {
    why: 'a header without a colon',
    hostile: requested('/health', 'nonsense\r\n'),
    statuses: BAD,
    harmless: requested('/health', 'nonsense:\r\n'),
  },
  {
    why: 'a header with NUL',
    hostile: requested('/health', 'x: a\0b\r\n'),
    statuses: BAD,
    harmless: requested('/health', 'x: a b\r\n'),
  },
  {
    why: 'a space before the colon',
    hostile: requested('/health', 'x : 1\r\n'),
    statuses: BAD,
    harmless: requested('/health', 'x: 1\r\n'),
  },
  {
    why: 'a folded header',
    hostile: requested('/health', 'x: 1\r\n  2\r\n'),
    statuses: [[200, 400]],
    harmless: requested('/health'),
  },
  {
    why: 'a lone carriage return',
    hostile: requested('/health', 'x: 1\ry: 2\r\n'),
    statuses: BAD,
    harmless: requested('/health'),
  },
  {
    why: 'one header of 40 kB',
    hostile: requested('/health', `x: ${'y'.repeat(40_000)}\r\n`),
    statuses: HEADERS,
    harmless: requested('/health', `x: ${'y'.repeat(4_000)}\r\n`),
  },
  {
    why: '10,000 headers',
    hostile: requested(
      '/health',
      times(10_000, (i) => `x${i}: 1\r\n`),
    ),
    statuses: HEADERS,
    harmless: requested(
      '/health',
      times(100, (i) => `x${i}: 1\r\n`),
    ),
  },
  {
    why: 'a cookie of 30 kB',
    hostile: requested('/health', `cookie: ${'a=b; '.repeat(6_000)}\r\n`),
    statuses: HEADERS,
    harmless: requested('/health', `cookie: ${'a=b; '.repeat(1_000)}\r\n`),
  },
  {
    why: 'a credential of 30 kB',
    hostile: posted(FINE, `${JSON_TYPE}authorization: Bearer ${'x'.repeat(30_000)}\r\n`),
    statuses: HEADERS,
    harmless: posted(FINE, `${JSON_TYPE}authorization: Bearer ${'x'.repeat(3_000)}\r\n`),
  },
  {
    why: 'a path of 40 kB',
    hostile: requested(`/graphql?query=${'x'.repeat(40_000)}`),
    statuses: HEADERS,
    harmless: requested('/graphql?query=%7Bbells%7D'),
  },
  {
    why: 'content-type twice',
    hostile: posted(FINE, `${JSON_TYPE}content-type: text/plain\r\n`),
    statuses: [[200, 400, 415]],
    harmless: fine,
  },
  {
    why: 'a request id with markup',
    hostile: posted(FINE, `${JSON_TYPE}x-request-id: <script>\r\n`),
    statuses: [[200]],
    harmless: posted(FINE, `${JSON_TYPE}x-request-id: a-1\r\n`),
  },
  {
    why: 'a wish for events from nobody',
    hostile: posted('{"query":7}', `${JSON_TYPE}accept: text/event-stream\r\n`),
    statuses: [[200, 400]],
    harmless: posted(FINE, `${JSON_TYPE}accept: text/event-stream\r\n`),
  },
]

const METHODS: readonly RawAbuse[] = [
  ...['PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'get', 'BREW'].map(
    (method): RawAbuse => ({
      why: `${method} /graphql`,
      hostile: requested('/graphql', '', method),
      statuses: [[400, 404, 405]],
      harmless: requested('/graphql?query=%7Bbells%7D'),
    }),
  ),
  {
    why: 'CONNECT',
    hostile: said('CONNECT example.org:443 HTTP/1.1\r\nhost: x\r\n\r\n'),
    statuses: [[400, 404, 405]],
    harmless: requested('/health'),
  },
  {
    why: 'a mutation over GET',
    hostile: requested('/graphql?query=mutation%7Brename(id:%22a%22,name:%22b%22)%7Bname%7D%7D'),
    statuses: [[405]],
    harmless: requested('/graphql?query=%7Bbells%7D'),
  },
  {
    why: 'GET without anything',
    hostile: requested('/graphql'),
    statuses: BAD,
    harmless: requested('/graphql?query=%7Bbells%7D'),
  },
  {
    why: 'GET of another site',
    hostile: requested('/graphql?query=%7Bbells%7D', ''),
    statuses: BAD,
    harmless: requested('/graphql?query=%7Bbells%7D'),
  },
  {
    why: 'GET with variables that are no JSON',
    hostile: requested('/graphql?query=%7Bbells%7D&variables=%7B'),
    statuses: BAD,
    harmless: requested('/graphql?query=%7Bbells%7D&variables=%7B%7D'),
  },
  {
    why: 'GET with the query twice',
    hostile: requested('/graphql?query=%7Bbells%7D&query=%7Bcaller%7D'),
    statuses: BAD,
    harmless: requested('/graphql?query=%7Bbells%7D&other=1'),
  },
  {
    why: 'GET with broken percent-encoding',
    hostile: requested('/graphql?query=%zz'),
    statuses: BAD,
    harmless: requested('/graphql?query=%7Bbells%7D'),
  },
  {
    why: 'GET with query[a]',
    hostile: requested('/graphql?query[a]=%7Bbells%7D'),
    statuses: BAD,
    harmless: requested('/graphql?query=%7Bbells%7D'),
  },
  {
    why: 'GET with 3,000 parameters',
    hostile: requested(`/graphql?query=%7Bbells%7D${times(3_000, () => '&a')}`),
    statuses: [[200]],
    harmless: requested('/graphql?query=%7Bbells%7D&a=1'),
  },
  {
    why: 'a path that climbs',
    hostile: requested('/graphql/../../etc/passwd'),
    statuses: [[400, 404]],
    harmless: requested('/health'),
  },
  { why: 'a path below', hostile: requested('/graphql/x'), statuses: [[404]], harmless: requested('/graphql?query=%7Bbells%7D') },
  {
    why: 'a whole address instead of a path',
    hostile: requested('http://example.org/graphql?query=%7Bbells%7D'),
    statuses: [[200, 400, 404]],
    harmless: requested('/graphql?query=%7Bbells%7D'),
  },
]

const UPGRADES: readonly RawAbuse[] = [
  {
    why: 'an upgrade to something else',
    hostile: requested('/health', 'connection: upgrade\r\nupgrade: nonsense\r\n'),
    statuses: [[200]],
    harmless: requested('/health'),
  },
  {
    why: 'a WebSocket elsewhere',
    hostile: said(
      head(
        'GET /health',
        'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\n',
      ),
    ),
    statuses: [[404]],
    harmless: requested('/health'),
  },
  {
    why: 'a WebSocket without a key',
    hostile: said(head('GET /graphql', 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n')),
    statuses: BAD,
  },
  {
    why: 'a WebSocket with a key that is none',
    hostile: said(
      head('GET /graphql', 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: x\r\nsec-websocket-version: 13\r\n'),
    ),
    statuses: BAD,
  },
  {
    why: 'a WebSocket of version 7',
    hostile: said(
      head(
        'GET /graphql',
        'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 7\r\n',
      ),
    ),
    statuses: [[400, 426]],
  },
  {
    why: 'a WebSocket over POST',
    hostile: said(
      head(
        'POST /graphql',
        'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\n',
      ),
    ),
    statuses: [[400, 405]],
  },
]

export const REQUESTS: Readonly<Record<string, readonly RawAbuse[]>> = {
  bodies: BODIES,
  'content types and codings': TYPES,
  framing: FRAMING,
  heads: HEADS,
  'methods and paths': METHODS,
  upgrades: UPGRADES,
}

/** Connections that never finish what they began. */
export const UNFINISHED: readonly { readonly why: string; readonly begin: (socket: Tcp) => unknown }[] = [
  { why: 'half a head', begin: said('POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-ty') },
  {
    why: 'a body that is shorter than its length',
    begin: said(head('POST /graphql', `${JSON_TYPE}content-length: 50\r\n`) + FINE),
  },
  { why: 'chunks without end', begin: chunked(chunk('{"query":')) },
  {
    why: 'a head, a byte a second',
    begin: (socket) => {
      socket.write('GET /health HTTP/1.1\r\nhost: x\r\nx: ')
      const slowly = setInterval(() => socket.write('y'), 500)
      socket.on('close', () => clearInterval(slowly))
    },
  },
]
