import type { GraphQLFormattedError } from 'graphql'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { ExecutionResult } from './execution-result.ts'

/**
 * Fields of one deferred fragment at one object (incremental delivery, draft of 2022-08-24, as in
 * Apollo Router and Apollo Client).
 */
export type DeferredPart = {
  /** Null when null propagated to the object. */
  readonly data: Readonly<Record<string, unknown>> | null
  /** Path of the object from the root. */
  readonly path: readonly (string | number)[]
  readonly label?: string
  /** Errors with paths from the root. */
  readonly errors?: readonly GraphQLFormattedError[]
}

/** A payload after the initial result. */
export type IncrementalPayload = { readonly incremental?: readonly DeferredPart[]; readonly hasNext: boolean }

/** Payloads after the initial result, in order. */
export type IncrementalPayloads = {
  /** The next payload; null after the last. Called again after it resolved. Never rejects. */
  readonly next: () => Promise<IncrementalPayload | null>
}

/** Initial result with later payloads; null when nothing was deferred. */
export type IncrementalResult = { readonly initial: ExecutionResult; readonly rest: IncrementalPayloads | null }

/** Runs an operation with deferred parts. Never rejects. */
export type RunIncremental = (variables: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<IncrementalResult>

/** Queue of payloads: at most one per `@defer`, and the end. */
export type PayloadQueue = IncrementalPayloads & {
  readonly push: (payload: IncrementalPayload) => void
  /** Marks the end. */
  readonly end: () => void
}

export function createPayloadQueue(): PayloadQueue {
  const waiting: IncrementalPayload[] = []
  let isEnded = false
  let wake: (() => void) | null = null
  const notify = () => {
    wake?.()
    wake = null
  }
  return {
    push(payload) {
      waiting.push(payload)
      notify()
    },
    end() {
      isEnded = true
      notify()
    },
    async next() {
      while (waiting.length === 0 && !isEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return waiting.shift() ?? null
    },
  }
}
