import type { SignalId } from './signals.ts'

/** Something seen, that has a weight. */
export type Observation = {
  readonly signal: SignalId
  /** For signals that count: how many. */
  readonly times?: number
  /** What exactly, for people: the brand, the feeds, the days. */
  readonly detail?: string
}
