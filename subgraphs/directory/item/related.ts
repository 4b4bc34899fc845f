import { comparePositions } from '../../toolkit/connection.ts'
import { type Item, UNCATEGORIZED } from './item.ts'
import { listPosition } from './order.ts'

/**
 * Finds what has most in common with an item: most alike first, then most stars, then by kind and
 * place in its list.
 */
export type Related = (item: Item, max: number) => Item[]

/** A tag that more items have says little about any, and following it would take long. */
const MAX_TAG_ITEMS = 400
/**
 * In units of a tag's weight, which is 2 to 9: who made it says as much as a common tag, a category
 * half of that, and less than the kind of thing.
 */
const SAME_OWNER = 2
const SAME_CATEGORY = 1
const SAME_KIND = 0.5

/**
 * Prepares the answers for these items: by rare tags first, as the weight of a tag is the logarithm
 * of how rare it is.
 */
export function relatedAmong(items: readonly Item[]): Related {
  const byTag = grouped(items, ({ tags }) => tags)
  const byOwner = grouped(items, (item) => [ownerOf(item)])
  const byCategory = grouped(items, ({ category }) => (category === UNCATEGORIZED ? [] : [category]))
  for (const group of byCategory.values()) group.sort(byStars)

  return (item, max) => {
    const scores = new Map<Item, number>()
    const add = (group: readonly Item[], weight: number) => {
      for (const other of group) if (other !== item) scores.set(other, (scores.get(other) ?? 0) + weight)
    }
    for (const tag of item.tags) {
      const group = byTag.get(tag) ?? []
      if (group.length <= MAX_TAG_ITEMS) add(group, Math.log(items.length / group.length))
    }
    const owned = byOwner.get(ownerOf(item)) ?? []
    if (owned.length <= MAX_TAG_ITEMS) add(owned, SAME_OWNER)
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
    const others = (byCategory.get(item.category) ?? []).filter((other) => other !== item && !scores.has(other))
    return [...found, ...others.slice(0, max - found.length)]
  }
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

function grouped(items: readonly Item[], valuesOf: (item: Item) => readonly string[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    for (const value of valuesOf(item)) {
      const group = groups.get(value)
      if (group) group.push(item)
      else groups.set(value, [item])
    }
  }
  return groups
}
