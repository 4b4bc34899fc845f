import type { OutboxEvent } from '../../../platform/events/outbox.ts'
import type { Context } from '../context.ts'
import type { ApiKey } from '../key/key.ts'
import { type DomainVerdictChange, topicOfKey, type VerdictEvent } from './watched-domain.ts'

/**
 * Changes of domains that `key` watches, from now on. `check` rejects when the caller may not have
 * them any more: it runs before each, and its error ends them. `listener`: who continues after the
 * death of a process.
 */
export async function verdictChangesOf(
  key: ApiKey,
  {
    watchId,
    listener,
    check,
  }: { readonly watchId: string | null; readonly listener: string; readonly check: () => Promise<void> },
  { events, watches }: Pick<Context, 'events' | 'watches'>,
): Promise<AsyncIterableIterator<DomainVerdictChange>> {
  const source = await events.listen(topicOfKey(key.id), `${listener} ${watchId ?? ''}`)
  const iterator: AsyncIterableIterator<DomainVerdictChange> = {
    async next() {
      for (;;) {
        const result = await source.next()
        if (result.done) return { done: true, value: undefined }
        const event = eventIn(result.value)
        if (watchId !== null && event.watchId !== watchId) continue
        try {
          await check()
        } catch (refused) {
          await source.return?.()
          throw refused
        }
        const value = await watches.findChange(key.id, event)
        // Null: the domain is not watched any more.
        if (value) return { done: false, value }
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

/** Only the repository of watched domains writes to these topics. */
const eventIn = ({ payload }: OutboxEvent): VerdictEvent => payload as VerdictEvent
