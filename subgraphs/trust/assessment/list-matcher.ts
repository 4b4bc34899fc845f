import type { PopularNeighbour, UnixSeconds } from '../evidence.ts'
import type { Target } from '../pipeline/normalise.ts'
import type { Override } from '../pipeline/request.ts'

/** What the operator's lists say about targets: `operator-list/matcher.ts`. */
export type ListMatcher = {
  /**
   * The override that decides about a target: the operator's block, else the caller's `own`, else
   * the operator's allowance; null for none. Of several entries the most specific counts, and a
   * block before an allowance of equal scope.
   */
  readonly overrideFor: (target: Target, own: Override | null, at: UnixSeconds) => Promise<Override | null>
  /** Brands of the operator that a target's name is near, as evidence; empty for its own domains. */
  readonly brandsNear: (target: Target, at: UnixSeconds) => Promise<readonly PopularNeighbour[]>
  /** Counts a decision that these entries have applied to; written later. */
  readonly noteHits: (entries: readonly string[]) => void
}
