import type { CacheableEntity } from './entity-lookups.ts'
import type { NewEntity, StoreVersion } from './entity-store.ts'

/** Entities that are being fetched: equal lookups wait for them instead of fetching again. */
export type EntityFlights = {
  /** Whether it was requested at this version of the store: after every invalidation so far. */
  readonly isInFlight: (entity: CacheableEntity, version: StoreVersion | null) => boolean
  /**
   * The entity as JSON when its fetch has landed; null where it failed, is not for this caller, or
   * `signal` aborted.
   */
  readonly join: (entity: CacheableEntity, signal: AbortSignal) => Promise<string | null>
  /** Begins a flight of entities. The returned function lands them, by index; call it always. */
  readonly begin: (
    entities: readonly (CacheableEntity | null)[],
    version: StoreVersion | null,
  ) => (flown: readonly (NewEntity | null)[]) => void
}

type Flight = {
  readonly version: StoreVersion | null
  readonly landed: Promise<readonly (NewEntity | null)[]>
  readonly index: number
}

/** Bounded by the fetches that run. */
export function createFlights(): EntityFlights {
  const flights = new Map<string, Flight>()
  // Callers with different credentials wait for each other only where they are known to get the
  // same.
  const keyOf = ({ type, publicKey, callerKey }: CacheableEntity) => (type.isPublic ? publicKey : callerKey)

  return {
    isInFlight(entity, version) {
      const flight = flights.get(keyOf(entity))
      return flight !== undefined && flight.version === version
    },
    async join(entity, signal) {
      const flight = flights.get(keyOf(entity))
      if (!flight) return null
      const flown = (await untilAborted(flight.landed, signal))?.[flight.index]
      return flown && entity.keys.includes(flown.key) ? flown.text : null
    },
    begin(entities, version) {
      const { promise: landed, resolve } = Promise.withResolvers<readonly (NewEntity | null)[]>()
      const own = entities.flatMap((entity, index) => {
        // To wait for what is not cacheable would double the time.
        if (!entity?.type.isCacheable || this.isInFlight(entity, version)) return []
        const key = keyOf(entity)
        flights.set(key, { version, landed, index })
        return [key]
      })
      return (flown) => {
        for (const key of own) if (flights.get(key)?.landed === landed) flights.delete(key)
        resolve(flown)
      }
    },
  }
}

async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  if (signal.aborted) return null
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const abort = () => resolve(null)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
