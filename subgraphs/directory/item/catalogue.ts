import type { Position } from '../../toolkit/cursor.ts'
import { CHEAP, createPace, type Pace } from '../word-index/pace.ts'
import { changedList, sortedBy } from '../word-index/sorted-list.ts'
import {
  buildWordIndex,
  changedWordIndex,
  type Indexed,
  type RecordChange,
  unusedWords,
  type WordIndex,
} from '../word-index/word-index.ts'
import type { DirectoryKind, Item, ItemOf } from './item.ts'
import { type ItemChange, type ItemNumbers, itemNumbers } from './item-numbers.ts'
import { listPosition } from './order.ts'
import { type QualityColumns, qualityColumns, setQuality } from './quality.ts'
import { changedGroups, type ItemGroups, itemGroups } from './related.ts'
import type { CatalogueChanges, CatalogueSnapshot, Revision } from './repository.ts'
import { descriptionHash } from './similar.ts'
import { type Sort, sortOrder } from './sort.ts'

/**
 * One state of the directory, in memory and immutable: 7,000 items take about 40 MB with their
 * index. Whole items and not only what lists show: a second way to the same values would have to be
 * kept in step with this one, and would be slower.
 */
export type Catalogue = {
  readonly revision: Revision
  readonly counts: CatalogueSnapshot['counts']
  /** How many items there are. */
  readonly size: number
  /** The items of a kind in the order of its list. */
  readonly list: <Kind extends DirectoryKind>(kind: Kind) => readonly ItemOf<Kind>[]
  /** The item with this natural key, compared without regard to case; null when there is none. */
  readonly byKey: <Kind extends DirectoryKind>(kind: Kind, key: string) => ItemOf<Kind> | null
  /** The item of this row; null when it is gone. */
  readonly byId: <Kind extends DirectoryKind>(kind: Kind, id: string) => ItemOf<Kind> | null
  /** Items by their number in `words`; undefined for one that is gone. */
  readonly items: readonly (Item | undefined)[]
  readonly words: WordIndex
  /** The last imported first, equal times by kind and key; at most 100. */
  readonly newest: () => readonly Item[]
  readonly groups: ItemGroups
  /** By number: equal ones are most likely copies; 0 for none. */
  readonly descriptionHashes: Uint32Array
  /** By number: what a search adds to how well the words of an item match. */
  readonly quality: QualityColumns
  /** The items of a kind in another order; sorted, with pauses, when it is first needed. */
  readonly sorted: <Kind extends DirectoryKind>(kind: Kind, sort: Sort) => Promise<readonly ItemOf<Kind>[]>
  /** What the next version is made from. */
  readonly parts: CatalogueParts
}

type Lists = Readonly<Record<DirectoryKind, readonly Item[]>>

type CatalogueParts = {
  readonly lists: Lists
  /** Lists in other orders, by kind and order: at most one for each of three kinds and four orders. */
  readonly sorts: Map<string, Promise<readonly Item[]>>
  readonly numbers: ItemNumbers
}

type Fields = Pick<Catalogue, 'revision' | 'counts' | 'items' | 'words' | 'groups' | 'descriptionHashes' | 'quality'> &
  CatalogueParts

/** Items of `newest`. */
const MAX_NEWEST = 100
/** Items that are only looked at between two offers to pause. */
const PAUSE_ENTRIES = 10_000
/** More changes than this share of all items: everything is built anew. */
const MAX_CHANGED_SHARE = 0.2
/** With more words than this, and than half of all, that no item has any longer: built anew as well. */
const MAX_UNUSED_WORDS = 20_000

/** Builds the catalogue of a snapshot, in slices that let requests through. */
export async function catalogueOf({ revision, items, counts }: CatalogueSnapshot, pace: Pace = createPace()): Promise<Catalogue> {
  const lists: Record<DirectoryKind, Item[]> = { MCP_SERVER: [], PLUGIN: [], SKILL: [] }
  const descriptionHashes = new Uint32Array(items.length)
  const quality = qualityColumns(items.length)
  for (const [number, item] of items.entries()) {
    lists[item.kind].push(item)
    descriptionHashes[number] = descriptionHash(item)
    setQuality(quality, number, item)
    const pause = pace(CHEAP * 4)
    if (pause) await pause
  }
  return withLookups({
    revision,
    counts,
    items,
    words: await buildWordIndex(indexedItems(items), pace),
    groups: await itemGroups(items, pace),
    descriptionHashes,
    quality,
    lists: {
      MCP_SERVER: await sortedBy(lists.MCP_SERVER, listPosition, pace),
      PLUGIN: await sortedBy(lists.PLUGIN, listPosition, pace),
      SKILL: await sortedBy(lists.SKILL, listPosition, pace),
    },
    sorts: new Map(),
    numbers: await itemNumbers(items, pace),
  })
}

/** What is stored of a catalogue: the rest follows from it. */
type StoredCatalogue = Pick<Fields, 'revision' | 'counts' | 'items' | 'words' | 'groups' | 'descriptionHashes' | 'quality'> & {
  /** Numbers of the items of a kind in the order of its list. */
  readonly places: Readonly<Record<DirectoryKind, Uint32Array>>
}

/** What is to be stored of a catalogue, with which `restoredCatalogue` makes it again; in slices. */
export async function storedPartsOf(catalogue: Catalogue, pace: Pace): Promise<StoredCatalogue> {
  const { items } = catalogue
  const { lists, numbers } = catalogue.parts
  const placesOf = async (kind: DirectoryKind): Promise<Uint32Array> => {
    const places = new Uint32Array(lists[kind].length)
    for (const [place, { id }] of lists[kind].entries()) {
      places[place] = numbers.ofId(id, items) ?? 0
      const pause = pace(CHEAP / 4)
      if (pause) await pause
    }
    return places
  }
  const places = {
    MCP_SERVER: await placesOf('MCP_SERVER'),
    PLUGIN: await placesOf('PLUGIN'),
    SKILL: await placesOf('SKILL'),
  }
  return { ...catalogue, places }
}

/** The catalogue of parts that one had before, in slices. */
export async function restoredCatalogue({ places, ...stored }: StoredCatalogue, pace: Pace): Promise<Catalogue> {
  const { items } = stored
  // Lists name items that are there.
  const listOf = (kind: DirectoryKind): Item[] => Array.from(places[kind], (number) => items[number] as Item)
  return withLookups({
    ...stored,
    lists: { MCP_SERVER: listOf('MCP_SERVER'), PLUGIN: listOf('PLUGIN'), SKILL: listOf('SKILL') },
    sorts: new Map(),
    numbers: await itemNumbers(items, pace),
  })
}

/** So many items may be other ones for `changedCatalogue`. */
export const maxChanges = ({ size }: Pick<Catalogue, 'size'>): number => Math.max(1_000, size * MAX_CHANGED_SHARE)

/**
 * The catalogue with changed items, as if it were built anew. Costs what the changes cost, and
 * copies of arrays, in slices; items keep their numbers. Null when there are so many changes, or
 * words of items that are gone, that all is to be read anew.
 */
export async function changedCatalogue(
  catalogue: Catalogue,
  { revision, counts, items: changed, removedIds }: CatalogueChanges,
  pace: Pace = createPace(),
): Promise<Catalogue | null> {
  if (changed.length + removedIds.length > maxChanges(catalogue)) return null
  if ((await unusedWords(catalogue.words, pace)) > Math.max(MAX_UNUSED_WORDS, catalogue.words.words.length / 2)) return null
  const { numbers, sorts, lists } = catalogue.parts
  const items = [...catalogue.items]
  const free = await freeNumbers(items, items.length - catalogue.size, pace)
  const changes = new Map<number, ItemChange>()
  for (const id of removedIds) {
    const number = numbers.ofId(id, catalogue.items)
    if (number !== undefined) changes.set(number, { before: items[number] ?? null, after: null })
  }
  for (const item of changed) {
    const number = numbers.ofId(item.id, catalogue.items) ?? free.pop() ?? items.length
    changes.set(number, { before: items[number] ?? null, after: item })
    items[number] = item
  }
  const records = new Map<number, RecordChange>()
  const descriptionHashes = new Uint32Array(items.length)
  descriptionHashes.set(catalogue.descriptionHashes)
  // New memory costs more than what is copied into it.
  await pace(items.length * (CHEAP / 50))
  const quality = qualityColumns(items.length, catalogue.quality)
  await pace(items.length * (CHEAP / 50))
  for (const [number, { before, after }] of changes) {
    items[number] = after ?? undefined
    descriptionHashes[number] = after ? descriptionHash(after) : 0
    if (after) setQuality(quality, number, after)
    records.set(number, { before: before && indexedOf(before), after: after && indexedOf(after) })
    const pause = pace(CHEAP * 10)
    if (pause) await pause
  }
  return withLookups({
    revision,
    counts,
    items,
    words: await changedWordIndex(catalogue.words, records, pace),
    groups: await changedGroups(catalogue.groups, changes, pace),
    descriptionHashes,
    quality,
    lists: {
      MCP_SERVER: await changedOfKind(lists.MCP_SERVER, 'MCP_SERVER', listPosition, changes, pace),
      PLUGIN: await changedOfKind(lists.PLUGIN, 'PLUGIN', listPosition, changes, pace),
      SKILL: await changedOfKind(lists.SKILL, 'SKILL', listPosition, changes, pace),
    },
    sorts: await changedSorts(sorts, changes, pace),
    numbers: await numbers.with(changes, items, pace),
  })
}

/** Numbers of items that are gone, ascending; `count` of them. */
async function freeNumbers(items: readonly (Item | undefined)[], count: number, pace: Pace): Promise<number[]> {
  const free: number[] = []
  for (let number = 0; number < items.length && free.length < count; number += 1) {
    if (items[number] === undefined) free.push(number)
    if (number % PAUSE_ENTRIES === 0) await pace(PAUSE_ENTRIES * (CHEAP / 50))
  }
  return free
}

function withLookups(fields: Fields): Catalogue {
  const { revision, counts, items, words, groups, descriptionHashes, quality, ...parts } = fields
  const { lists, sorts, numbers } = parts
  let newest: readonly Item[] | null = null
  return {
    revision,
    counts,
    size: lists.MCP_SERVER.length + lists.PLUGIN.length + lists.SKILL.length,
    items,
    words,
    groups,
    descriptionHashes,
    quality,
    parts,
    newest: () => {
      newest ??= newestOf(items)
      return newest
    },
    // The kind decides the type of the items.
    sorted: (kind, sort) => {
      const known = sorts.get(`${kind} ${sort}`) ?? sortedBy(lists[kind], sortOrder(kind, sort).positionOf, createPace())
      sorts.set(`${kind} ${sort}`, known)
      // The kind in the key or list decides the type of the item.
      return known as never
    },
    // The kind in the key or list decides the type of the item.
    list: (kind) => lists[kind] as never,
    byKey: (kind, key) => {
      const number = numbers.ofKey(kind, key, items)
      // The kind in the key or list decides the type of the item.
      return (number === undefined ? null : (items[number] ?? null)) as never
    },
    byId: (kind, id) => {
      const number = numbers.ofId(id, items)
      const item = number === undefined ? undefined : items[number]
      // The kind in the key or list decides the type of the item.
      return (item?.kind === kind ? item : null) as never
    },
  }
}

async function changedOfKind(
  list: readonly Item[],
  kind: DirectoryKind,
  positionOf: (item: Item) => Position,
  changes: ReadonlyMap<number, ItemChange>,
  pace: Pace,
): Promise<readonly Item[]> {
  const ofKind = (item: Item | null): readonly Item[] => (item?.kind === kind ? [item] : [])
  const removed = [...changes.values()].flatMap(({ before }) => ofKind(before))
  const added = [...changes.values()].flatMap(({ after }) => ofKind(after))
  return changedList(list, { removed, added }, positionOf, pace)
}

/** Orders that somebody wanted before, brought up to date. */
async function changedSorts(
  sorts: CatalogueParts['sorts'],
  changes: ReadonlyMap<number, ItemChange>,
  pace: Pace,
): Promise<CatalogueParts['sorts']> {
  const next = new Map<string, Promise<readonly Item[]>>()
  for (const [name, list] of sorts) {
    // `sorted` makes the names.
    const [kind, sort] = name.split(' ') as [DirectoryKind, Sort]
    next.set(name, Promise.resolve(await changedOfKind(await list, kind, sortOrder(kind, sort).positionOf, changes, pace)))
  }
  return next
}

const newestFirst = (one: Item, other: Item): number =>
  other.createdAt.getTime() - one.createdAt.getTime() ||
  (one.kind < other.kind ? -1 : one.kind > other.kind ? 1 : one.key < other.key ? -1 : 1)

/** One pass; a sort of all would take a hundred times as long. */
function newestOf(items: readonly (Item | undefined)[]): readonly Item[] {
  let newest: Item[] = []
  let oldest = Number.NEGATIVE_INFINITY
  for (const item of items) {
    if (!item || item.createdAt.getTime() < oldest) continue
    newest.push(item)
    if (newest.length < MAX_NEWEST * 10) continue
    newest = newest.sort(newestFirst).slice(0, MAX_NEWEST)
    oldest = newest.at(-1)?.createdAt.getTime() ?? oldest
  }
  return newest.sort(newestFirst).slice(0, MAX_NEWEST)
}

/** What search reads of an item. */
const indexedOf = (item: Item): Indexed => ({
  labels: labelsOf(item),
  tags: [...item.tags, item.category, ...ownersOf(item)],
  tools: item.kind === 'MCP_SERVER' ? (item.toolNames ?? []) : [],
  text: item.description,
})

function* indexedItems(items: readonly Item[]): Iterable<Indexed> {
  for (const item of items) yield indexedOf(item)
}

/** What people call it. */
function labelsOf(item: Item): string[] {
  const [own = item.key] = item.key.split('/').slice(-1)
  return item.kind === 'MCP_SERVER' ? [item.name, own, item.key] : [item.name, own]
}

/** Who made it or lists it. */
const ownersOf = (item: Item): string[] =>
  item.kind === 'MCP_SERVER' ? [item.owner] : item.kind === 'PLUGIN' ? [item.marketplaceSlug, ...item.ecosystems] : []
