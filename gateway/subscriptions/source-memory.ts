import type { GraphQLFormattedError } from 'graphql'
import { SUBSCRIPTION_BYTES, type SubscriptionSlots } from '../limits/subscription-slots.ts'
import type { RequestContext } from '../subgraph-client/link.ts'

/** Accounts for the memory of an operation's event sources. */
export type SourceMemory = {
  /**
   * Reserves memory for a source: its bytes, or the error when there is none left. The first source
   * also includes the operation's text. `variables` is JSON.
   */
  readonly reserve: (variables: string, context: RequestContext) => number | GraphQLFormattedError
  readonly release: (bytes: number) => void
}

/** `characters`: length of the operation's text. */
export function createSourceMemory(
  slots: SubscriptionSlots,
  { characters, isRemote }: { readonly characters: number; readonly isRemote: boolean },
): SourceMemory {
  const sourceBytes = isRemote ? SUBSCRIPTION_BYTES.remoteSource : SUBSCRIPTION_BYTES.source
  const documentBytes = SUBSCRIPTION_BYTES.document + characters * SUBSCRIPTION_BYTES.documentCharacter
  let sources = 0

  return {
    reserve(variables, { onSourceOpening }) {
      const busy = onSourceOpening?.()
      if (busy) return busy
      const bytes = sourceBytes + variables.length * SUBSCRIPTION_BYTES.variableCharacter
      const full = slots.reserve(bytes + (sources === 0 ? documentBytes : 0))
      if (full) return full
      sources++
      return bytes
    },
    release(bytes) {
      sources--
      slots.releaseBytes(bytes + (sources === 0 ? documentBytes : 0))
    },
  }
}
