import type { GraphQLFormattedError } from 'graphql'
import { SUBSCRIPTION_BYTES, type SubscriptionSlots } from '../limits/subscription-slots.ts'
import type { RequestContext } from '../subgraph-client/link.ts'

/** Counts the memory of the sources of one operation. */
export type SourceMemory = {
  /**
   * The bytes that a source of its own is counted with, or why there is no room for one. The text
   * of the operation is counted with the first. `variables` is JSON.
   */
  readonly reserve: (variables: string, context: RequestContext) => number | GraphQLFormattedError
  readonly release: (bytes: number) => void
}

/** `characters` is the length of the text of the operation. */
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
