import type { Answer } from './oracle.ts'

/** Where the oracle is wrong, and what is right by the specification. */
export type Deviation = {
  /** `graph / case`. */
  readonly at: string
  /** The fault under which it shows; without one where there is none. */
  readonly fault?: string
  readonly why: string
  /** What a client must be told; of errors the path and, where a subgraph gave one on purpose, the code count. */
  readonly right: Answer
}

export const DEVIATIONS: readonly Deviation[] = []
