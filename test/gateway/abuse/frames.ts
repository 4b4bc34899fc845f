import type { Socket as Tcp } from 'node:net'

/** What one WebSocket client writes after the handshake. */
export type FrameAbuse = {
  readonly why: string
  readonly hostile: readonly (Buffer | string)[]
  /**
   * The codes that the socket may be closed with, 1006 for a connection that is cut off; null: it
   * answers the next operation.
   */
  readonly codes: readonly number[] | null
  readonly harmless?: readonly (Buffer | string)[]
}

const TEXT = 1
const BINARY = 2
const CONTINUED = 0
const CLOSE = 8
const PING = 9
const PONG = 10

/** A frame of RFC 6455 §5.2, right or wrong. */
export function frame(
  opcode: number,
  payload: string | Buffer = '',
  { isLast = true, isMasked = true, reserved = 0 } = {},
): Buffer {
  const body = Buffer.from(payload)
  const length =
    body.length < 126
      ? Buffer.from([body.length])
      : body.length < 65_536
        ? Buffer.from([126, body.length >> 8, body.length & 255])
        : Buffer.concat([Buffer.from([127]), lengthOf(body.length)])
  if (isMasked) length[0] = (length[0] ?? 0) | 128
  const first = (isLast ? 128 : 0) | (reserved << 4) | opcode
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([Buffer.from([first]), length, ...(isMasked ? [Buffer.alloc(4)] : []), body])
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(length))
  return bytes
}

const repeated = (count: number, one: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => one))
const message = (value: unknown): string => JSON.stringify(value)
const INIT = message({ type: 'connection_init' })
const subscribe = (id: unknown, payload: unknown = { query: '{ bells }' }) => message({ id, type: 'subscribe', payload })
const NEVER = { query: 'subscription { rang { number } }' }

/** Bytes of the protocol below: sent to a socket that is acknowledged. */
export const FRAMES: readonly FrameAbuse[] = [
  {
    why: 'a binary message',
    hostile: [frame(BINARY, subscribe('a'))],
    codes: [4400, 1003],
    harmless: [frame(TEXT, subscribe('a'))],
  },
  {
    why: 'a frame without a mask',
    hostile: [frame(TEXT, subscribe('a'), { isMasked: false })],
    codes: [1002],
    harmless: [frame(TEXT, subscribe('a'))],
  },
  {
    why: 'reserved bits',
    hostile: [frame(TEXT, subscribe('a'), { reserved: 4 })],
    codes: [1002],
    harmless: [frame(TEXT, subscribe('a'))],
  },
  { why: 'an opcode that is none', hostile: [frame(3, 'x')], codes: [1002], harmless: [frame(PONG)] },
  {
    why: 'text that is no UTF-8',
    hostile: [frame(TEXT, Buffer.from([0xff, 0xfe]))],
    codes: [1007],
    harmless: [frame(TEXT, subscribe('é'))],
  },
  {
    why: 'a message of 200 kB',
    hostile: [frame(TEXT, ' '.repeat(200_000))],
    codes: [1009],
    harmless: [frame(TEXT, `${subscribe('a')}${' '.repeat(90_000)}`)],
  },
  {
    why: 'a message of 50 MB',
    hostile: [frame(TEXT, ' '.repeat(50_000_000))],
    codes: [1009],
    harmless: [frame(TEXT, subscribe('a'))],
  },
  {
    why: 'the announcement of 2^62 bytes',
    hostile: [Buffer.concat([Buffer.from([129, 255]), Buffer.from('4000000000000000', 'hex')])],
    codes: [1009],
    harmless: [frame(TEXT, subscribe('a'))],
  },
  {
    why: 'the announcement of 2^63 bytes',
    hostile: [Buffer.concat([Buffer.from([129, 255]), Buffer.from('ffffffffffffffff', 'hex')])],
    codes: [1002, 1009],
    harmless: [frame(TEXT, subscribe('a'))],
  },
  {
    why: 'a message in 3,000 frames that is too long',
    hostile: [
      frame(TEXT, ' '.repeat(100), { isLast: false }),
      repeated(3_000, frame(CONTINUED, ' '.repeat(100), { isLast: false })),
    ],
    codes: [1009],
    harmless: [frame(TEXT, subscribe('a').slice(0, 9), { isLast: false }), frame(CONTINUED, subscribe('a').slice(9))],
  },
  {
    why: '50,000 empty frames of one message',
    hostile: [
      frame(TEXT, '', { isLast: false }),
      repeated(50_000, frame(CONTINUED, '', { isLast: false })),
      frame(CONTINUED, subscribe('flood')),
    ],
    codes: [1008],
    harmless: [
      frame(TEXT, subscribe('a').slice(0, 9), { isLast: false }),
      frame(PING),
      frame(CONTINUED, subscribe('a').slice(9)),
    ],
  },
  { why: 'a continuation of nothing', hostile: [frame(CONTINUED, 'x')], codes: [1002], harmless: [frame(TEXT, subscribe('a'))] },
  {
    why: 'a second message inside of the first',
    hostile: [frame(TEXT, 'x', { isLast: false }), frame(TEXT, 'y')],
    codes: [1002],
    harmless: [frame(TEXT, subscribe('a')), frame(TEXT, subscribe('b'))],
  },
  {
    why: 'a ping of 200 bytes',
    hostile: [frame(PING, 'x'.repeat(200))],
    codes: [1002],
    harmless: [frame(PING, 'x'.repeat(125))],
  },
  { why: 'half a ping', hostile: [frame(PING, 'x', { isLast: false })], codes: [1002], harmless: [frame(PING, 'x')] },
  {
    why: '50,000 pings',
    hostile: [repeated(50_000, frame(PING, 'x'))],
    codes: [1006],
    harmless: [repeated(10, frame(PING, 'x'))],
  },
  { why: '50,000 pongs', hostile: [repeated(50_000, frame(PONG, 'x'))], codes: null, harmless: [frame(PONG)] },
  {
    why: 'a goodbye with a code that must not be sent',
    hostile: [frame(CLOSE, Buffer.from([3, 237]))],
    codes: [1002],
    harmless: [frame(TEXT, subscribe('a'))],
  },
  { why: 'a goodbye of one byte', hostile: [frame(CLOSE, 'x')], codes: [1002], harmless: [frame(TEXT, subscribe('a'))] },
]

/** Messages of the protocol above: sent to a socket that is acknowledged. */
export const MESSAGES: readonly FrameAbuse[] = [
  { why: 'a second connection_init', hostile: [INIT], codes: [4429], harmless: [message({ type: 'ping' })] },
  { why: 'no JSON', hostile: ['{'], codes: [4400], harmless: [message({ type: 'ping', payload: { a: 1 } })] },
  { why: 'nothing', hostile: [''], codes: [4400], harmless: [message({ type: 'pong' })] },
  { why: 'null', hostile: ['null'], codes: [4400], harmless: [subscribe('a')] },
  { why: 'a list', hostile: ['[]'], codes: [4400], harmless: [subscribe('a')] },
  {
    why: 'a batch',
    hostile: [message([JSON.parse(subscribe('a')), JSON.parse(subscribe('b'))])],
    codes: [4400],
    harmless: [subscribe('a'), subscribe('b')],
  },
  {
    why: 'JSON 45,000 deep',
    hostile: ['['.repeat(45_000) + ']'.repeat(45_000)],
    codes: [4400],
    harmless: [subscribe('a', { query: '{ bells }', extensions: { a: [[[1]]] } })],
  },
  { why: 'no type', hostile: ['{"id":"a"}'], codes: [4400], harmless: [subscribe('a')] },
  {
    why: 'a type that is none',
    hostile: ['{"id":"a","type":"start","payload":{"query":"{ bells }"}}'],
    codes: [4400],
    harmless: [subscribe('a')],
  },
  { why: 'the type __proto__', hostile: ['{"id":"a","type":"__proto__"}'], codes: [4400], harmless: [subscribe('__proto__')] },
  { why: 'what only a server may say', hostile: ['{"type":"connection_ack"}'], codes: [4400], harmless: [subscribe('a')] },
  {
    why: 'an answer by a client',
    hostile: ['{"id":"a","type":"next","payload":{"data":{}}}'],
    codes: [4400],
    harmless: [subscribe('a')],
  },
  { why: 'no id', hostile: ['{"type":"subscribe","payload":{"query":"{ bells }"}}'], codes: [4400], harmless: [subscribe('a')] },
  { why: 'an id that is empty', hostile: [subscribe('')], codes: [4400], harmless: [subscribe(' ')] },
  { why: 'an id that is a number', hostile: [subscribe(7)], codes: [4400], harmless: [subscribe('7')] },
  { why: 'an id with NUL', hostile: [subscribe('a\0b')], codes: null, harmless: [subscribe('a')] },
  { why: 'an id of 50 kB', hostile: [subscribe('x'.repeat(50_000))], codes: null, harmless: [subscribe('x'.repeat(500))] },
  {
    why: 'one id twice at once',
    hostile: [subscribe('a', NEVER), subscribe('a', NEVER)],
    codes: [4409],
    harmless: [subscribe('a', NEVER), subscribe('b', NEVER)],
  },
  { why: 'no payload', hostile: ['{"id":"a","type":"subscribe"}'], codes: [4400], harmless: [subscribe('a')] },
  { why: 'a payload that is a text', hostile: [subscribe('a', '{ bells }')], codes: [4400], harmless: [subscribe('a')] },
  {
    why: 'a payload of __proto__',
    hostile: ['{"id":"a","type":"subscribe","payload":{"__proto__":{"query":"{ bells }"}}}'],
    codes: [4400],
    harmless: [subscribe('a')],
  },
  {
    why: '10,000 subscriptions',
    hostile: Array.from({ length: 10_000 }, (_, i) => subscribe(`s${i}`, NEVER)),
    codes: null,
    harmless: Array.from({ length: 50 }, (_, i) => subscribe(`s${i}`, NEVER)),
  },
  {
    why: '5,000 subscriptions that end at once',
    hostile: Array.from({ length: 5_000 }, (_, i) => [
      subscribe(`s${i}`, NEVER),
      message({ id: `s${i}`, type: 'complete' }),
    ]).flat(),
    codes: null,
    harmless: [subscribe('a', NEVER), message({ id: 'a', type: 'complete' })],
  },
  {
    why: '10,000 ends of what never began',
    hostile: Array.from({ length: 10_000 }, (_, i) => message({ id: `s${i}`, type: 'complete' })),
    codes: null,
    harmless: [message({ id: 'a', type: 'complete' })],
  },
  {
    why: '10,000 pings of the protocol',
    hostile: Array.from({ length: 10_000 }, () => message({ type: 'ping' })),
    codes: null,
    harmless: [message({ type: 'ping' })],
  },
  {
    why: '3,000 refusals',
    hostile: Array.from({ length: 3_000 }, (_, i) => subscribe(`s${i}`, { query: '{' })),
    codes: null,
    harmless: [subscribe('a')],
  },
]

/** Messages to a socket that has not been acknowledged. */
export const BEFORE_INIT: readonly FrameAbuse[] = [
  { why: 'an operation before connection_init', hostile: [subscribe('a')], codes: [4401], harmless: [INIT] },
  { why: 'connection_init twice', hostile: [INIT, INIT], codes: [4429], harmless: [INIT] },
  {
    why: 'connection_init with a text',
    hostile: [message({ type: 'connection_init', payload: 'Bearer x' })],
    codes: [4400],
    harmless: [message({ type: 'connection_init', payload: { authorization: 'Bearer x' } })],
  },
  {
    why: 'connection_init with a list',
    hostile: [message({ type: 'connection_init', payload: [1] })],
    codes: [4400],
    harmless: [message({ type: 'connection_init', payload: {} })],
  },
  {
    why: 'connection_init with credentials that are no text',
    hostile: [message({ type: 'connection_init', payload: { authorization: { toString: 1 }, __proto__: 1 } })],
    codes: null,
    harmless: [message({ type: 'connection_init', payload: { Authorization: 'x' } })],
  },
  {
    why: 'connection_init with 5,000 parameters',
    hostile: [
      message({ type: 'connection_init', payload: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`x${i}`, 'y'])) }),
    ],
    codes: null,
    harmless: [INIT],
  },
  { why: 'JSON that ends too early', hostile: ['{"type":"connection_init"'], codes: [4400], harmless: [INIT] },
]

/** The beginning of a WebSocket, for those who write its bytes themselves. */
export const handshake = (socket: Tcp): boolean =>
  socket.write(
    'GET /graphql HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\nsec-websocket-version: 13\r\nsec-websocket-protocol: graphql-transport-ws\r\n\r\n',
  )
