import { OperatorError } from '../../../platform/process/operator-error.ts'

/** Result of a fetch from a source. */
export type FetchedSupergraph = {
  /** SDL of a supergraph; null when unchanged since the last fetch. */
  readonly sdl: string | null
  /** Minimum delay before the next fetch that the source requires, in seconds. */
  readonly minDelaySeconds?: number
}

/** Source of a supergraph; remembers the last one it returned. */
export type SupergraphSource = {
  /** Kind and address for messages, without credentials. */
  readonly description: string
  /** Poll interval, unless the source requires a longer one. */
  readonly pollSeconds: number
  /** Rejects with a `SourceError`, or with the reason of the signal. */
  readonly fetch: (signal: AbortSignal) => Promise<FetchedSupergraph>
  /**
   * Calls `changed` after a change; returns the function that stops watching. Absent: polling only.
   */
  readonly watch?: (changed: () => void) => () => void
  /** Forgets the last supergraph, so that the next fetch returns one even when unchanged. */
  readonly forget: () => void
}

/** Failure of a source: `<source>: <reason>.`, without credentials. */
export class SourceError extends OperatorError {
  /** Retry-After in seconds; null when the source sent none. */
  readonly retryAfterSeconds: number | null

  constructor(message: string, { cause, retryAfterSeconds = null }: { cause?: unknown; retryAfterSeconds?: number | null } = {}) {
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Upper bound of a supergraph's size. The largest known ones have about 10 MB; the planner needs
 * some hundred times as much memory.
 */
export const MAX_SUPERGRAPH_BYTES = 20_000_000
