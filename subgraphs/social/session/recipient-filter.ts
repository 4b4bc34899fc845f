import type { OutboxEvent } from '../../../platform/events/outbox.ts'
import type { DetachableIterator, Subscriber } from '../../../platform/events/subscriber.ts'

/**
 * Filters an event iterator for one session: before each event the session's permission is checked
 * again, and the subscription ends with the error when it is missing. All recipients of an event
 * are checked in one statement. The detached subscriber is checked in the same way.
 */
export type RecipientFilter = (source: DetachableIterator<OutboxEvent>, sessionId: string) => DetachableIterator<OutboxEvent>

/** A session that may receive an event; `isThere`: whether the object of the event still exists. */
export type EventRecipient = { readonly sessionId: string; readonly isThere: boolean }

/** Sessions that are checked in one statement, and the result. */
type RecipientBatch = { readonly sessionIds: Set<string>; readonly recipients: Promise<ReadonlyMap<string, EventRecipient>> }

/** `findRecipients` returns the permitted sessions, `refusal` the error for another. */
export function createRecipientFilter(
  findRecipients: (event: OutboxEvent, sessionIds: readonly string[]) => Promise<readonly EventRecipient[]>,
  refusal: (sessionId: string) => Promise<Error>,
): RecipientFilter {
  const batches = new WeakMap<OutboxEvent, RecipientBatch>()

  /**
   * The permitted recipients, found once every session that receives the event now is in the batch.
   */
  function recipientsOf(event: OutboxEvent, sessionId: string): RecipientBatch['recipients'] {
    const batch = batches.get(event) ?? startBatch(event)
    batch.sessionIds.add(sessionId)
    return batch.recipients
  }

  function startBatch(event: OutboxEvent): RecipientBatch {
    const sessionIds = new Set<string>()
    const recipients = new Promise<void>(setImmediate).then(async () => {
      // Later sessions start a new batch.
      batches.delete(event)
      const found = await findRecipients(event, [...sessionIds])
      return new Map(found.map((recipient) => [recipient.sessionId, recipient]))
    })
    const batch = { sessionIds, recipients }
    batches.set(event, batch)
    return batch
  }

  async function mayReceive(event: OutboxEvent, sessionId: string): Promise<boolean> {
    const recipient = (await recipientsOf(event, sessionId)).get(sessionId)
    if (!recipient) throw await refusal(sessionId)
    return recipient.isThere
  }

  return (source, sessionId) => {
    let isDetached = false
    const iterator: DetachableIterator<OutboxEvent> = {
      // Callbacks instead of async functions: runs 1,000 times for a message to 1,000 members.
      next() {
        if (isDetached) return source.next()
        return new Promise((resolve, reject) => {
          const readNext = (): void => void source.next().then(check, reject)
          const check = (result: IteratorResult<OutboxEvent>): void => {
            if (result.done) resolve(result)
            else recipientsOf(result.value, sessionId).then((found) => deliver(result, found.get(sessionId)), reject)
          }
          const deliver = (result: IteratorResult<OutboxEvent>, recipient: EventRecipient | undefined): void => {
            if (!recipient) void refused().then(reject, reject)
            else if (recipient.isThere) resolve(result)
            // The object of the event was deleted meanwhile.
            else readNext()
          }
          readNext()
        })
      },
      detach() {
        const detached = source.detach?.() ?? null
        if (!detached) return null
        isDetached = true
        return { ...detached, subscriber: new SessionSubscriber(detached.subscriber, sessionId, mayReceive) }
      },
      // Not through `next`, which may be waiting.
      return: async () => (await source.return?.()) ?? { done: true, value: undefined },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator

    async function refused(): Promise<Error> {
      await source.return?.()
      return refusal(sessionId)
    }
  }
}

/** The subscriber of a session. A class, so that 100,000 instances share their methods. */
class SessionSubscriber implements Subscriber {
  readonly #subscriber: Subscriber
  readonly #sessionId: string
  readonly #check: (event: OutboxEvent, sessionId: string) => Promise<boolean>

  constructor(subscriber: Subscriber, sessionId: string, check: (event: OutboxEvent, sessionId: string) => Promise<boolean>) {
    this.#subscriber = subscriber
    this.#sessionId = sessionId
    this.#check = check
  }

  isNew(event: unknown): boolean {
    return this.#subscriber.isNew(event)
  }

  mayReceive(event: unknown): Promise<boolean> {
    // A feed delivers nothing else.
    return this.#check(event as OutboxEvent, this.#sessionId)
  }

  delivered(event: unknown): void {
    this.#subscriber.delivered(event)
  }

  release(): void {
    this.#subscriber.release()
  }
}
