import { ConsoleSessionsEndedDocument } from '#generated/operations.ts'
import type { GatewayClient } from '../../gateway/client.ts'

/** How soon sessions are over after an operator has ended all of them. Milliseconds. */
const MAX_AGE_MS = 3_000
/** How long a page waits for the answer; then it goes on with what was known. Milliseconds. */
const TIMEOUT_MS = 2_000

/** Nobody's: the answer is the same for everybody. */
const CALLER = { requestId: 'console', address: '127.0.0.1', credentials: {} }

/**
 * Follows when an operator last ended all sessions at once: cookies cannot be taken back, so each
 * is compared with that.
 */
export async function allSessionsEnded(client: GatewayClient) {
  await client.prepare(ConsoleSessionsEndedDocument)
  let at = 0
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null

  async function read(): Promise<void> {
    readAt = performance.now()
    const answer = await client.run(ConsoleSessionsEndedDocument, {}, CALLER, AbortSignal.timeout(TIMEOUT_MS))
    const ended = answer.data?.sessionsEndedAt
    if (ended != null) at = Date.parse(ended)
  }

  return {
    /** Milliseconds since 1970; 0: never. */
    at: (): number => at,
    /** Asks again when that is due. A graph that does not answer changes nothing. */
    async refresh(): Promise<void> {
      if (reading === null && performance.now() - readAt <= MAX_AGE_MS) return
      reading ??= read()
        .catch(() => {})
        .finally(() => {
          reading = null
        })
      await reading
    },
  }
}
