import type { OutboxEvent } from '../../../platform/events/outbox.ts'

/**
 * Makes an iterator over events tell one session only what that one may still have: before each event it is asked about, and the subscription ends with the reason when it
 * may not. Everybody who is told of an event is asked about in one statement.
 */
export type Audience = (source: AsyncIterableIterator<OutboxEvent>, sessionId: string) => AsyncIterableIterator<OutboxEvent>

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

  return (source, sessionId) => {
    const iterator: AsyncIterableIterator<OutboxEvent> = {
      // Written with callbacks: a message to a thousand members runs through here a thousand times.
      next: () =>
        new Promise((resolve, reject) => {
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
        }),
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
