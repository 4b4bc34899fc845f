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
export type IncrementalPayload = {
  readonly incremental?: readonly DeferredPart[]
  readonly hasNext: boolean
  readonly extensions?: NonNullable<ExecutionResult['extensions']>
}

/** Payloads after the initial result, in order. */
export type IncrementalPayloads = {
  /** The next payload; null after the last. Called again after it resolved. Never rejects. */
  readonly next: () => Promise<IncrementalPayload | null>
  /**
   * Calls the listener with each payload when it is produced, before anyone reads it, and with null
   * at the end. Called before the first `next`, at most once.
   */
  readonly watch: (listener: PayloadListener) => void
}

/** Receives payloads as they are produced; null: the end. */
export type PayloadListener = (payload: IncrementalPayload | null) => void

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
  let listener: PayloadListener | null = null
  const notify = () => {
    wake?.()
    wake = null
  }
  return {
    push(payload) {
      waiting.push(payload)
      listener?.(payload)
      notify()
    },
    end() {
      isEnded = true
      listener?.(null)
      notify()
    },
    watch(given) {
      listener = given
      for (const payload of waiting) given(payload)
      if (isEnded) given(null)
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
