import diagnosticsChannel from 'node:diagnostics_channel'
import type { IncomingHttpHeaders } from 'node:http'
import { freeBuffer } from '../../platform/process/free-buffer.ts'

/**
 * Upper bound of a response, compressed and decompressed. 1,000 items with every field have about 2
 * MB.
 */
export const MAX_RESPONSE_BYTES = 10_000_000

/** A body of a response that is being received. */
export type ResponseBody = {
  /** Adds the next bytes, which must not be used afterwards. */
  readonly add: (chunk: Buffer) => void
  /** All bytes, when the last ones are there. */
  readonly bytes: () => Buffer
}

/** Publishes chunks to programs, which may keep them. */
const published = diagnosticsChannel.channel('undici:request:bodyChunkReceived')

/**
 * Receives a body. One of a known length is written to one buffer as it arrives, and its chunks are
 * freed at once: left to V8, they were half of what started its full collections.
 */
export function receiveBody(headers: IncomingHttpHeaders): ResponseBody {
  const length = announcedLength(headers)
  const chunks: Buffer[] = []
  let whole: Buffer | null = null
  let received = 0
  return {
    add(chunk) {
      if (received === 0 && chunk.length < length) whole = Buffer.allocUnsafeSlow(length)
      if (whole && received + chunk.length > length) {
        // HTTP/2 does not end a body at its announced length.
        chunks.push(whole.subarray(0, received))
        whole = null
      }
      if (whole) {
        chunk.copy(whole, received)
        // The parser has still to return from its callback.
        if (!published.hasSubscribers) setImmediate(freeBuffer, chunk)
      } else chunks.push(chunk)
      received += chunk.length
    },
    bytes() {
      if (whole) return received === whole.length ? whole : whole.subarray(0, received)
      const [first] = chunks
      return first && chunks.length === 1 ? first : Buffer.concat(chunks)
    },
  }
}

/** Content-Length; 0 when there is none, or too large a one. */
function announcedLength(headers: IncomingHttpHeaders): number {
  const length = Number(headers['content-length'])
  return length <= MAX_RESPONSE_BYTES ? length : 0
}
