import { createHash } from 'node:crypto'
import type { Caller } from '../http/caller.ts'

/** A WAL position (LSN): later writes have higher ones. */
export type LogPosition = bigint

/** The WAL position of each writer's last write. */
export type RecentWrites = {
  /**
   * Records that these writers wrote before `position`. Resolves with whether every process will
   * see it.
   */
  readonly note: (writers: readonly string[], position: LogPosition) => Promise<boolean>
  /** The highest recorded position of these; 0 for none, null when unknown. */
  readonly positionOf: (writers: readonly string[]) => Promise<LogPosition | null>
}

/** Most writers tracked individually. */
const MAX_WRITERS = 10_000

/**
 * Tracks writers in this process, which must be the only one that serves them. An evicted writer
 * counts as the latest evicted.
 */
export function localRecentWrites(maxWriters = MAX_WRITERS): RecentWrites {
  const positions = new Map<string, LogPosition>()
  let evicted: LogPosition = 0n

  return {
    async note(writers, position) {
      for (const writer of writers) {
        positions.delete(writer)
        positions.set(writer, position)
      }
      for (const [writer, old] of positions) {
        if (positions.size <= maxWriters) break
        positions.delete(writer)
        if (old > evicted) evicted = old
      }
      return true
    },
    positionOf: async (writers) => maxPosition([evicted, ...writers.map((writer) => positions.get(writer) ?? 0n)]),
  }
}

export const maxPosition = (positions: readonly LogPosition[]): LogPosition =>
  positions.reduce((maxWriters, position) => (position > maxWriters ? position : maxWriters), 0n)

/**
 * Keys of a caller: its credentials, and its address, because the session of a sign-in is read by a
 * caller whose sign-in had none. Hashed, because they are stored elsewhere.
 */
export function writerKeys({ credentials, address }: Pick<Caller, 'credentials' | 'address'>): readonly string[] {
  const hash = (text: string) => createHash('sha256').update(text).digest('base64url')
  const credentialKeys = Object.keys(credentials).length > 0 ? [hash(JSON.stringify(Object.entries(credentials).sort()))] : []
  return [...credentialKeys, hash(address)]
}
