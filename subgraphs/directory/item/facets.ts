/** A value and how many have it. */
export type FacetValue = { readonly value: string; readonly count: number }

/** Counts of lists that live as long as their catalogue, by list and reader. */
const COUNTED = new WeakMap<readonly unknown[], WeakMap<object, readonly FacetValue[]>>()

/**
 * Counts the values of `items`, most frequent first, then by value; at most `max`. Counted once for
 * a list and a reader of its values.
 */
export function facet<T>(
  items: readonly T[],
  valuesOf: (item: T) => readonly string[],
  max = Number.POSITIVE_INFINITY,
): FacetValue[] {
  const ofList = COUNTED.get(items) ?? new WeakMap<object, readonly FacetValue[]>()
  COUNTED.set(items, ofList)
  const known = ofList.get(valuesOf) ?? countValues(items, valuesOf)
  ofList.set(valuesOf, known)
  return known.slice(0, max)
}

function countValues<T>(items: readonly T[], valuesOf: (item: T) => readonly string[]): readonly FacetValue[] {
  const counts = new Map<string, number>()
  for (const item of items) for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
}

/** Tags that a facet lists: a page has no room for more, and most tags occur once. */
export const MAX_FACET_TAGS = 20
