import { boundedCache } from '../../platform/collections/bounded-cache.ts'

/** What the ends of a multiplexed link tell each other. */
export const MESSAGE = {
  /** Gateway: `body` is the text of a query, which has the number `id` on this connection. */
  text: 1,
  /** Gateway: a request; `head` is `LinkRequestHead` as JSON, `body` its variables. */
  request: 2,
  /** Gateway: the answer to request `id` is not wanted any more. */
  cancel: 3,
  /** Subgraph: the answer to request `id`; `head` says whose credentials were verified, or is empty. */
  answer: 4,
  /** Subgraph: request `id` was not begun; `head` is after how many seconds to try again. */
  overloaded: 5,
  /** Subgraph: the answer to request `id` is too large. */
  tooLarge: 6,
  /** Subgraph: sends no more requests over this connection, which closes after the last answer. */
  retire: 7,
  /** Gateway, and the same back: is the other end there? */
  ping: 8,
} as const

/** A message; `head` and `body` are empty where its kind has none. */
export type LinkMessage = { readonly kind: number; readonly id: number; readonly head: string; readonly body: Buffer }

/** What a request has beside its variables: number of its text, operation name, signed headers, grants. */
export type LinkRequestHead = readonly [
  text: number,
  operationName: string | null,
  headers: Readonly<Record<string, string>>,
  grantedScopes: unknown,
]

/** Kind, id, and the lengths of head and body. */
const PREFIX_BYTES = 13

/** A message to be sent. */
export type Outgoing = {
  readonly kind: number
  readonly id: number
  readonly head: string
  readonly body: string
  readonly size: number
}

/** A message with its size in bytes. */
export const outgoing = (kind: number, id: number, head = '', body = ''): Outgoing => ({
  ...{ kind, id, head, body },
  size: PREFIX_BYTES + Buffer.byteLength(head) + Buffer.byteLength(body),
})

/** Writes a message at `offset`; returns where it ends. */
export function writeMessage(bytes: Buffer, offset: number, { kind, id, head, body }: Outgoing): number {
  const start = offset + PREFIX_BYTES
  const headBytes = bytes.write(head, start)
  const bodyBytes = bytes.write(body, start + headBytes)
  bytes[offset] = kind
  bytes.writeUInt32BE(id, offset + 1)
  bytes.writeUInt32BE(headBytes, offset + 5)
  bytes.writeUInt32BE(bodyBytes, offset + 9)
  return start + headBytes + bodyBytes
}

/** Reads the messages of a payload, in order. Throws for bytes that are none. */
export function readMessages(payload: Buffer, onMessage: (message: LinkMessage) => void): void {
  for (let at = 0; at < payload.length; ) {
    const head = at + PREFIX_BYTES
    const body = head + payload.readUInt32BE(at + 5)
    const end = body + payload.readUInt32BE(at + 9)
    if (end > payload.length) throw new Error('Expected a message to end within its record.')
    const [kind = 0, id] = [payload[at], payload.readUInt32BE(at + 1)]
    onMessage({ kind, id, head: payload.toString('utf8', head, body), body: payload.subarray(body, end) })
    at = end
  }
}

/** Texts of queries on one connection: numbered from 0 by the gateway, kept by the subgraph. */
export const TEXTS = { maxEntries: 1_000, maxCharacters: 2_000_000 }
/** Longer texts and variables go over HTTP. */
const MAX_TEXT_CHARACTERS = 100_000
/** Of variables as JSON. */
export const MAX_VARIABLES_CHARACTERS = 250_000
/** Of a gateway: the longest variables in UTF-8, with headers, of which a request has some 16 kB. */
export const MAX_RECORD_BYTES = 1_000_000

/**
 * Numbers of texts at the gateway; null when the connection has no room for another one. Until
 * then each is sent once.
 */
export function textNumbers(): (text: string) => { readonly number: number; readonly isNew: boolean } | null {
  const numbers = boundedCache<number>(TEXTS)
  let characters = 0
  return (text) => {
    const known = numbers.get(text)
    if (known !== undefined) return { number: known, isNew: false }
    if (text.length > MAX_TEXT_CHARACTERS) return null
    if (numbers.size() >= TEXTS.maxEntries || characters + text.length > TEXTS.maxCharacters) return null
    characters += text.length
    const number = numbers.size()
    numbers.set(text, number)
    return { number, isNew: true }
  }
}
