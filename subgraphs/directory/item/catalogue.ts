import { comparePositions } from '../../toolkit/connection.ts'
import { buildWordIndex, type WordIndex } from '../word-index/word-index.ts'
import type { DirectoryKind, Item, ItemOf } from './item.ts'
import { listPosition } from './order.ts'
import { type Related, relatedAmong } from './related.ts'
import type { CatalogueSnapshot, Revision } from './repository.ts'
import { type SimilarGroups, similarGroups } from './similar.ts'
import { type Sort, sortOrder } from './sort.ts'

/**
 * One state of the directory, in memory and immutable: 7,000 items take about 40 MB with their
 * index. Whole items and not only what lists show: a second way to the same values would have to be
 * kept in step with this one, and would be slower.
 */
export type Catalogue = {
  readonly revision: Revision
  readonly counts: CatalogueSnapshot['counts']
  /** The items of a kind in the order of its list. */
  readonly list: <Kind extends DirectoryKind>(kind: Kind) => readonly ItemOf<Kind>[]
  /** Index of an item in its list. */
  readonly listIndex: (item: Item) => number
  /** The item with this natural key, compared without regard to case; null when there is none. */
  readonly byKey: <Kind extends DirectoryKind>(kind: Kind, key: string) => ItemOf<Kind> | null
  /** The item of this row; null when it is gone. */
  readonly byId: <Kind extends DirectoryKind>(kind: Kind, id: string) => ItemOf<Kind> | null
  /** Every item, numbered as in `words`. */
  readonly items: readonly Item[]
  readonly words: WordIndex
  /** First imported last, first; equal times by kind and key. */
  readonly newest: readonly Item[]
  readonly related: Related
  /** Forks and copies. */
  readonly similar: SimilarGroups
  /** The items of a kind in another order; sorted when it is first needed. */
  readonly sorted: <Kind extends DirectoryKind>(kind: Kind, sort: Sort) => readonly ItemOf<Kind>[]
}

/** Builds the catalogue of a snapshot, in slices that let requests through. */
export async function catalogueOf({ revision, items, counts }: CatalogueSnapshot): Promise<Catalogue> {
  const lists: Record<DirectoryKind, Item[]> = { MCP_SERVER: [], PLUGIN: [], SKILL: [] }
  const keys = new Map<string, Item>()
  const ids = new Map<string, Item>()
  const indexes = new Map<Item, number>()
  for (const item of items) {
    lists[item.kind].push(item)
    keys.set(`${item.kind} ${item.key.toLowerCase()}`, item)
    ids.set(item.id, item)
  }
  for (const list of Object.values(lists)) {
    const positions = new Map(list.map((item) => [item, listPosition(item)]))
    list.sort((one, other) => comparePositions(positions.get(one) ?? [], positions.get(other) ?? []))
    for (const [index, item] of list.entries()) indexes.set(item, index)
  }
  const words = await buildWordIndex(
    items.map((item) => ({
      labels: labelsOf(item),
      tags: [...item.tags, item.category, ...ownersOf(item)],
      tools: item.kind === 'MCP_SERVER' ? (item.toolNames ?? []) : [],
      text: item.description,
    })),
  )
  return {
    revision,
    counts,
    items,
    words,
    newest: [...items].sort(newestFirst),
    related: relatedAmong(items),
    similar: similarGroups(items),
    // The kind decides the type of the items.
    sorted: sortedBy((kind) => lists[kind]) as never,
    // The kind in the key or list decides the type of the item.
    list: (kind) => lists[kind] as never,
    listIndex: (item) => indexes.get(item) ?? 0,
    // The kind in the key or list decides the type of the item.
    byKey: (kind, key) => (keys.get(`${kind} ${key.toLowerCase()}`) ?? null) as never,
    byId: (kind, id) => {
      const item = ids.get(id)
      // The kind in the key or list decides the type of the item.
      return (item?.kind === kind ? item : null) as never
    },
  }
}

/** Keeps at most one list for each of three kinds and four orders. */
function sortedBy(list: (kind: DirectoryKind) => readonly Item[]): (kind: DirectoryKind, sort: Sort) => readonly Item[] {
  const sorted = new Map<string, readonly Item[]>()
  return (kind, sort) => {
    const known = sorted.get(`${kind} ${sort}`)
    if (known) return known
    const { positionOf } = sortOrder(kind, sort)
    const positions = new Map(list(kind).map((item) => [item, positionOf(item)]))
    const made = list(kind).toSorted((one, other) => comparePositions(positions.get(one) ?? [], positions.get(other) ?? []))
    sorted.set(`${kind} ${sort}`, made)
    return made
  }
}

const newestFirst = (one: Item, other: Item): number =>
  other.createdAt.getTime() - one.createdAt.getTime() ||
  (one.kind < other.kind ? -1 : one.kind > other.kind ? 1 : one.key < other.key ? -1 : 1)

/** What people call it. */
function labelsOf(item: Item): string[] {
  const [own = item.key] = item.key.split('/').slice(-1)
  return item.kind === 'MCP_SERVER' ? [item.name, own, item.key] : [item.name, own]
}

/** Who made it or lists it. */
const ownersOf = (item: Item): string[] =>
  item.kind === 'MCP_SERVER' ? [item.owner] : item.kind === 'PLUGIN' ? [item.marketplaceSlug, ...item.ecosystems] : []
