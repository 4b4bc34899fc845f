import type { FetchNode } from '@apollo/query-planner'
import { createTables, type IdentityOf, identityByKeys, type TablesByKind, tableFor } from './entity-identity.ts'
import type { PathSegment } from './flatten-path.ts'
import { type SelectedFields, selectedBelow } from './merge.ts'
import { type PlannedFetch, pathText } from './planned-fetch.ts'
import { type Data, isData } from './response-data.ts'

/**
 * A path to entities of which one fetch selects only leaves, and for which later fetches run. When
 * that fetch completes, equal entities there become one object, so that later fetches write it once
 * and it is projected once.
 */
export type SharedPath = {
  /** Path from the root as text. */
  readonly name: string
  /** Path from the fetch's objects. */
  readonly segments: readonly PathSegment[]
  /** Identity by all fields that the fetch selects. */
  readonly identity: IdentityOf
}

/**
 * Shared paths of each fetch. None when the plan has type conditions, since two fetches could
 * select different fields under one key of equal objects; none when a fetch has contextual
 * arguments, which may differ for equal objects. A path that two fetches write is never shared,
 * because the second fetch's values may differ for equal objects.
 */
export function findSharedPaths(fetches: readonly PlannedFetch[]): ReadonlyMap<FetchNode, readonly SharedPath[]> {
  const shared = new Map<FetchNode, SharedPath[]>()
  if (fetches.some(({ node, path }) => node.contextRewrites || path.some(({ types }) => types))) return shared
  const paths = new Map(fetches.flatMap(({ node, path }) => (node.requires ? [[pathText(path), path] as const] : [])))
  for (const [name, path] of paths) {
    const writers = fetches.flatMap((fetch) => {
      const selected = selectedAt(fetch, path)
      return selected ? [{ fetch, selected }] : []
    })
    const [writer, other] = writers
    if (!writer || other || !path.some(({ key }) => key === null)) continue
    const { fetch, selected } = writer
    const keys = selected.map(({ key }) => key).filter((key) => key !== '__typename')
    if (keys.length === selected.length || selected.some(({ below }) => below)) continue
    const all = shared.get(fetch.node) ?? []
    all.push({ name, segments: path.slice(fetch.path.length), identity: identityByKeys(keys) })
    shared.set(fetch.node, all)
  }
  return shared
}

/** Fields that a fetch selects for the objects at a path below its own; null for none. */
function selectedAt({ selected, path: own }: PlannedFetch, path: readonly PathSegment[]): SelectedFields | null {
  if (own.length >= path.length || own.some(({ key }, index) => path[index]?.key !== key)) return null
  let fields: SelectedFields | null = selected
  for (const { key } of path.slice(own.length)) if (key !== null) fields = fields && selectedBelow(fields, key)
  return fields
}

/** Distinct objects found so far in order, and the first object by type and identity. */
type Distinct = { readonly objects: Data[]; readonly firsts: TablesByKind<string, Data> }

/**
 * Replaces equal objects at a path by the first of them and returns the distinct objects in order.
 * An object without a type name or an identity stays separate. The path has at least one segment
 * and no type conditions.
 */
export function deduplicateEntities(
  starts: readonly Data[],
  segments: readonly PathSegment[],
  identity: IdentityOf,
): readonly Data[] {
  const distinct: Distinct = { objects: [], firsts: createTables() }
  for (const start of starts) deduplicateIn(start, segments, 0, identity, distinct)
  return distinct.objects
}

function deduplicateIn(
  value: unknown,
  segments: readonly PathSegment[],
  at: number,
  identity: IdentityOf,
  distinct: Distinct,
): void {
  // The caller's index is below the length.
  const { key } = segments[at] as PathSegment
  const isLast = at === segments.length - 1
  if (key !== null) {
    if (!isData(value)) return
    const next = value[key]
    if (!isLast) {
      deduplicateIn(next, segments, at + 1, identity, distinct)
    } else if (isData(next)) {
      const first = firstEqual(next, identity, distinct)
      if (first !== next) value[key] = first
    }
  } else if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (!isLast) deduplicateIn(item, segments, at + 1, identity, distinct)
      else if (isData(item)) value[index] = firstEqual(item, identity, distinct)
    }
  }
}

function firstEqual(object: Data, identity: IdentityOf, distinct: Distinct): Data {
  const typename = object.__typename
  if (typeof typename === 'string') {
    const own = identity(object)
    if (own !== null) {
      const firsts = tableFor(distinct.firsts, typename)
      const first = firsts.get(own)
      if (first) return first
      firsts.set(own, object)
    }
  }
  distinct.objects.push(object)
  return object
}
