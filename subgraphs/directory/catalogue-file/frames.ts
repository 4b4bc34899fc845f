import { createHash, timingSafeEqual } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * A file of frames, each its length in bytes (64 bits, little endian) and these bytes, with the SHA-256
 * of all of them at the end: a file that is cut off, or was written half, does not have it.
 */
export type FrameWriter = {
  /** Rejects when the disk fails, when the file would be too large, and with what `check` throws. */
  readonly write: (bytes: Uint8Array) => Promise<void>
}

/** Frames in the order in which they were written. Each rejects for a file that has no such frame. */
export type FrameReader = {
  readonly next: (maxBytes?: number) => Promise<Uint8Array<ArrayBuffer>>
  readonly json: (maxBytes?: number) => Promise<unknown>
  readonly numbers: () => Promise<Uint32Array>
}

/** A file that is not what was written; the message says how. */
export class BrokenFrames extends Error {
  override readonly name = 'BrokenFrames'
}

const LENGTH_BYTES = 8
const HASH_BYTES = 32
/** Bytes between two turns of the event loop, which take about a millisecond to hash. */
const SLICE_BYTES = 1_000_000
/** Bytes that are read ahead. */
const WINDOW_BYTES = 1_000_000
/** Bytes of the first frame, which is read before the hash is compared. */
const MAX_FIRST_BYTES = 10_000

/**
 * Writes frames to a new file of at most `maxBytes`, which only this user may read; `check` is called before
 * each stretch of a megabyte and may throw.
 */
export async function writeFrames(
  path: string,
  write: (writer: FrameWriter) => Promise<void>,
  { maxBytes, check }: { readonly maxBytes: number; readonly check: () => void },
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    const hash = createHash('sha256')
    let size = HASH_BYTES
    const append = async (bytes: Uint8Array): Promise<void> => {
      size += bytes.length
      if (size > maxBytes) throw new RangeError(`Expected at most ${maxBytes} bytes, got ${size}.`)
      for (let from = 0; from < bytes.length; from += SLICE_BYTES) {
        check()
        const slice = bytes.subarray(from, from + SLICE_BYTES)
        hash.update(slice)
        await writeAll(file, slice)
      }
    }
    await write({
      write: async (bytes) => {
        const length = new Uint8Array(LENGTH_BYTES)
        new DataView(length.buffer).setBigUint64(0, BigInt(bytes.length), true)
        await append(length)
        await append(bytes)
      },
    })
    await writeAll(file, hash.digest())
  } finally {
    await file.close()
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, from)
    from += bytesWritten
  }
}

/**
 * Reads a file of at most `maxBytes`: `accept` decides by the first frame, as JSON, whether the rest is
 * read; only then the hash is compared, before any other frame is read. Rejects with `BrokenFrames`
 * for another file, and with the fault of the system for one that is not there.
 */
export async function readFrames<Result>(
  path: string,
  maxBytes: number,
  accept: (header: unknown) => void,
  read: (reader: FrameReader) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    if (size > maxBytes) throw new BrokenFrames(`Expected at most ${maxBytes} bytes, got ${size}.`)
    const reader = frameReader(file, size - HASH_BYTES)
    accept(await reader.json(MAX_FIRST_BYTES))
    await compareHash(file, size - HASH_BYTES)
    return await read(reader)
  } finally {
    await file.close()
  }
}

/** The first frame of a file as JSON, whose hash is not compared. Rejects as `readFrames`. */
export async function readFirstFrame(path: string): Promise<unknown> {
  const file = await open(path, 'r')
  try {
    const { size } = await file.stat()
    return await frameReader(file, size - HASH_BYTES).json(MAX_FIRST_BYTES)
  } finally {
    await file.close()
  }
}

function frameReader(file: FileHandle, end: number): FrameReader {
  let place = 0
  /** The bytes of the file from `windowStart` on, to `windowEnd`: most frames are small, and a read of the system takes longer. */
  let window = new Uint8Array(Math.min(WINDOW_BYTES, Math.max(0, end)))
  let [windowStart, windowEnd] = [0, 0]
  const checkLength = (length: number): void => {
    if (length > end - place) throw new BrokenFrames(`Expected a frame of ${length} bytes, and ${end - place} are left.`)
  }
  /** The next bytes, until the call behind this one. */
  const view = async (length: number): Promise<Uint8Array<ArrayBuffer>> => {
    checkLength(length)
    if (place + length > windowEnd) {
      if (length > window.length) window = new Uint8Array(length)
      const count = Math.min(window.length, end - place)
      await readAll(file, window.subarray(0, count), place)
      windowStart = place
      windowEnd = place + count
    }
    const start = place - windowStart
    place += length
    return window.subarray(start, start + length)
  }
  const take = async (length: number): Promise<Uint8Array<ArrayBuffer>> => {
    checkLength(length)
    const bytes = new Uint8Array(length)
    const known = Math.min(length, windowEnd - place)
    bytes.set(window.subarray(place - windowStart, place - windowStart + known))
    await readAll(file, bytes.subarray(known), place + known)
    place += length
    windowEnd = Math.max(windowEnd, place)
    return bytes
  }
  const nextLength = async (maxBytes: number): Promise<number> => {
    const { buffer, byteOffset } = await view(LENGTH_BYTES)
    // Exact below 2^53; what is larger does not fit either.
    const length = Number(new DataView(buffer, byteOffset).getBigUint64(0, true))
    if (length > maxBytes) throw new BrokenFrames(`Expected a frame of at most ${maxBytes} bytes, got ${length}.`)
    return length
  }
  const next = async (maxBytes = Number.POSITIVE_INFINITY) => take(await nextLength(maxBytes))
  return {
    next,
    json: async (maxBytes = Number.POSITIVE_INFINITY) => {
      const { buffer, byteOffset, length } = await view(await nextLength(maxBytes))
      try {
        return JSON.parse(Buffer.from(buffer, byteOffset, length).toString('utf8'))
      } catch (error) {
        throw new BrokenFrames('Expected JSON.', { cause: error })
      }
    },
    numbers: async () => {
      const bytes = await next()
      if (bytes.length % 4 !== 0) throw new BrokenFrames(`Expected numbers of 4 bytes, got ${bytes.length} bytes.`)
      return new Uint32Array(bytes.buffer)
    },
  }
}

async function readAll(file: FileHandle, into: Uint8Array, place: number): Promise<void> {
  for (let from = 0; from < into.length; ) {
    const { bytesRead } = await file.read(into, from, into.length - from, place + from)
    if (bytesRead === 0) throw new BrokenFrames('The file ends early.')
    from += bytesRead
  }
}

async function compareHash(file: FileHandle, end: number): Promise<void> {
  const hash = createHash('sha256')
  const slice = new Uint8Array(SLICE_BYTES)
  for (let place = 0; place < end; place += SLICE_BYTES) {
    const part = slice.subarray(0, Math.min(SLICE_BYTES, end - place))
    await readAll(file, part, place)
    hash.update(part)
  }
  const written = new Uint8Array(HASH_BYTES)
  await readAll(file, written, end)
  if (!timingSafeEqual(hash.digest(), written)) throw new BrokenFrames('The hash is another one.')
}
