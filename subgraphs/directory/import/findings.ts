import type pg from 'pg'
import type { Skip } from './contribution.ts'
import type { StarCount } from './stars.ts'
import type { Address, Rooted } from './store.ts'
import type { WalkScope } from './walk.ts'

/** Everything that one run found, before anything is written. */
export type Findings = {
  readonly contributions: readonly Rooted[]
  readonly scopes: readonly WalkScope[]
  readonly skipped: readonly Skip[]
  /** Sources that are there but could not be read; a folder ends with `/`. */
  readonly unreadable: readonly { readonly origin: string; readonly path: string }[]
  readonly counts: readonly StarCount[]
  /** Set by a run of a source, which nobody watches; null: an import by hand. */
  readonly unattended: Unattended | null
}

/** Other sources of the same repository or host, in the transaction of an update. */
export type Neighbours = {
  /** What their records are stored under: a record that two sources have belongs to the one that read it first. */
  readonly roots: (client: pg.ClientBase) => Promise<readonly string[]>
  /** Lets them be read whole, because they may have what this source has lost. */
  readonly reread: (client: pg.ClientBase, now: Date) => Promise<void>
}

/** What bounds a run of a source. */
export type Unattended = {
  /** Row id of the source. */
  readonly source: string
  readonly neighbours: Neighbours
  /** What its contributions are stored under. */
  readonly root: string
  /** Whether it may remove however much is gone. */
  readonly acceptsDrop: boolean
  /** Names that a registry says are deleted. */
  readonly withdrawn: ReadonlySet<string>
  /** Records that could not be read: what was read of them before stays. */
  readonly unreadableRecords: readonly Address[]
  /** Names in a registry whose rows could not be read: what was read of them before stays. */
  readonly unreadableNames: ReadonlySet<string>
}
