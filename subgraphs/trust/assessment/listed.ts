import type { PopularNeighbour, Snapshot } from '../evidence.ts'
import type { Decision } from '../pipeline/decision.ts'
import type { Target } from '../pipeline/normalise.ts'
import type { Override } from '../pipeline/request.ts'
import { type Engine, listEvidence } from './engine.ts'
import type { ListMatcher } from './list-matcher.ts'

/** A snapshot as the operator's lists have it now, and the override that decides from it. */
type Listed = { readonly snapshot: Snapshot; readonly override: Override | null }

/**
 * Adds the operator's brands to a snapshot, and looks at where its redirects lead. `override`: what
 * decides about the target itself.
 */
export async function applyLists(
  { target, snapshot, override }: Listed & { readonly target: Target },
  { engine, lists, at }: { readonly engine: Pick<Engine, 'snapshotOf'>; readonly lists: ListMatcher; readonly at: number },
): Promise<Listed> {
  const [brands, effective] = await Promise.all([lists.brandsNear(target, at), withBlockedHop(snapshot, override, lists, at)])
  return { snapshot: withBrands(snapshot, brands, engine), override: effective }
}

/** The ids of entries that a decision names. */
export function entriesIn({ override, audit }: Decision, { sources: { popularity } }: Snapshot): readonly string[] {
  const imitated = new Set(audit.points.map(({ detail }) => detail))
  const near = popularity.status === 'ok' ? (popularity.facts.neighbours ?? []) : []
  return [
    ...(override?.list ? [override.list.id] : []),
    ...near.flatMap(({ name, entry }) => (entry !== undefined && imitated.has(name) ? [entry] : [])),
  ]
}

/** A URL that leads to a blocked target is blocked as well; the first hop counts. */
async function withBlockedHop(
  { redirects }: Snapshot,
  override: Override | null,
  lists: ListMatcher,
  at: number,
): Promise<Override | null> {
  if (!redirects || override?.list?.list === 'block') return override
  // Put there by `assess.ts`, from `normalise`.
  const found = await Promise.all(redirects.hops.map((hop) => lists.overrideFor(hop.target as Target, null, at)))
  return found.find((each) => each?.list?.list === 'block') ?? override
}

/** Brands in the place of those that the snapshot has; the same one when they are equal. */
function withBrands(snapshot: Snapshot, brands: readonly PopularNeighbour[], engine: Pick<Engine, 'snapshotOf'>): Snapshot {
  const { popularity } = snapshot.sources
  if (popularity.status !== 'ok') return snapshot
  const { neighbours = [], ranks } = popularity.facts
  const others = neighbours.filter(({ entry }) => entry === undefined)
  const before = neighbours.filter(({ entry }) => entry !== undefined)
  // Names with a rank of their own imitate nobody.
  const wanted = ranks.length > 0 ? [] : brands
  if (idsOf(before) === idsOf(wanted)) return snapshot
  const evidence = { ...popularity, facts: { ...popularity.facts, neighbours: [...wanted, ...others] } }
  const rest = listEvidence(snapshot).filter(({ source }) => source !== 'popularity')
  const { host, collectedAt, redirects } = snapshot
  return engine.snapshotOf(host, collectedAt, [...rest, { source: 'popularity', evidence }], redirects)
}

const idsOf = (neighbours: readonly PopularNeighbour[]): string =>
  neighbours
    .map(({ entry, name }) => `${entry} ${name}`)
    .sort()
    .join(',')
