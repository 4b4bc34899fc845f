import { setTimeout as pause } from 'node:timers/promises'
import { changeListeners } from '../../platform/events/change-listeners.ts'
import type { OnChange } from '../../platform/graphql/subgraph.ts'
import { Agent, request } from '../../platform/outbound/undici.ts'
import { parseEventStream } from '../transports/server-sent-events.ts'
import { CHANGES_PATH } from './changes-path.ts'
import type { Sign } from './signature.ts'

/** Delay between the end of a stream and the next attempt. */
const RECONNECT_DELAY_MS = 500

/**
 * Follows change announcements of a remote subgraph while there are listeners. Each connection
 * first reports everything as changed, because announcements may have been missed.
 */
export function followChanges({ origin, sign }: { readonly origin: string; readonly sign: Sign }): {
  readonly onChange: OnChange
  readonly close: () => Promise<void>
} {
  const agent = new Agent({ bodyTimeout: 0 })
  const { onChange, notify: announce } = changeListeners()
  const ended = new AbortController()
  let loop: Promise<void> | null = null

  return {
    onChange(changed) {
      loop ??= follow()
      return onChange(changed)
    },
    async close() {
      ended.abort()
      await agent.destroy()
      await loop
    },
  }

  async function follow(): Promise<void> {
    const { signal } = ended
    while (!signal.aborted) {
      // Failures are retried; meanwhile only `maxAge` limits cached responses.
      await followStream(signal).catch(() => {})
      await pause(RECONNECT_DELAY_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  async function followStream(signal: AbortSignal): Promise<void> {
    const headers = { accept: 'text/event-stream' }
    const signed = { ...headers, ...sign({ method: 'GET', path: CHANGES_PATH, headers }, '') }
    const { statusCode, body } = await request(`${origin}${CHANGES_PATH}`, { dispatcher: agent, signal, headers: signed })
    if (statusCode !== 200) return void (await body.dump())
    announce(null)
    for await (const { event, data } of parseEventStream(body)) if (event === 'next') announce(JSON.parse(data))
  }
}
