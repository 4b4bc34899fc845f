import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'

/**
 * A record is the length of its payload, a code that authenticates it, and the payload. The code is
 * HMAC-SHA256 of the number of the record and of the payload, cut to 128 bits (RFC 2104 §5), by a
 * key of one direction of one connection: a record cannot be made up, changed, left out, repeated,
 * reordered, sent back or carried to another connection.
 */
const LENGTH_BYTES = 4
const CODE_BYTES = 16
const HEAD_BYTES = LENGTH_BYTES + CODE_BYTES
const NUMBER_BYTES = 8

/** Makes the next record of a payload of `size` bytes, which `write` writes at an offset. */
type SealRecord = (size: number, write: (record: Buffer, offset: number) => void) => Buffer

/** Creates the sending end of one direction of a connection. */
export function createRecordSealer(key: Buffer): SealRecord {
  const code = recordCode(key)
  return (size, write) => {
    const record = Buffer.allocUnsafe(HEAD_BYTES + size)
    record.writeUInt32BE(size)
    write(record, HEAD_BYTES)
    code(record.subarray(HEAD_BYTES)).copy(record, LENGTH_BYTES)
    return record
  }
}

/** Takes the next bytes of a connection. Throws when they are not what the other end has sent. */
type OpenRecords = (chunk: Buffer) => void

/**
 * Creates the receiving end of one direction. `onPayload` gets each payload once all of it is there
 * and its code is right. A payload has at most `maxBytes`.
 */
export function createRecordOpener(key: Buffer, maxBytes: number, onPayload: (payload: Buffer) => void): OpenRecords {
  const code = recordCode(key)
  let chunks: Buffer[] = []
  let held = 0
  /** Bytes until the next decision is possible. */
  let wanted = HEAD_BYTES

  return (chunk) => {
    chunks.push(chunk)
    held += chunk.length
    if (held < wanted) return
    const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks, held)
    const rest = bytes.subarray(openAll(bytes))
    chunks = rest.length > 0 ? [rest] : []
    held = rest.length
  }

  /** Opens all whole records; returns where the first one begins that is not whole. */
  function openAll(bytes: Buffer): number {
    let at = 0
    for (;;) {
      wanted = HEAD_BYTES
      if (bytes.length - at < wanted) return at
      const size = bytes.readUInt32BE(at)
      if (size > maxBytes) throw new Error(`Expected records of at most ${maxBytes} bytes, got ${size}.`)
      wanted += size
      if (bytes.length - at < wanted) return at
      const payload = bytes.subarray(at + HEAD_BYTES, at + wanted)
      if (!timingSafeEqual(code(payload), bytes.subarray(at + LENGTH_BYTES, at + HEAD_BYTES)))
        throw new Error('Expected a record that the other end of this connection has made.')
      at += wanted
      onPayload(payload)
    }
  }
}

/** The code of the next payload of one direction. */
function recordCode(bytes: Buffer): (payload: Buffer) => Buffer {
  const key: KeyObject = createSecretKey(bytes)
  const number = Buffer.alloc(NUMBER_BYTES)
  let count = 0
  return (payload) => {
    // Exact up to 2^53 records.
    number.writeUInt32BE(Math.floor(count / 2 ** 32), 0)
    number.writeUInt32BE(count % 2 ** 32, 4)
    count++
    return createHmac('sha256', key).update(number).update(payload).digest().subarray(0, CODE_BYTES)
  }
}
