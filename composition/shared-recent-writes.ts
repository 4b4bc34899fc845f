import type { Logger } from 'pino'
import { maxPosition, type RecentWrites } from '../platform/database/recent-writes.ts'
import { redisScripts } from '../platform/redis/redis-scripts.ts'

/** How long a write position is stored: longer than any replica lags behind. */
const RETENTION_MS = 60_000

/** Raises the value of each of KEYS to ARGV[1], a position of 16 hexadecimal digits. */
const RECORD_SCRIPT = `
for _, key in ipairs(KEYS) do
  local known = redis.call('GET', key)
  if not known or known < ARGV[1] then redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
end
return 1`
const FIND_SCRIPT = `
local found = {}
for i, key in ipairs(KEYS) do found[i] = redis.call('GET', key) or '' end
return found`

/**
 * Positions of recent writes, shared by all processes through Redis. Unknown while Redis is
 * unavailable.
 */
export async function redisRecentWrites(
  url: string,
  subgraph: string,
  log: Logger,
): Promise<RecentWrites & { readonly close: () => Promise<void> }> {
  const { run, close } = await redisScripts({ url, purpose: 'what clients wrote last', log })
  const keys = (writers: readonly string[]) => writers.map((writer) => `atrium:wrote:${subgraph}:${writer}`)

  return {
    note: async (writers, position) =>
      (await run(RECORD_SCRIPT, keys(writers), [position.toString(16).padStart(16, '0'), RETENTION_MS])) !== null,
    async positionOf(writers) {
      const found = await run(FIND_SCRIPT, keys(writers), [])
      return Array.isArray(found) ? maxPosition(found.map((text) => (text === '' ? 0n : BigInt(`0x${text}`)))) : null
    },
    close,
  }
}
