import type { Skip } from './contribution.ts'
import type { StarCount } from './stars.ts'
import type { Rooted } from './store.ts'
import type { WalkScope } from './walk.ts'

/** Everything that one run found, before anything is written. */
export type Findings = {
  readonly contributions: readonly Rooted[]
  readonly scopes: readonly WalkScope[]
  readonly skipped: readonly Skip[]
  /** Sources that are there but could not be read; a folder ends with `/`. */
  readonly unreadable: readonly { readonly origin: string; readonly path: string }[]
  readonly counts: readonly StarCount[]
}
