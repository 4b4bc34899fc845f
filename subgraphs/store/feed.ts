import type { OutboxEvent } from '../../platform/events/outbox.ts'
import { notFound } from '../../platform/graphql/errors.ts'
import { demand } from './access/guard.ts'
import { scopesFor } from './access/rules.ts'
import type { Context } from './context.ts'
import { type EventName, type StoreEvent, topicOf } from './events.ts'
import { decodeId } from './ids.ts'

/** An event of the outbox that is a store's. */
export type FeedEvent = OutboxEvent & { readonly payload: StoreEvent }

/**
 * Events of the caller's store from now on, for a field of `Subscription`: those among `names` that
 * pass the filter. The credentials are checked before each: the subscription ends with
 * UNAUTHENTICATED or FORBIDDEN when they do not allow the field any more. It cannot be resumed.
 */
export async function eventsFor(
  { access, judge, caller, events }: Context,
  field: string,
  names: readonly EventName[],
  isWanted: (event: StoreEvent) => boolean,
): Promise<AsyncIterableIterator<FeedEvent>> {
  const { storeId } = await access()
  return storeEvents({
    events,
    storeId,
    isWanted: (event) => names.includes(event.event) && isWanted(event),
    // Credentials are those of one store for as long as they are good.
    assertOpen: async () => demand(await judge(caller), scopesFor(`Subscription.${field}`) ?? []),
  })
}

/** Wanted events of a store from now on. `assertOpen` rejects to end the subscription before one. */
export async function storeEvents({
  events,
  storeId,
  isWanted,
  assertOpen,
}: {
  readonly events: Context['events']
  readonly storeId: number
  readonly isWanted: (event: StoreEvent) => boolean
  readonly assertOpen: () => Promise<unknown>
}): Promise<AsyncIterableIterator<FeedEvent>> {
  const source = await events.listen(topicOf(storeId), null)
  const iterator: AsyncIterableIterator<FeedEvent> = {
    async next() {
      for (;;) {
        const result = await source.next()
        if (result.done) return { done: true, value: undefined }
        // Only `write` writes to this topic.
        const event = result.value as FeedEvent
        if (!isWanted(event.payload)) continue
        try {
          await assertOpen()
        } catch (refused) {
          await source.return?.()
          throw refused
        }
        return { done: false, value: event }
      }
    },
    // Not through `next`, which may be waiting.
    async return() {
      await source.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => iterator,
  }
  return iterator
}

/**
 * The row of the id argument of a subscription; null for all. Rejects with NOT_FOUND when there is
 * none.
 */
export async function rowFor(
  id: string | null | undefined,
  type: string,
  find: (row: number) => Promise<unknown>,
): Promise<number | null> {
  if (id == null) return null
  const row = decodeId(id, type)
  if (row === null || (await find(row)) === null) throw notFound(type.toLowerCase(), id)
  return row
}
