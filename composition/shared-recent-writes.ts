import type { Logger } from 'pino'
import { highest, type RecentWrites } from '../platform/database/recent-writes.ts'
import { redisScripts } from '../platform/redis/redis-scripts.ts'

/** Longer than any replica that is asked may be behind. */
const KEPT_MILLISECONDS = 60_000

/** Notes the position ARGV[1], 16 hexadecimal digits, for each of KEYS that has none as high. */
const NOTE = `
for _, key in ipairs(KEYS) do
  local known = redis.call('GET', key)
  if not known or known < ARGV[1] then redis.call('SET', key, ARGV[1], 'PX', ARGV[2]) end
end
return 1`
const FIND = `
local found = {}
for i, key in ipairs(KEYS) do found[i] = redis.call('GET', key) or '' end
return found`

/** What clients wrote last, known to all copies through Redis. While that cannot be reached, nobody can tell. */
export async function sharedWrites(
  url: string,
  subgraph: string,
  log: Logger,
): Promise<RecentWrites & { readonly close: () => Promise<void> }> {
  const { run, close } = await redisScripts({ url, purpose: 'what clients wrote last', log })
  const keys = (writers: readonly string[]) => writers.map((writer) => `atrium:wrote:${subgraph}:${writer}`)

  return {
    note: async (writers, position) =>
      (await run(NOTE, keys(writers), [position.toString(16).padStart(16, '0'), KEPT_MILLISECONDS])) !== null,
    async positionOf(writers) {
      const found = await run(FIND, keys(writers), [])
      return Array.isArray(found) ? highest(found.map((text) => (text === '' ? 0n : BigInt(`0x${text}`)))) : null
    },
    close,
  }
}
