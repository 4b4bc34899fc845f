import { rechecked } from '../authorization/guarded-subscription.ts'
import { OwnSubscription } from './own-subscription.ts'
import type { SourceMemory } from './source-memory.ts'
import type { EventPipeline, Running, StillAllowed } from './subscribe.ts'
import { type SubscriptionGroup, subscriptionGroup } from './subscription-group.ts'

/** What one caller opened. */
export type OwnSource = {
  readonly source: EventPipeline
  readonly bytes: number
  /** The variables as JSON. */
  readonly text: string
  readonly stillAllowed: StillAllowed | undefined
  readonly viewerKey: string
}

/**
 * The subscription of one caller with credentials: joins those who are told the same as soon as it
 * has been delivered what it missed, and until then reads the source that it opened.
 */
export type ShareSource = (own: OwnSource, onReleased: () => void) => Running

/** The sources of one operation that callers with credentials share. */
export function createSharedSources(memory: SourceMemory): ShareSource {
  const shared = new Map<string, SubscriptionGroup>()
  return joinOrOwn

  function joinOrOwn(own: OwnSource, onReleased: () => void): Running {
    const joined = share(own, onReleased)
    if (joined) return joined
    const { source, stillAllowed } = own
    const released = () => {
      memory.release(own.bytes)
      onReleased()
    }
    return new OwnSubscription(stillAllowed ? rechecked(source, stillAllowed) : source, () => share(own, onReleased), released)
  }

  /**
   * Joins an open group and closes `source`, or makes `source` that of a new group; null while
   * events wait in it.
   */
  function share({ source, bytes, text, stillAllowed, viewerKey }: OwnSource, onReleased: () => void): Running | null {
    const detached = source.detach ? source.detach() : undefined
    if (detached === null) return null
    const judged = detached && { subscriber: detached.subscriber, stillAllowed }
    // A source that judges by itself judges one caller.
    const isForOne = !detached || source.isPersonal
    const key = JSON.stringify([text, detached?.topic ?? null, isForOne ? viewerKey : null])
    const joined = shared.get(key)?.join(onReleased, judged)
    if (joined) {
      source.return()
      memory.release(bytes)
      return joined
    }
    const read = !detached && stillAllowed ? rechecked(source, stillAllowed) : source
    const group = subscriptionGroup(read, () => {
      if (shared.get(key) === group) shared.delete(key)
      memory.release(bytes)
    })
    shared.set(key, group)
    return group.join(onReleased, judged)
  }
}
