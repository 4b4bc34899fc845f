import type { Item } from './item.ts'

/** Shorter descriptions are the same by chance. */
const MIN_DESCRIPTION_LENGTH = 40

/** The group of each item that shares its kind and description with others; most are in none. */
export type SimilarGroups = ReadonlyMap<Item, number>

/** Forks and copies, whose authors left the description as it was. */
export function similarGroups(items: readonly Item[]): SimilarGroups {
  const byDescription = new Map<string, Item[]>()
  for (const item of items) {
    if (item.description.length < MIN_DESCRIPTION_LENGTH) continue
    const key = `${item.kind} ${item.description.toLowerCase()}`
    const group = byDescription.get(key)
    if (group) group.push(item)
    else byDescription.set(key, [item])
  }
  const groups = new Map<Item, number>()
  let number = 0
  for (const group of byDescription.values()) {
    if (group.length === 1) continue
    for (const item of group) groups.set(item, number)
    number += 1
  }
  return groups
}

/** The first of each group in this order, and how many others it stands for. */
export function groupSimilar<Result extends { readonly item: Item }>(
  results: readonly Result[],
  groups: SimilarGroups,
): readonly (Result & { readonly similarCount: number })[] {
  const counts = new Map<number, number>()
  for (const { item } of results) {
    const group = groups.get(item)
    if (group !== undefined) counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const seen = new Set<number>()
  return results.flatMap((result) => {
    const group = groups.get(result.item)
    if (group === undefined) return [{ ...result, similarCount: 0 }]
    if (seen.has(group)) return []
    seen.add(group)
    return [{ ...result, similarCount: (counts.get(group) ?? 1) - 1 }]
  })
}
