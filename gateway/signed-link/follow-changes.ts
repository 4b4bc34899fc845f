import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { changeListeners } from '../../platform/events/change-listeners.ts'
import type { OnChange } from '../../platform/graphql/subgraph.ts'
import { eventsIn } from '../transports/server-sent-events.ts'
import { CHANGES_PATH } from './changes-path.ts'
import type { Sign } from './signature.ts'

/** Between the end of a stream and the next try. Milliseconds. */
const RETRY = 500

/** Hears of what changes in a subgraph of another process, from the first who asks on. Where something may have been missed, anything may have changed. */
export function followedChanges({ origin, sign }: { readonly origin: string; readonly sign: Sign }): {
  readonly onChange: OnChange
  readonly close: () => Promise<void>
} {
  const agent = new Agent({ bodyTimeout: 0 })
  const { onChange, notify: tell } = changeListeners()
  const ended = new AbortController()
  let following: Promise<void> | null = null

  return {
    onChange(changed) {
      following ??= follow()
      return onChange(changed)
    },
    async close() {
      ended.abort()
      await agent.destroy()
      await following
    },
  }

  async function follow(): Promise<void> {
    const { signal } = ended
    while (!signal.aborted) {
      // What fails is tried again, and until then ages count.
      await hear(signal).catch(() => {})
      await pause(RETRY, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async function hear(signal: AbortSignal): Promise<void> {
    const headers = { accept: 'text/event-stream' }
    const signed = { ...headers, ...sign({ method: 'GET', path: CHANGES_PATH, headers }, '') }
    const { statusCode, body } = await request(`${origin}${CHANGES_PATH}`, { dispatcher: agent, signal, headers: signed })
    if (statusCode !== 200) return void (await body.dump())
    tell(null)
    for await (const { event, data } of eventsIn(body)) if (event === 'next') tell(JSON.parse(data))
  }
}
