import type { Logger } from 'pino'
import { withoutCancellation } from '../../../platform/database/cancellation.ts'
import type { ListMatcher } from '../assessment/list-matcher.ts'
import { neighboursOf } from '../collectors/popular-neighbours.ts'
import type { Target } from '../pipeline/normalise.ts'
import { fromUnixSeconds } from '../unix-time.ts'
import { decidingEntry, listKeysOf, type OperatorListEntry, toListOverride } from './operator-list.ts'
import type { OperatorListRepository } from './repository.ts'

/** Age at which a process reads again whether there are lists, and which brands. Milliseconds. */
const REFRESH_MS = 2_000
/** Interval in which counted hits are written. Milliseconds. */
const WRITE_HITS_MS = 10_000
/** Entries whose hits wait to be written; with more they are written at once. */
const MAX_PENDING_ENTRIES = 10_000

export type OperatorListMatcher = ListMatcher & {
  /** The lists have changed: the next decision reads them again. */
  readonly refresh: () => void
  /** Writes the hits that were counted. */
  readonly close: () => Promise<void>
}

type Brand = Pick<OperatorListEntry, 'id' | 'host' | 'expiresAt'>
/** Expired brands are among them until they are deleted. */
type Brands = {
  /** By the first label of the domain. */
  readonly byLabel: ReadonlyMap<string, readonly Brand[]>
  readonly byDomain: ReadonlyMap<string, Brand>
}
type Summary = { readonly isListed: boolean; readonly brands: Brands }

/**
 * Looks targets up in the lists. Blocks and allowances are read per target, so that a change counts
 * at once; whether there are any, and the brands, are held for two seconds.
 */
export function createListMatcher({
  repository,
  log,
  now,
}: {
  readonly repository: OperatorListRepository
  readonly log: Logger
  readonly now: () => Date
}): OperatorListMatcher {
  let known: { readonly summary: Summary; readonly readAt: number } | null = null
  let reading: Promise<Summary> | null = null
  let hits = new Map<string, number>()
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  return {
    async overrideFor(target, own, at) {
      const { isListed } = await summary()
      if (!isListed) return own
      const entry = decidingEntry(target, await repository.find(listKeysOf(target)), fromUnixSeconds(at))
      if (entry === null || (own !== null && entry.list === 'allow')) return own
      return toListOverride(entry)
    },

    async brandsNear(target, at) {
      const { brands } = await summary()
      return near(target, brands, fromUnixSeconds(at))
    },

    noteHits(entries) {
      for (const id of entries) hits.set(id, (hits.get(id) ?? 0) + 1)
      if (hits.size > MAX_PENDING_ENTRIES) write()
      else if (hits.size > 0) timer ??= setTimeout(write, WRITE_HITS_MS).unref()
    },

    refresh() {
      known = null
      reading = null
    },

    async close() {
      write()
      await writing
    },
  }

  /** Waits for the database only where the last look is too old; keeps the last one when it fails. */
  function summary(): Summary | Promise<Summary> {
    if (known && performance.now() - known.readAt < REFRESH_MS) return known.summary
    if (reading) return reading
    const started: Promise<Summary> = withoutCancellation(() => repository.summary())
      .then(({ isListed, brands }): Summary => ({ isListed, brands: indexOf(brands) }))
      .catch((error: unknown) => {
        if (!known) throw error
        log.warn({ err: error }, 'the lists of the operator could not be read')
        return known.summary
      })
      .then((read) => {
        // A change that came in the meantime is not in it.
        if (reading === started) known = { summary: read, readAt: performance.now() }
        return read
      })
      .finally(() => {
        if (reading === started) reading = null
      })
    reading = started
    return started
  }

  function write(): void {
    if (timer) clearTimeout(timer)
    timer = null
    if (hits.size === 0) return
    const counted = hits
    hits = new Map()
    writing = writing
      .then(() => repository.addHits(counted, now()))
      .catch((error: unknown) => log.warn({ err: error }, 'hits of lists could not be counted'))
  }
}

const indexOf = (entries: readonly Brand[]): Brands => ({
  byLabel: Map.groupBy(entries, ({ host }) => labelOf(host)),
  byDomain: new Map(entries.map((brand) => [brand.host, brand])),
})

/** Brands of a list count as the most popular name: rank 1 of the popularity list. */
const MIN_RANK = 1

function near({ kind, name }: Target, { byLabel, byDomain }: Brands, at: Date): Awaited<ReturnType<ListMatcher['brandsNear']>> {
  const { registrable, shared } = name
  if (byLabel.size === 0 || kind !== 'name' || registrable === null || shared) return []
  const inForce = ({ expiresAt }: Brand) => expiresAt === null || expiresAt > at
  const own = byDomain.get(registrable)
  if (own && inForce(own)) return []
  const brandsWith = (label: string) =>
    (byLabel.get(label) ?? []).filter(inForce).map(({ host }) => ({ name: host, rank: MIN_RANK }))
  return neighboursOf(registrable, brandsWith).flatMap((neighbour) => {
    const brand = byDomain.get(neighbour.name)
    return brand ? [{ ...neighbour, entry: brand.id }] : []
  })
}

const labelOf = (domain: string): string => domain.slice(0, domain.indexOf('.'))
