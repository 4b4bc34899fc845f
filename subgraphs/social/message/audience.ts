import { forbidden, unauthenticated } from '../../runtime/errors.ts'
import { type DataLoader, loaderByKey } from '../../runtime/loader.ts'
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

type Seat = { readonly sessionId: string; readonly isThere: boolean }

export function audience(messages: MessageRepository, sessions: SessionRepository, now: () => Date): Audience {
  const seats = new WeakMap<OutboxEvent, DataLoader<string, Seat | null>>()

  function seatsAt(event: OutboxEvent, roomId: string): DataLoader<string, Seat | null> {
    const known = seats.get(event)
    if (known) return known
    const loader = loaderByKey(
      (sessionIds) => messages.audience(roomId, String(event.payload.id), sessionIds, now()),
      ({ sessionId }: Seat) => sessionId,
    )
    seats.set(event, loader)
    return loader
  }

  return (source, { roomId, sessionId }) => {
    const iterator: AsyncIterableIterator<OutboxEvent> = {
      async next() {
        for (;;) {
          const result = await source.next()
          if (result.done) return result
          const seat = await seatsAt(result.value, roomId).load(sessionId)
          if (seat?.isThere) return result
          // Its author or the room is gone since.
          if (seat) continue
          await source.return?.()
          const isSignedIn = await sessions.userOfLiving(sessionId, now())
          throw isSignedIn ? forbidden(FOR_MEMBERS) : unauthenticated('Expected a session that has not ended: sign in again.')
        }
      },
      // Not through `next`, which may be waiting.
      return: async () => (await source.return?.()) ?? { done: true, value: undefined },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }
}
