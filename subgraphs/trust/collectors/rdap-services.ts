import copy from './iana-rdap.json' with { type: 'json' }
import { rdapBootstrap } from './list-formats.ts'
import type { ListRepository } from './list-repository.ts'

/** The list of registries' services, as `lists.ts` downloads it. */
export const BOOTSTRAP = 'iana-rdap'

/**
 * Services for an installation that has not loaded IANA's list yet: a copy of May 2026, in IANA's
 * own form (CC0 1.0 by https://www.iana.org/help/licensing-terms).
 */
const SHIPPED: ReadonlyMap<string, string> = new Map(
  rdapBootstrap.read(copy)?.map(({ key, indicator }): [string, string] => [key, indicator]),
)

/**
 * URL of a registry's RDAP service; 'none': it has none; 'unknown': the list was never loaded, and
 * the shipped copy, which may be old, does not contain it.
 */
export async function rdapServiceOf(lists: ListRepository, registrable: string): Promise<string | 'none' | 'unknown'> {
  // RFC 9224 §4: the entry with the most labels wins.
  const labels = registrable.split('.')
  const zones = labels.map((_, index) => labels.slice(index).join('.')).slice(1)
  const found = await lists.find([BOOTSTRAP], zones)
  const entry = zones.flatMap((zone) => found.filter((entry) => entry.key === zone)).at(0)
  if (entry) return entry.indicator
  if (await lists.edition(BOOTSTRAP)) return 'none'
  return zones.flatMap((zone) => SHIPPED.get(zone) ?? []).at(0) ?? 'unknown'
}
