import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'

/** Imports notify this channel when they commit. */
const CHANNEL = 'directory_revision'

/** How often to look anyway: a notification is lost when the connection breaks. Milliseconds. */
const POLL_MS = 5_000

/**
 * Calls `look` soon after every import and every few seconds, never twice at once. A failing `look`
 * is logged and tried again. The returned function ends it and resolves when nothing runs any more.
 */
export function followRevisions(pool: Pool, refresh: () => Promise<void>, log: Logger): () => Promise<void> {
  const ended = new AbortController()
  let wake = () => {}
  let listener: PoolClient | null = null

  const listen = async (): Promise<void> => {
    if (listener) return
    const client = await pool.connect()
    listener = client
    client.on('notification', () => wake())
    client.on('error', (error) => {
      // A connection may break twice, and after it was given back.
      if (listener !== client) return
      log.warn({ reason: error.message }, 'the connection that listens for imports broke')
      listener = null
      client.release(true)
    })
    await client.query(`LISTEN ${CHANNEL}`)
  }

  const running = (async () => {
    while (!ended.signal.aborted) {
      let isWoken = false
      const woken = new Promise<void>((resolve) => {
        wake = () => {
          isWoken = true
          resolve()
        }
      })
      try {
        await listen()
        await refresh()
      } catch (error) {
        if (!ended.signal.aborted) log.warn({ err: error }, 'the directory could not be refreshed; trying again')
      }
      if (isWoken || ended.signal.aborted) continue
      const pause = new AbortController()
      const stop = AbortSignal.any([ended.signal, pause.signal])
      await Promise.race([woken, sleep(POLL_MS, undefined, { signal: stop, ref: false }).catch(() => {})])
      pause.abort()
    }
  })()

  return async () => {
    ended.abort()
    wake()
    await running
    const last = listener
    listener = null
    last?.release(true)
  }
}
