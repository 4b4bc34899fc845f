import type { Logger } from 'pino'
import { maxPosition, type RecentWrites } from '../platform/database/recent-writes.ts'
import { redisScripts } from '../platform/redis/redis-scripts.ts'

/** Longer than the lag of any replica in use. */
const RETENTION_MS = 60_000

/** Records position ARGV[1], 16 hexadecimal digits, for each of KEYS with none as high. */
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
 * Recent writes shared by all processes through Redis. Positions are unknown while it is
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
