import type { GraphQLFormattedError } from 'graphql'
import type { ExecutionResult } from '../../../gateway/operations/execution-result.ts'
import type { Running } from '../../../gateway/subscriptions/subscribe.ts'

/** What a subscription tells next: an outcome, or that it has ended. */
export type ReadResult = ExecutionResult | { readonly ended: readonly GraphQLFormattedError[] | null }

/** A subscription that is read one outcome after the other. */
export type Followed = { readonly next: () => Promise<ReadResult>; readonly return: () => void }

/**
 * Follows a subscription like a client whose network takes an outcome when the test asks for the
 * next.
 */
export function followed(running: Running): Followed {
  const received: { readonly received: ReadResult; readonly taken: () => void }[] = []
  let wake: (() => void) | null = null
  let taken: (() => void) | null = null
  const push = (each: ReadResult, done: () => void) => {
    received.push({ received: each, taken: done })
    wake?.()
  }
  running.follow({ deliver: (result, done) => push(result, done), end: (ended) => push({ ended }, () => {}) })
  return {
    async next() {
      taken?.()
      taken = null
      while (received.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const first = received.shift()
      if (!first) throw new Error('Expected something that was told.')
      taken = first.taken
      return first.received
    },
    return: () => running.return(),
  }
}
