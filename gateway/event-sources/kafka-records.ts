/** The part of a fetched partition that is read here. */
export type FetchedPartition = {
  readonly records?: readonly RecordBatch[] | null
  readonly abortedTransactions: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[] | null
}

/** A batch of records as a partition has them. */
export type RecordBatch = {
  readonly firstOffset: bigint
  readonly lastOffsetDelta: number
  readonly attributes: number
  readonly producerId: bigint
  readonly records: readonly { readonly offsetDelta: number; readonly key: Buffer | null; readonly value: Buffer | null }[]
  /** Whether its records cannot be decoded, or are too large. */
  readonly isUnreadable?: boolean
}

/** Bits of a batch's attributes, KIP-98. */
const TRANSACTIONAL_MASK = 0b1_0000
const CONTROL_MASK = 0b10_0000
/** Type of a control record: 0 aborts, 1 commits; behind two bytes of version. */
const CONTROL_TYPE_OFFSET = 2
const ABORT_CODE = 0

/** Records of one partition that were read. */
export type ReadRecords = {
  /** Values as text, in their order; '' for a record without value and for an unreadable batch. */
  readonly texts: readonly string[]
  /** Offset to read next; null when nothing was read. */
  readonly next: bigint | null
}

/**
 * Texts of a partition's records from `offset` on, without those of aborted transactions. The
 * client's own filter knows one aborted transaction per producer and response only.
 */
export function readRecords({ records, abortedTransactions }: FetchedPartition, offset: bigint): ReadRecords {
  const texts: string[] = []
  let next: bigint | null = null
  const aborted = (abortedTransactions ?? []).toSorted((one, other) => (one.firstOffset < other.firstOffset ? -1 : 1))
  const abortedProducers = new Set<bigint>()
  for (const batch of records ?? []) {
    const last = batch.firstOffset + BigInt(batch.lastOffsetDelta)
    next = last + 1n
    while (aborted[0] && aborted[0].firstOffset <= last) abortedProducers.add(aborted.shift()?.producerId ?? -1n)
    if (batch.attributes & CONTROL_MASK) {
      if (isAbort(batch)) abortedProducers.delete(batch.producerId)
      continue
    }
    if (batch.attributes & TRANSACTIONAL_MASK && abortedProducers.has(batch.producerId)) continue
    if (batch.isUnreadable && last >= offset) texts.push('')
    for (const { offsetDelta, value } of batch.records) {
      // A batch may begin before the offset.
      if (batch.firstOffset + BigInt(offsetDelta) >= offset) texts.push(value?.toString() ?? '')
    }
  }
  return { texts, next }
}

function isAbort({ records: [marker] }: RecordBatch): boolean {
  return marker?.key?.readInt16BE(CONTROL_TYPE_OFFSET) === ABORT_CODE
}
