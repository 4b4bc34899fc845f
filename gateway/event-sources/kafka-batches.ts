import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import type { RecordBatch } from './kafka-records.ts'

type Kafka = typeof import('@platformatic/kafka')
/** The parts of the client that read records, and those compressions that Node.js does not have. */
export type RecordReading = Pick<Kafka, 'Reader' | 'readRecord' | 'compressionsAlgorithmsByBitmask'>

/** Upper bound of one batch, and of all batches of a response but the last, when decompressed. */
export const MAX_BATCH_BYTES = 33_554_432

/** Positions in a record batch, in bytes; LENGTH counts what follows the first HEAD_BYTES. */
const AT = { length: 8, version: 16, attributes: 21, lastOffsetDelta: 23, producerId: 43, count: 57, records: 61 } as const
const HEAD_BYTES = 12
/** The only format since Kafka 4, which older brokers write as well (KIP-98). */
const FORMAT_VERSION = 2
const COMPRESSION_MASK = 0b111
const CONTROL_MASK = 0b10_0000
/** Compressions by their bits, as far as they need a function of their own. */
const [GZIP, SNAPPY, LZ4, ZSTD] = [1, 2, 3, 4]

/** Decompressed bytes of a response so far. */
export type DecodedBytes = { count: number }

/**
 * Reads the batches of a partition. One that cannot be decoded has no records, and ends where its
 * head says. Stops when the response has MAX_BATCH_BYTES: the others come with the next fetch.
 */
export function readBatches(bytes: Buffer, reading: RecordReading, decoded: DecodedBytes): readonly RecordBatch[] {
  const batches: RecordBatch[] = []
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const end = at + HEAD_BYTES + bytes.readInt32BE(at + AT.length)
    // The last batch may be cut off.
    if (end <= at + HEAD_BYTES || end > bytes.length || decoded.count > MAX_BATCH_BYTES) break
    batches.push(readBatch(bytes.subarray(at, end), reading, decoded))
    at = end
  }
  return batches
}

function readBatch(bytes: Buffer, reading: RecordReading, decoded: DecodedBytes): RecordBatch {
  const firstOffset = bytes.readBigInt64BE(0)
  // An older format: its offset is that of the last message.
  if (bytes.length < AT.records || bytes[AT.version] !== FORMAT_VERSION) {
    return { firstOffset, lastOffsetDelta: 0, attributes: 0, producerId: -1n, records: [], isUnreadable: true }
  }
  const attributes = bytes.readInt16BE(AT.attributes)
  const head = {
    firstOffset,
    lastOffsetDelta: bytes.readInt32BE(AT.lastOffsetDelta),
    producerId: bytes.readBigInt64BE(AT.producerId),
  }
  // The client expects a record in a control batch.
  const withoutRecords = { ...head, attributes: attributes & ~CONTROL_MASK, records: [] }
  try {
    const content = decompressed(attributes & COMPRESSION_MASK, bytes.subarray(AT.records), reading)
    decoded.count += content.length
    const records = recordsIn(content, bytes.readInt32BE(AT.count), reading)
    return records.length === 0 ? withoutRecords : { ...head, attributes, records }
  } catch {
    return { ...withoutRecords, isUnreadable: true }
  }
}

function recordsIn(content: Buffer, count: number, { Reader, readRecord }: RecordReading): RecordBatch['records'] {
  const reader = Reader.from(content)
  const records: RecordBatch['records'][number][] = []
  for (let index = 0; index < count; index++) {
    if (reader.remaining <= 0) throw new RangeError('Expected more records.')
    records.push(readRecord(reader))
  }
  return records
}

/** Throws for data that are larger than MAX_BATCH_BYTES, before or while they are decompressed. */
function decompressed(compression: number, data: Buffer, { compressionsAlgorithmsByBitmask: known }: RecordReading): Buffer {
  const options = { maxOutputLength: MAX_BATCH_BYTES }
  if (compression === 0) return data
  if (compression === GZIP) return gunzipSync(data, options)
  if (compression === ZSTD) return zstdDecompressSync(data, options)
  const size = compression === SNAPPY ? snappySize(data) : compression === LZ4 ? lz4Size(data) : Number.POSITIVE_INFINITY
  const algorithm = known[compression]
  if (!algorithm || size > MAX_BATCH_BYTES) throw new RangeError('Expected a smaller batch in a known compression.')
  return algorithm.decompressSync(data)
}

/** Header of the framing of snappy-java: 8 bytes of magic, two versions. */
const XERIAL_MAGIC = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00])
const XERIAL_HEADER_BYTES = 16

/** Decompressed size, which each block begins with. */
function snappySize(data: Buffer): number {
  if (!data.subarray(0, XERIAL_MAGIC.length).equals(XERIAL_MAGIC)) return snappyBlockSize(data, 0)
  let size = 0
  for (let at = XERIAL_HEADER_BYTES; at + 4 <= data.length; ) {
    size += snappyBlockSize(data, at + 4)
    at += 4 + data.readUInt32BE(at)
  }
  return size
}

/** A variable-length integer of at most five bytes. */
function snappyBlockSize(data: Buffer, at: number): number {
  let size = 0
  for (let index = 0; index < 5; index++) {
    const byte = data[at + index] ?? 0
    size += (byte & 0x7f) * 2 ** (7 * index)
    if (byte < 0x80) break
  }
  return size
}

/** Most that a byte of a block can become (LZ4 block format). */
const LZ4_MAX_RATIO = 255
/** Maximum size of a block, by the bits of the frame's descriptor. */
const LZ4_BLOCK_BYTES: readonly number[] = [0, 0, 0, 0, 65_536, 262_144, 1_048_576, 4_194_304]
const LZ4_UNCOMPRESSED = 0x8000_0000

/** Upper bound of the decompressed size of an LZ4 frame, of which not every one says its size. */
function lz4Size(data: Buffer): number {
  const flags = data[4] ?? 0
  const [hasBlockChecksum, hasSize, hasDictionary] = [flags & 0b1_0000, flags & 0b1000, flags & 1]
  const blockBytes = LZ4_BLOCK_BYTES[((data[5] ?? 0) >> 4) & 0b111] ?? 0
  let size = 0
  for (let at = 7 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0); at + 4 <= data.length; ) {
    const word = data.readUInt32LE(at)
    if (word === 0) break
    const length = word % LZ4_UNCOMPRESSED
    size += word >= LZ4_UNCOMPRESSED ? length : Math.min(blockBytes, length * LZ4_MAX_RATIO)
    at += 4 + length + (hasBlockChecksum ? 4 : 0)
  }
  return size
}
