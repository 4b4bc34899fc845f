import { OperatorError } from '../../../platform/process/operator-error.ts'

/** What a source has. */
export type FetchedSupergraph = {
  /** SDL of a supergraph; null when it is the one that was fetched last. */
  readonly sdl: string | null
  /** Seconds that the source wants to be left alone; absent: no wish. */
  readonly minDelaySeconds?: number
}

/** Where a supergraph comes from. It remembers what it gave last. */
export type SupergraphSource = {
  /** For messages: what and where, without credentials. */
  readonly description: string
  /** Seconds between two looks, unless the source wants more. */
  readonly pollSeconds: number
  /** Rejects with a `SourceError`, or the reason of the signal. */
  readonly fetch: (signal: AbortSignal) => Promise<FetchedSupergraph>
  /** Calls `changed` soon after a change, and returns what ends that; absent where only looking helps. */
  readonly watch?: (changed: () => void) => () => void
  /** Forgets what it gave last, so that the next fetch returns a supergraph. */
  readonly forget: () => void
}

/** Why a source gave no supergraph: `<source>: <reason>.`, without credentials. */
export class SourceError extends OperatorError {
  /** Seconds after which it may be asked again; null where it did not say. */
  readonly retryAfterSeconds: number | null

  constructor(message: string, { cause, retryAfterSeconds = null }: { cause?: unknown; retryAfterSeconds?: number | null } = {}) {
    super(message, { cause })
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Bytes of a supergraph, from wherever it comes. The largest that are known have about 10 MB, and
 * the planner needs some hundred times as much memory.
 */
export const MAX_SUPERGRAPH_BYTES = 20_000_000
