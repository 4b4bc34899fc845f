/** A value and how many have it. */
export type FacetValue = { readonly value: string; readonly count: number }

/** Counts the values of `items`, most frequent first, then by value; at most `most`. */
export function facet<T>(
  items: readonly T[],
  valuesOf: (item: T) => readonly string[],
  max = Number.POSITIVE_INFINITY,
): FacetValue[] {
  const counts = new Map<string, number>()
  for (const item of items) for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, max)
}

/** Tags that a facet lists: a page has no room for more, and most tags occur once. */
export const MAX_FACET_TAGS = 20
