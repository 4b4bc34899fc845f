import { createHash } from 'node:crypto'
import type { Caller } from '../http/caller.ts'

/** A place in the log of a database: what is written later has a higher one. */
export type LogPosition = bigint

/** How far the log was when somebody wrote last. */
export type RecentWrites = {
  /** Notes that these wrote something before `position`. Resolves with whether everybody who asks will know. */
  readonly note: (writers: readonly string[], position: LogPosition) => Promise<boolean>
  /** The highest that was noted for any of these; 0 for none, null when that cannot be told now. */
  readonly positionOf: (writers: readonly string[]) => Promise<LogPosition | null>
}

/** As many as are remembered one by one. */
const MAX_WRITERS = 10_000

/** Remembers them in this process, which must be the only one that answers these writers. Who is forgotten counts as the latest that was. */
export function localRecentWrites(most = MAX_WRITERS): RecentWrites {
  const positions = new Map<string, LogPosition>()
  let forgotten: LogPosition = 0n

  return {
    async note(writers, position) {
      for (const writer of writers) {
        positions.delete(writer)
        positions.set(writer, position)
      }
      for (const [writer, old] of positions) {
        if (positions.size <= most) break
        positions.delete(writer)
        if (old > forgotten) forgotten = old
      }
      return true
    },
    positionOf: async (writers) => maxPosition([forgotten, ...writers.map((writer) => positions.get(writer) ?? 0n)]),
  }
}

export const maxPosition = (positions: readonly LogPosition[]): LogPosition =>
  positions.reduce((most, position) => (position > most ? position : most), 0n)

/**
 * Whom a caller is known as: its credentials, and its address, for a log-in is written by nobody in particular and read by who it made. Hashed, because they are
 * kept elsewhere.
 */
export function writerKeys({ credentials, address }: Pick<Caller, 'credentials' | 'address'>): readonly string[] {
  const hash = (text: string) => createHash('sha256').update(text).digest('base64url')
  const known = Object.keys(credentials).length > 0 ? [hash(JSON.stringify(Object.entries(credentials).sort()))] : []
  return [...known, hash(address)]
}
