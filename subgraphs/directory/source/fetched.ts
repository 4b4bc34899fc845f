import type { Address, Rooted } from '../import/store.ts'
import type { WalkScope } from '../import/walk.ts'

/** What a run read of its source. */
export type FetchedSource = {
  readonly contributions: readonly Rooted[]
  /** What was looked at completely: records of it that are missing are removed. Null: only changes were read. */
  readonly scope: WalkScope | null
  /** Records that could not be read. */
  readonly rejected: number
  /** Files, records and rows that are there and could not be read: what was read before stays. */
  readonly unreadable: readonly { readonly origin: string; readonly path: string }[]
  readonly unreadableRecords: readonly Address[]
  readonly unreadableNames: ReadonlySet<string>
  /** Names that the source says are deleted. */
  readonly withdrawn: ReadonlySet<string>
  /** Validators of the answer; null where it has none. */
  readonly etag: string | null
  readonly lastModified: string | null
}

/** Most records of a source: four times the largest list that is known. */
export const MAX_RECORDS = 300_000

export const NONE: ReadonlySet<string> = new Set()
