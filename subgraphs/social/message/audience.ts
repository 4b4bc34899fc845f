import { forbidden, unauthenticated } from '../../runtime/errors.ts'
import type { OutboxEvent } from '../../runtime/outbox.ts'
import { FOR_MEMBERS } from '../room/resolvers.ts'
import type { SessionRepository } from '../session/repository.ts'
import type { MessageRepository } from './repository.ts'

/**
 * Makes an iterator over the messages of a room tell one listener only what that one may still have: before each message the session must be alive and
 * its user a member, or the subscription ends with UNAUTHENTICATED or FORBIDDEN. Everybody who is told of a message is asked about in one statement.
 */
export type Audience = (
  source: AsyncIterableIterator<OutboxEvent>,
  listener: { readonly roomId: string; readonly sessionId: string },
) => AsyncIterableIterator<OutboxEvent>

/** Whether a session may have a message, and whether there still is one. */
type Seat = { readonly isThere: boolean }

/** Sessions that are asked about together, and what came of it. */
type Asking = { readonly sessionIds: Set<string>; readonly seats: Promise<ReadonlyMap<string, Seat>> }

export function audience(messages: MessageRepository, sessions: SessionRepository, now: () => Date): Audience {
  const askings = new WeakMap<OutboxEvent, Asking>()

  /** Who sits where, once everybody who is told of the event at this moment has been noted. */
  function seatsAt(event: OutboxEvent, roomId: string, sessionId: string): Asking['seats'] {
    const asking = askings.get(event) ?? askAbout(event, roomId)
    asking.sessionIds.add(sessionId)
    return asking.seats
  }

  function askAbout(event: OutboxEvent, roomId: string): Asking {
    const sessionIds = new Set<string>()
    const seats = new Promise<void>(setImmediate).then(async () => {
      // Who comes later asks anew.
      askings.delete(event)
      const found = await messages.audience(roomId, String(event.payload.id), [...sessionIds], now())
      return new Map(found.map((seat) => [seat.sessionId, seat]))
    })
    const asking = { sessionIds, seats }
    askings.set(event, asking)
    return asking
  }

  return (source, { roomId, sessionId }) => {
    const iterator: AsyncIterableIterator<OutboxEvent> = {
      // Written with callbacks: a message to a thousand members runs through here a thousand times.
      next: () =>
        new Promise((resolve, reject) => {
          const ask = (): void => void source.next().then(take, reject)
          const take = (result: IteratorResult<OutboxEvent>): void => {
            if (result.done) resolve(result)
            else seatsAt(result.value, roomId, sessionId).then((seats) => tell(result, seats.get(sessionId)), reject)
          }
          const tell = (result: IteratorResult<OutboxEvent>, seat: Seat | undefined): void => {
            if (!seat) void refused().then(reject, reject)
            else if (seat.isThere) resolve(result)
            // Its author is gone since, or the room.
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
      const isSignedIn = await sessions.userOfLiving(sessionId, now())
      return isSignedIn ? forbidden(FOR_MEMBERS) : unauthenticated('Expected a session that has not ended: sign in again.')
    }
  }
}
