import type { FetchNode, PlanNode } from '@apollo/query-planner'
import { type DocumentNode, parse } from 'graphql'
import { type Identity, identityBy } from './entity-identity.ts'
import { type Step, stepsOf } from './flatten-path.ts'
import { type Selected, selectedIn } from './merge.ts'
import { renamedKeys } from './rewrites.ts'

/** A fetch of a plan: what it asks, what that selects of each of its objects, and the way to them from the root. */
export type PlannedFetch = {
  readonly node: FetchNode
  readonly document: DocumentNode
  readonly selected: Selected
  readonly way: readonly Step[]
}

/**
 * A way to objects of which one fetch says no more than leaves, and about which others are asked then: those that are equal in these keys are made one object when the
 * fetch has its answer. Whatever is found out of them is put there once, and they are shaped once.
 */
export type Shared = {
  /** The way from the root, as text. */
  readonly name: string
  /** The way from the objects of the fetch. */
  readonly steps: readonly Step[]
  /** All that the fetch says of one. */
  readonly identity: Identity
}

/** The text by which a way from the root is known: keys, `@` for the items of a list. */
export const nameOf = (way: readonly Step[]): string => way.map(({ key }) => key ?? '@').join('.')

/** All fetches below a node of a plan. */
export function fetchesIn(node: PlanNode, way: readonly Step[] = []): readonly PlannedFetch[] {
  switch (node.kind) {
    case 'Fetch': {
      const document = parse(node.operation, { noLocation: true })
      const selected = selectedIn(document, renamedKeys(node.outputRewrites))
      return [{ node, document, selected: node.requires ? (below(selected, ENTITIES) ?? []) : selected, way }]
    }
    case 'Flatten':
      return fetchesIn(node.node, [...way, ...stepsOf(node.path)])
    case 'Sequence':
    case 'Parallel':
      return node.nodes.flatMap((each) => fetchesIn(each, way))
    case 'Condition':
      return [node.ifClause, node.elseClause].flatMap((each) => (each ? fetchesIn(each, way) : []))
    case 'Defer':
      return []
  }
}

/** `__typename` and the fields of all types stand below this one. */
export const ENTITIES = '_entities'

/**
 * What can be shared of what each fetch is answered. Nothing where a way of the plan goes on with objects of some types only: equal objects at two of its places may
 * then be asked different things under one key. And nothing of which two fetches speak: what the second says of one place is not said of another.
 */
export function sharedIn(fetches: readonly PlannedFetch[]): ReadonlyMap<FetchNode, readonly Shared[]> {
  const shared = new Map<FetchNode, Shared[]>()
  if (fetches.some(({ way }) => way.some(({ types }) => types))) return shared
  const ways = new Map(fetches.flatMap(({ node, way }) => (node.requires ? [[nameOf(way), way] as const] : [])))
  for (const [name, way] of ways) {
    const tellers = fetches.flatMap((fetch) => {
      const told = toldAt(fetch, way)
      return told ? [{ fetch, told }] : []
    })
    const [teller, other] = tellers
    if (!teller || other || !way.some(({ key }) => key === null)) continue
    const { fetch, told } = teller
    const keys = told.map(({ key }) => key).filter((key) => key !== '__typename')
    if (keys.length === told.length || told.some(({ below }) => below)) continue
    const all = shared.get(fetch.node) ?? []
    all.push({ name, steps: way.slice(fetch.way.length), identity: identityBy(keys) })
    shared.set(fetch.node, all)
  }
  return shared
}

/** What a fetch selects of the objects at a way that goes on from its own; null for nothing. */
function toldAt({ selected, way: own }: PlannedFetch, way: readonly Step[]): Selected | null {
  if (own.length >= way.length || own.some(({ key }, index) => way[index]?.key !== key)) return null
  let told: Selected | null = selected
  for (const { key } of way.slice(own.length)) if (key !== null) told = told && below(told, key)
  return told
}

const below = (selected: Selected, key: string): Selected | null => selected.find((each) => each.key === key)?.below ?? null
