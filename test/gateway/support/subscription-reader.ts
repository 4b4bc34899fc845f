import type { GraphQLFormattedError } from 'graphql'
import type { ExecutionResult } from '../../../gateway/operations/execution-result.ts'
import type { Running } from '../../../gateway/subscriptions/subscribe.ts'

/** What a subscription tells next: an outcome, or that it has ended. */
export type Told = ExecutionResult | { readonly ended: readonly GraphQLFormattedError[] | null }

/** A subscription that is read one outcome after the other. */
export type Followed = { readonly next: () => Promise<Told>; readonly return: () => void }

/**
 * Follows a subscription like a client whose network takes an outcome when the test asks for the
 * next.
 */
export function followed(running: Running): Followed {
  const told: { readonly told: Told; readonly taken: () => void }[] = []
  let wake: (() => void) | null = null
  let taken: (() => void) | null = null
  const push = (each: Told, done: () => void) => {
    told.push({ told: each, taken: done })
    wake?.()
  }
  running.follow({ deliver: (outcome, done) => push(outcome, done), end: (ended) => push({ ended }, () => {}) })
  return {
    async next() {
      taken?.()
      taken = null
      while (told.length === 0) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      const first = told.shift()
      if (!first) throw new Error('Expected something that was told.')
      taken = first.taken
      return first.told
    },
    return: () => running.return(),
  }
}
