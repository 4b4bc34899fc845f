import type { Transform } from 'node:stream'
import { createGunzip, createInflateRaw } from 'node:zlib'
import { Fault } from '../../../platform/outbound/fault.ts'

const ZIP = 0x04034b50
const GZIP = 0x8b1f
/** Of a zip's local file header, without the name and the extra field. Bytes. */
const ZIP_HEADER_BYTES = 30
const DEFLATE_METHOD_CODE = 8
/** How much one list may unfold to: a hundred times Tranco. Bytes. */
const MAX_UNPACKED_BYTES = 2_500_000_000

/**
 * The text of a list that may come as it is, as gzip, or as a zip whose first file it is. Throws
 * `malformed` for a broken one.
 */
export async function* unpacked(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = chunks[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  while (head.length < ZIP_HEADER_BYTES + 512) {
    const { value, done } = await source.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* rest(from: number): AsyncGenerator<Buffer> {
    yield head.subarray(from)
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value
  }
  try {
    if (head.length >= ZIP_HEADER_BYTES && head.readUInt32LE(0) === ZIP) {
      if (head.readUInt16LE(8) !== DEFLATE_METHOD_CODE) throw new Fault('malformed', 'a zip that is not deflated')
      const start = ZIP_HEADER_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28)
      if (start > head.length) throw new Fault('malformed', 'a zip with a header that is too long')
      yield* inflated(rest(start), createInflateRaw())
    } else if (head.length >= 2 && head.readUInt16LE(0) === GZIP) {
      yield* inflated(rest(0), createGunzip())
    } else {
      yield* rest(0)
    }
  } finally {
    await source.return?.()
  }
}

async function* inflated(chunks: AsyncIterable<Buffer>, unzip: Transform): AsyncGenerator<Buffer> {
  let bytes = 0
  const feeding = (async () => {
    for await (const chunk of chunks) {
      // What stands behind the compressed data, such as the zip's table of contents, is not for us.
      if (unzip.readableEnded || unzip.destroyed) return
      if (!unzip.write(chunk))
        await new Promise<void>((resolve) => unzip.once('drain', resolve).once('end', resolve).once('close', resolve))
    }
    unzip.end()
  })().catch((error: unknown) => unzip.destroy(error instanceof Error ? error : new Error(String(error))))
  try {
    // A stream without encoding yields buffers.
    for await (const chunk of unzip as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > MAX_UNPACKED_BYTES) throw new Fault('malformed', 'a list that unfolds without end')
      yield chunk
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')) {
      throw new Fault('malformed', 'a list that does not decompress', { cause: error })
    }
    throw error
  } finally {
    unzip.destroy()
    await feeding
  }
}
