import type { GraphQLFormattedError } from 'graphql'
import type { RequestContext } from '../subgraph-client/link.ts'
import type { ExecutionResult } from './execution-result.ts'

/**
 * The fields of one deferred fragment at one object (incremental delivery of 2022-08-24, as Apollo
 * Router and Apollo Client speak it).
 */
export type DeferredPart = {
  /** Null where a null propagated to the object. */
  readonly data: Readonly<Record<string, unknown>> | null
  /** The path of the object from the root. */
  readonly path: readonly (string | number)[]
  readonly label?: string
  /** Their paths are from the root. */
  readonly errors?: readonly GraphQLFormattedError[]
}

/** A later payload of a result. */
export type IncrementalPayload = { readonly incremental?: readonly DeferredPart[]; readonly hasNext: boolean }

/** The later payloads of a result, in order. */
export type IncrementalPayloads = {
  /** The next one; null after the last. Never rejects. Called again after it resolved. */
  readonly next: () => Promise<IncrementalPayload | null>
}

/** The first result of an operation, and later payloads; null where nothing was deferred. */
export type IncrementalResult = { readonly initial: ExecutionResult; readonly rest: IncrementalPayloads | null }

/** Runs an operation with deferred parts. Never rejects. */
export type RunIncremental = (variables: Readonly<Record<string, unknown>>, context: RequestContext) => Promise<IncrementalResult>

/** Payloads that wait for their reader: at most one per `@defer` of the operation, and an end. */
export type PayloadQueue = IncrementalPayloads & {
  readonly push: (payload: IncrementalPayload) => void
  /** Nothing follows. */
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
