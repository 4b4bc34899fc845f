/**
 * The first elements in an order, sorted, without sorting the others. Costs one comparison for most
 * elements, where `max` is small.
 */
export function firstOf<Element>(
  elements: Iterable<Element>,
  max: number,
  compare: (one: Element, other: Element) => number,
): readonly Element[] {
  if (max <= 0) return []
  let first: Element[] = []
  let bound: Element | null = null
  const cut = (): void => {
    first = first.sort(compare).slice(0, max)
    bound = first.length === max ? (first.at(-1) ?? null) : null
  }
  for (const element of elements) {
    if (bound !== null && compare(element, bound) >= 0) continue
    first.push(element)
    // Twice as many and some more: each cut is paid for by as many elements.
    if (first.length >= max * 2 + 64) cut()
  }
  cut()
  return first
}
