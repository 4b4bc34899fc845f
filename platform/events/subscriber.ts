/**
 * One subscriber apart from whatever reads events for it: what it was delivered, and what it may
 * receive. So one source can be read for many subscribers, and each is still judged, and resumed by
 * a later process, by itself.
 */
export type Subscriber = {
  /**
   * Whether the event was not delivered to it yet: a source that reads for others may be behind the
   * one that it had before.
   */
  readonly isNew: (event: unknown) => boolean
  /**
   * Whether it is told of the event; false: it is skipped, for what it tells of is gone. Rejects
   * with why the subscription ends when the caller may not have it now.
   */
  readonly mayReceive: (event: unknown) => Promise<boolean>
  /** The event was delivered, or skipped: who resumes it begins behind that. */
  readonly delivered: (event: unknown) => void
  /** Gives it up for good; nobody resumes it. */
  readonly release: () => void
}

/** A subscriber, and whose events it shares. */
export type Detached = {
  readonly subscriber: Subscriber
  /** Equal for sources that tell of the same events, once their subscribers are detached. */
  readonly topic: string
}

/**
 * Events of a subscription whose subscriber may go on without it. `detach` gives it away, once:
 * from then on the iterator tells every event of its topic, unjudged, and its end does not release
 * the subscriber. Null while something waits that the subscriber was not delivered.
 */
export type DetachableIterator<Event> = AsyncIterableIterator<Event> & { readonly detach?: () => Detached | null }
