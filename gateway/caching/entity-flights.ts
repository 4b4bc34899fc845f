import type { CacheableEntity } from './entity-lookups.ts'
import type { NewEntity, StoreVersion } from './entity-store.ts'

/** Entity fetches in flight, so that equal lookups wait instead of fetching again. */
export type EntityFlights = {
  /**
   * Whether a fetch of this entity is in flight that began after the last invalidation (same
   * `version`).
   */
  readonly isInFlight: (entity: CacheableEntity, version: StoreVersion | null) => boolean
  /**
   * JSON of the entity when its fetch completes; null when it failed, is not for this caller, or
   * `signal` is aborted.
   */
  readonly join: (entity: CacheableEntity, signal: AbortSignal) => Promise<string | null>
  /**
   * Registers a fetch of entities. Always call the returned function with the results, by index.
   */
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

/** Its size is bounded by the number of running fetches. */
export function createFlights(): EntityFlights {
  const flights = new Map<string, Flight>()
  // Callers with different credentials share a flight only for types with public responses.
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
        // Waiting for an entity that turns out not to be cacheable would double the time.
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
