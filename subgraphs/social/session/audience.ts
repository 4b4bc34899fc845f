import type { OutboxEvent } from '../../../platform/events/outbox.ts'
import type { DetachableIterator, Subscriber } from '../../../platform/events/subscriber.ts'

/**
 * Makes an iterator over events tell one session only what that one may still have: before each event it is asked about, and the subscription ends with the reason when it
 * may not. Everybody who is told of an event is asked about in one statement. Its subscriber, detached, is asked about in the same way.
 */
export type Audience = (source: DetachableIterator<OutboxEvent>, sessionId: string) => DetachableIterator<OutboxEvent>

/** A session that may have an event, and whether there still is what that tells of. */
export type Seat = { readonly sessionId: string; readonly isThere: boolean }

/** Sessions that are asked about together, and what came of it. */
type Asking = { readonly sessionIds: Set<string>; readonly seats: Promise<ReadonlyMap<string, Seat>> }

/** `seatsOf` gives those of some sessions that may have an event, `refusal` why one may not. */
export function audience(
  seatsOf: (event: OutboxEvent, sessionIds: readonly string[]) => Promise<readonly Seat[]>,
  refusal: (sessionId: string) => Promise<Error>,
): Audience {
  const askings = new WeakMap<OutboxEvent, Asking>()

  /** Who sits where, once everybody who is told of the event at this moment has been noted. */
  function seatsAt(event: OutboxEvent, sessionId: string): Asking['seats'] {
    const asking = askings.get(event) ?? askAbout(event)
    asking.sessionIds.add(sessionId)
    return asking.seats
  }

  function askAbout(event: OutboxEvent): Asking {
    const sessionIds = new Set<string>()
    const seats = new Promise<void>(setImmediate).then(async () => {
      // Who comes later asks anew.
      askings.delete(event)
      const found = await seatsOf(event, [...sessionIds])
      return new Map(found.map((seat) => [seat.sessionId, seat]))
    })
    const asking = { sessionIds, seats }
    askings.set(event, asking)
    return asking
  }

  async function mayReceive(event: OutboxEvent, sessionId: string): Promise<boolean> {
    const seat = (await seatsAt(event, sessionId)).get(sessionId)
    if (!seat) throw await refusal(sessionId)
    return seat.isThere
  }

  return (source, sessionId) => {
    let isDetached = false
    const iterator: DetachableIterator<OutboxEvent> = {
      // Written with callbacks: a message to a thousand members runs through here a thousand times.
      next() {
        if (isDetached) return source.next()
        return new Promise((resolve, reject) => {
          const ask = (): void => void source.next().then(take, reject)
          const take = (result: IteratorResult<OutboxEvent>): void => {
            if (result.done) resolve(result)
            else seatsAt(result.value, sessionId).then((seats) => tell(result, seats.get(sessionId)), reject)
          }
          const tell = (result: IteratorResult<OutboxEvent>, seat: Seat | undefined): void => {
            if (!seat) void refused().then(reject, reject)
            else if (seat.isThere) resolve(result)
            // It is gone since.
            else ask()
          }
          ask()
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

/** A subscriber that is a session. A class, so that a hundred thousand of them share their code. */
class SessionSubscriber implements Subscriber {
  readonly #subscriber: Subscriber
  readonly #sessionId: string
  readonly #judge: (event: OutboxEvent, sessionId: string) => Promise<boolean>

  constructor(subscriber: Subscriber, sessionId: string, judge: (event: OutboxEvent, sessionId: string) => Promise<boolean>) {
    this.#subscriber = subscriber
    this.#sessionId = sessionId
    this.#judge = judge
  }

  isNew(event: unknown): boolean {
    return this.#subscriber.isNew(event)
  }

  mayReceive(event: unknown): Promise<boolean> {
    // A feed tells nothing else.
    return this.#judge(event as OutboxEvent, this.#sessionId)
  }

  delivered(event: unknown): void {
    this.#subscriber.delivered(event)
  }

  release(): void {
    this.#subscriber.release()
  }
}
