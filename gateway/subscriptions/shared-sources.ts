import { rechecked } from '../authorization/guarded-subscription.ts'
import { OwnSubscription } from './own-subscription.ts'
import type { SourceMemory } from './source-memory.ts'
import type { EventPipeline, Running, StillAllowed } from './subscribe.ts'
import { type SubscriptionGroup, subscriptionGroup } from './subscription-group.ts'

/** A caller's own event source. */
export type OwnSource = {
  readonly source: EventPipeline
  readonly bytes: number
  /** Variables as JSON. */
  readonly text: string
  readonly stillAllowed: StillAllowed | undefined
  readonly viewerKey: string
  /** Whether it is never shared, because its results are for one subscriber. */
  readonly isAlone: boolean
}

/**
 * Subscription of a caller with credentials: reads its own source until missed events are
 * delivered, then joins subscribers with equal results.
 */
export type ShareSource = (own: OwnSource, onReleased: () => void) => Running

/** Event sources of one operation, shared by callers with credentials. */
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
   * Joins an open group and closes `source`, or creates a group with it; null while events are
   * queued.
   */
  function share({ isAlone, source, bytes, text, stillAllowed, viewerKey }: OwnSource, onReleased: () => void): Running | null {
    if (isAlone) return null
    const detached = source.detach ? source.detach() : undefined
    if (detached === null) return null
    const judged = detached && { subscriber: detached.subscriber, stillAllowed }
    // A source that authorizes events itself serves one caller only.
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
