/**
 * A table of hundreds of thousands of names in three bytes each: it says under which suffixes a
 * label is popular. It has hashes of labels instead of labels, so that it can be searched for what
 * a label may be a slip of, but not listed. Of four million look-ups of other labels one finds a name
 * by chance.
 */
export type PopularLabels = {
  /** Suffixes under which this label is a popular name, in the order of their frequency. */
  readonly suffixesOf: (label: string) => readonly string[]
}

/** 18 bits choose one of as many buckets, 24 further bits are stored: 42 of 64. */
const BUCKET_BITS = 18
const BUCKET_COUNT = 2 ** BUCKET_BITS
const FINGERPRINT_BYTES = 3
const FINGERPRINT_MASK = 0xffffff
/** Numbers of suffixes are bytes. */
const MAX_SUFFIXES = 256
const MAX_PER_BUCKET = 255
const LENGTH_BYTES = 4

/**
 * Packs names: the text of the suffixes with its length, the number of names of each bucket, their
 * fingerprints, the numbers of their suffixes. Leaves out names under rare suffixes.
 */
export function packLabels(names: Iterable<string>): Buffer {
  const parts = [...names].map((name) => [name.slice(0, name.indexOf('.')), name.slice(name.indexOf('.') + 1)] as const)
  const counts = new Map<string, number>()
  for (const [, suffix] of parts) counts.set(suffix, (counts.get(suffix) ?? 0) + 1)
  const suffixes = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, MAX_SUFFIXES)
  const numbers = new Map(suffixes.map(([suffix], number) => [suffix, number]))
  const rows = parts
    .flatMap(([label, suffix]) => {
      const number = numbers.get(suffix)
      return number === undefined ? [] : [[bucketOf(label), fingerprintOf(label), number] as const]
    })
    .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  const sizes = Buffer.alloc(BUCKET_COUNT)
  const fingerprints = Buffer.alloc(rows.length * FINGERPRINT_BYTES)
  for (const [at, [bucket, fingerprint]] of rows.entries()) {
    const size = (sizes[bucket] ?? 0) + 1
    if (size > MAX_PER_BUCKET) throw new RangeError(`Expected at most ${MAX_PER_BUCKET} names in a bucket.`)
    sizes[bucket] = size
    fingerprints.writeUIntBE(fingerprint, at * FINGERPRINT_BYTES, FINGERPRINT_BYTES)
  }
  const text = Buffer.from(suffixes.map(([suffix]) => suffix).join('\n'), 'latin1')
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, sizes, fingerprints, Buffer.from(rows.map(([, , number]) => number))])
}

/** Reads what `packLabels` made, in place: five megabytes outside of the heap for a million names. */
export function labelsIn(packed: Buffer): PopularLabels {
  const textEnd = LENGTH_BYTES + packed.readUInt32BE(0)
  const suffixes = packed.toString('latin1', LENGTH_BYTES, textEnd).split('\n')
  const sizes = packed.subarray(textEnd, textEnd + BUCKET_COUNT)
  const starts = new Uint32Array(BUCKET_COUNT + 1)
  for (let bucket = 0; bucket < BUCKET_COUNT; bucket++) starts[bucket + 1] = (starts[bucket] ?? 0) + (sizes[bucket] ?? 0)
  const count = starts[BUCKET_COUNT] ?? 0
  const fingerprints = packed.subarray(textEnd + BUCKET_COUNT, textEnd + BUCKET_COUNT + count * FINGERPRINT_BYTES)
  const numbers = packed.subarray(textEnd + BUCKET_COUNT + count * FINGERPRINT_BYTES)
  if (numbers.length !== count) throw new RangeError(`Expected ${count} numbers of suffixes, got ${numbers.length}.`)

  return {
    suffixesOf(label) {
      const bucket = bucketOf(label)
      const found: string[] = []
      const end = starts[bucket + 1] ?? 0
      let fingerprint = -1
      for (let at = starts[bucket] ?? 0; at < end; at++) {
        if (fingerprint === -1) fingerprint = fingerprintOf(label)
        const place = at * FINGERPRINT_BYTES
        if (fingerprints.readUIntBE(place, FINGERPRINT_BYTES) === fingerprint) found.push(suffixes[numbers[at] ?? 0] ?? '')
      }
      return found
    },
  }
}

const bucketOf = (label: string): number => hashOf(label, 0x811c9dc5) >>> (32 - BUCKET_BITS)
const fingerprintOf = (label: string): number => hashOf(label, 0x5bd1e995) & FINGERPRINT_MASK

/**
 * FNV-1a (https://www.rfc-editor.org/rfc/rfc9923) with this basis, and the last step of MurmurHash3
 * (https://github.com/aappleby/smhasher, public domain), which spreads it over all 32 bits.
 */
function hashOf(text: string, basis: number): number {
  let hash = basis
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
