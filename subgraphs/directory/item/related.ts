import { type LayeredMap, layeredMap } from '../../../platform/collections/layered-map.ts'
import { comparePositions } from '../../toolkit/connection.ts'
import { firstOf } from '../../toolkit/first-of.ts'
import { CHEAP, type Pace } from '../word-index/pace.ts'
import { type Item, UNCATEGORIZED } from './item.ts'
import { listPosition } from './order.ts'

/** A tag that more items have says little about any, and following it would take long. */
const MAX_TAG_ITEMS = 400
/**
 * In units of a tag's weight, which is 2 to 9: who made it says as much as a common tag, a category
 * half of that, and less than the kind of thing.
 */
const SAME_OWNER = 2
const SAME_CATEGORY = 1
const SAME_KIND = 0.5

/** Numbers of items by what they have in common; of skills, which name none, by repository. */
export type ItemGroups = Readonly<Record<'byTag' | 'byOwner' | 'byCategory', LayeredMap<string, readonly number[]>>>

const VALUES: Readonly<Record<keyof ItemGroups, (item: Item) => readonly string[]>> = {
  byTag: ({ tags }) => tags,
  byOwner: (item) => [ownerOf(item)],
  byCategory: ({ category }) => (category === UNCATEGORIZED ? [] : [category]),
}

/** Groups these items, in slices. */
export async function itemGroups(items: readonly Item[], pace: Pace): Promise<ItemGroups> {
  const group = async (valuesOf: (item: Item) => readonly string[]) => {
    const groups = new Map<string, number[]>()
    for (const [number, item] of items.entries()) {
      for (const value of valuesOf(item)) {
        const known = groups.get(value)
        if (known) known.push(number)
        else groups.set(value, [number])
      }
      const pause = pace(CHEAP * 2)
      if (pause) await pause
    }
    return layeredMap<string, readonly number[]>(groups)
  }
  return { byTag: await group(VALUES.byTag), byOwner: await group(VALUES.byOwner), byCategory: await group(VALUES.byCategory) }
}

type Change = { readonly before: Item | null; readonly after: Item | null }

/** The groups with changed items, by their numbers. Only groups that an item enters or leaves are copied. */
export async function changedGroups(groups: ItemGroups, changes: ReadonlyMap<number, Change>, pace: Pace): Promise<ItemGroups> {
  const changed = async (name: keyof ItemGroups) => {
    const valuesOf = VALUES[name]
    const [leaving, entering] = [new Map<string, Set<number>>(), new Map<string, number[]>()]
    for (const [number, { before, after }] of changes) {
      const [had, has] = [new Set(before ? valuesOf(before) : []), new Set(after ? valuesOf(after) : [])]
      for (const value of had) if (!has.has(value)) leaving.set(value, (leaving.get(value) ?? new Set()).add(number))
      for (const value of has) if (!had.has(value)) entering.set(value, [...(entering.get(value) ?? []), number])
      const pause = pace(CHEAP * 5)
      if (pause) await pause
    }
    const next = new Map<string, readonly number[] | undefined>()
    for (const value of new Set([...leaving.keys(), ...entering.keys()])) {
      const known = groups[name].get(value) ?? []
      const left = leaving.get(value)
      const list = [...(left ? known.filter((number) => !left.has(number)) : known), ...(entering.get(value) ?? [])]
      next.set(value, list.length === 0 ? undefined : list)
      const pause = pace(CHEAP + known.length * (CHEAP / 10))
      if (pause) await pause
    }
    return next.size === 0 ? groups[name] : groups[name].with(next, (entries) => pace(entries * CHEAP))
  }
  return { byTag: await changed('byTag'), byOwner: await changed('byOwner'), byCategory: await changed('byCategory') }
}

type Grouped = { readonly items: readonly (Item | undefined)[]; readonly size: number; readonly groups: ItemGroups }

/**
 * What has most in common with an item: most alike first, then most stars, then by kind and place in
 * its list. By rare tags first, as the weight of a tag is the logarithm of how rare it is.
 */
export function relatedTo(item: Item, max: number, { items, size, groups }: Grouped): readonly Item[] {
  const membersOf = (name: keyof ItemGroups, value: string): readonly Item[] =>
    (groups[name].get(value) ?? []).flatMap((number) => items[number] ?? [])
  const scores = new Map<Item, number>()
  const add = (group: readonly Item[], weight: number) => {
    for (const other of group) if (other !== item) scores.set(other, (scores.get(other) ?? 0) + weight)
  }
  for (const tag of item.tags) {
    const count = groups.byTag.get(tag)?.length ?? 0
    if (count > 0 && count <= MAX_TAG_ITEMS) add(membersOf('byTag', tag), Math.log(size / count))
  }
  const owner = ownerOf(item)
  if ((groups.byOwner.get(owner)?.length ?? 0) <= MAX_TAG_ITEMS) add(membersOf('byOwner', owner), SAME_OWNER)
  for (const [other, score] of scores) {
    const isSameCategory = other.category === item.category && item.category !== UNCATEGORIZED
    scores.set(other, score + (isSameCategory ? SAME_CATEGORY : 0) + (other.kind === item.kind ? SAME_KIND : 0))
  }
  const found = [...scores]
    .sort(([one, a], [other, b]) => b - a || byStars(one, other))
    .slice(0, max)
    .map(([other]) => other)
  if (found.length === max) return found
  // Too few share a word with it: the best known of its category fill up.
  const others = membersOf('byCategory', item.category).filter((other) => other !== item && !scores.has(other))
  return [...found, ...firstOf(others, max - found.length, byStars)]
}

const byStars = (one: Item, other: Item): number =>
  other.popularity - one.popularity ||
  (one.kind < other.kind ? -1 : one.kind > other.kind ? 1 : comparePositions(listPosition(one), listPosition(other)))

/** Who made it, or lists it; skills say neither, but for the address of their repository. */
function ownerOf(item: Item): string {
  switch (item.kind) {
    case 'MCP_SERVER':
      return item.owner.toLowerCase()
    case 'PLUGIN':
      return `marketplace ${item.marketplaceSlug.toLowerCase()}`
    case 'SKILL':
      return item.repoUrl.split('/').slice(0, 5).join('/').toLowerCase()
  }
}
