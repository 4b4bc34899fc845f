import { hash, randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { redisScripts } from '../../platform/redis/redis-scripts.ts'
import {
  type EntityLookup,
  type EntityStore,
  MAX_ENTITY_CHARACTERS,
  MAX_INVALIDATED_TAGS,
  type NewEntity,
  type StoredEntities,
  type StoreVersion,
} from './entity-store.ts'

/**
 * Redis hash: `epoch`, `version` (number of invalidations), and by tag the version of its last one.
 */
const INVALIDATED = 'atrium:entities:invalidated'
const PREFIX = 'atrium:entity:'

/** Keys per script call, since Lua's `unpack` is limited to about 8,000 values. */
const MAX_KEYS_PER_COMMAND = 500

/**
 * Upper bound of invalidations queued while Redis is down; beyond it all entities are invalidated
 * on reconnect.
 */
const MAX_WAITING_TAGS = 10_000

/** KEYS: INVALIDATED, then entities. ARGV: an epoch for a new hash, then tags. */
const READ = `redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
local entities = #KEYS > 1 and redis.call('MGET', unpack(KEYS, 2)) or {}
return { redis.call('HMGET', KEYS[1], 'epoch', 'version', unpack(ARGV, 2)), entities }`

/** KEYS: entities. ARGV: for each key its lifetime in ms and its value. */
const WRITE = `for index, key in ipairs(KEYS) do redis.call('SET', key, ARGV[index * 2], 'PX', ARGV[index * 2 - 1]) end`

/**
 * ARGV: an epoch for a new hash, the maximum number of tags, then tags. Deleting the hash starts a
 * new epoch, which invalidates every entity.
 */
const INVALIDATE = `redis.call('HSETNX', KEYS[1], 'epoch', ARGV[1])
local version = redis.call('HINCRBY', KEYS[1], 'version', 1)
for index = 3, #ARGV do redis.call('HSET', KEYS[1], ARGV[index], version) end
if redis.call('HLEN', KEYS[1]) > tonumber(ARGV[2]) then redis.call('DEL', KEYS[1]) end
return version`

const INVALIDATE_ALL = `return redis.call('DEL', KEYS[1])`

const NOTHING: StoredEntities = { found: [], version: null }

/**
 * Entity store in Redis, shared by all gateway instances. An entity is valid while its epoch is
 * current and no tag was invalidated after its request. Losing the hash of invalidations, for
 * example by eviction, invalidates all. While Redis is unavailable nothing is read or stored.
 */
export async function entityRedisStore({
  url,
  log,
  commandMilliseconds,
}: {
  readonly url: string
  readonly log: Logger
  readonly commandMilliseconds?: number | undefined
}): Promise<EntityStore> {
  const scripts = await redisScripts({
    url,
    purpose: 'cached entities',
    log,
    ...(commandMilliseconds !== undefined && { commandMilliseconds }),
  })
  const waiting = new Set<string>()
  let isAllWaiting = false

  return {
    async read(lookups) {
      if ((waiting.size > 0 || isAllWaiting) && !(await invalidateWaiting())) return NOTHING
      const parts = await Promise.all(chunksOf(lookups).map(readChunk))
      const versions = new Set(parts.map(({ version }) => version))
      const [version = null] = versions
      // Versions differ when an invalidation came between two chunks; the first is the oldest, so
      // it is the safe one.
      return { found: parts.flatMap(({ found }) => found), version: versions.has(null) ? null : version }
    },
    async write(entities, version) {
      const small = entities.filter(({ text }) => text.length <= MAX_ENTITY_CHARACTERS)
      await Promise.all(
        chunksOf(small).map((chunk) =>
          scripts.run(
            WRITE,
            chunk.map(({ key }) => redisKey(key)),
            chunk.flatMap((entity) => [Math.max(1, Math.round(entity.ttlSeconds * 1000)), toValue(entity, version)]),
          ),
        ),
      )
    },
    async invalidate(tags) {
      for (const tag of tags) waiting.add(tag)
      if (waiting.size > MAX_WAITING_TAGS) {
        isAllWaiting = true
        waiting.clear()
      }
      return invalidateWaiting()
    },
    // Not counted here: Redis bounds its own memory.
    entries: () => 0,
    bytes: () => 0,
    close: scripts.close,
  }

  async function readChunk(lookups: readonly (EntityLookup | null)[]): Promise<StoredEntities> {
    const tags = [...new Set(lookups.flatMap((lookup) => lookup?.tags() ?? []))]
    const keys = lookups.flatMap((lookup) => lookup?.keys.map(redisKey) ?? [])
    const first = replyIn(await scripts.run(READ, [INVALIDATED, ...keys], [newEpoch(), ...tags]))
    if (!first) return { found: lookups.map(() => null), version: null }
    const invalidatedAt = new Map<string, number>()
    remember(tags, first.versions)
    const values = new Map(keys.map((key, index) => [key, parseValue(first.entities[index])]))
    const further = [...new Set([...values.values()].flatMap((value) => value?.tags ?? []))].filter(
      (tag) => !invalidatedAt.has(tag),
    )
    for (const chunk of chunksOf(further)) {
      const next = replyIn(await scripts.run(READ, [INVALIDATED], [newEpoch(), ...chunk]))
      if (!next || next.epoch !== first.epoch) return { found: lookups.map(() => null), version: null }
      remember(chunk, next.versions)
    }
    const isValid = (value: StoredValue): boolean =>
      value.epoch === first.epoch && value.tags.every((tag) => (invalidatedAt.get(tag) ?? 0) <= value.version)
    return {
      found: lookups.map((lookup) => {
        const valid = lookup?.keys.map((key) => values.get(redisKey(key))).find((value) => value && isValid(value))
        return valid?.text ?? null
      }),
      version: `${first.epoch}\n${first.version}`,
    }

    function remember(names: readonly string[], versions: readonly unknown[]): void {
      for (const [index, tag] of names.entries()) invalidatedAt.set(tag, Number(versions[index] ?? 0))
    }
  }

  async function invalidateWaiting(): Promise<boolean> {
    const tags = [...waiting]
    const isAll = isAllWaiting
    const done = isAll
      ? await scripts.run(INVALIDATE_ALL, [INVALIDATED], [])
      : await scripts.run(INVALIDATE, [INVALIDATED], [newEpoch(), MAX_INVALIDATED_TAGS, ...tags])
    if (done === null) return false
    if (isAll) isAllWaiting = false
    for (const tag of tags) waiting.delete(tag)
    return true
  }
}

type StoredValue = { readonly epoch: string; readonly version: number; readonly tags: readonly string[]; readonly text: string }

/** Format: epoch, version and tags, a line each, then the JSON. */
const toValue = ({ tags, text }: NewEntity, version: StoreVersion): string => `${version}\n${tags.join(',')}\n${text}`

function parseValue(value: unknown): StoredValue | null {
  if (typeof value !== 'string') return null
  const [, epoch, version, tags, text] = /^([^\n]*)\n(\d+)\n([^\n]*)\n([\s\S]*)$/.exec(value) ?? []
  if (epoch === undefined || text === undefined) return null
  return { epoch, version: Number(version), tags: (tags ?? '').split(','), text }
}

/** Parses the reply of READ; null when Redis is unavailable. */
function replyIn(reply: unknown) {
  if (!Array.isArray(reply)) return null
  // READ returns two lists.
  const [[epoch, version, ...versions], entities] = reply as [unknown[], unknown[]]
  return { epoch: String(epoch), version: Number(version ?? 0), versions, entities }
}

/**
 * Hashed, because representations may contain personal data, and key lists are visible to
 * operators.
 */
const redisKey = (key: string): string => `${PREFIX}${hash('sha256', key, 'base64url')}`

const newEpoch = (): string => randomBytes(12).toString('base64url')

function chunksOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const chunks: Item[][] = []
  for (let at = 0; at < items.length; at += MAX_KEYS_PER_COMMAND) chunks.push(items.slice(at, at + MAX_KEYS_PER_COMMAND))
  return chunks
}
