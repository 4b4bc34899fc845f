/**
 * A subscriber apart from the reader of its events: its position, and its permission. So one source
 * can be read for many subscribers, and each is still checked, and resumed by a later process, by
 * itself.
 */
export type Subscriber = {
  /**
   * Whether the event was not delivered to it yet: a source that reads for others may be behind the
   * one that it had before.
   */
  readonly isNew: (event: unknown) => boolean
  /**
   * Whether it gets the event; false: it is skipped, because its subject is gone. Rejects with the
   * error of the subscription when the caller has no permission any more.
   */
  readonly mayReceive: (event: unknown) => Promise<boolean>
  /** The event was delivered, or skipped: a resumed subscriber starts after it. */
  readonly delivered: (event: unknown) => void
  /** Ends it for good; it cannot be resumed. */
  readonly release: () => void
}

/** A subscriber, and whose events it shares. */
export type Detached = {
  readonly subscriber: Subscriber
  /** Equal for sources of the same events, once their subscribers are detached. */
  readonly topic: string
}

/**
 * Events of a subscription whose subscriber may continue without it. `detach` hands it over, once:
 * from then on the iterator returns every event of its topic, unchecked, and its end does not
 * release the subscriber. Null while an undelivered event waits.
 */
export type DetachableIterator<Event> = AsyncIterableIterator<Event> & { readonly detach?: () => Detached | null }
