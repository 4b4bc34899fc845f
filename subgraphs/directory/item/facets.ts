import { firstOf } from '../../toolkit/first-of.ts'
import { CHEAP, createPace } from '../word-index/pace.ts'
import { countsAt, type ValueReader, valueColumn } from './value-column.ts'

/** A value and how many have it. */
export type FacetValue = { readonly value: string; readonly count: number }

type Counted = WeakMap<object, Promise<FacetValue[]>>
/** Counts of lists that live as long as their catalogue, by list and reader. */
const COUNTED = new WeakMap<readonly unknown[], Counted>()

/**
 * Counts the values of `items`, with pauses, most frequent first, then by value; at most `max`.
 * Counted once for a list and a reader of its values, which always wants as many.
 */
export function facet<T>(
  items: readonly T[],
  valuesOf: (item: T) => readonly string[],
  max = Number.POSITIVE_INFINITY,
): Promise<FacetValue[]> {
  const ofList: Counted = COUNTED.get(items) ?? new WeakMap()
  COUNTED.set(items, ofList)
  const known = ofList.get(valuesOf) ?? countValues(items, valuesOf, max)
  ofList.set(valuesOf, known)
  return known
}

async function countValues<T>(items: readonly T[], valuesOf: (item: T) => readonly string[], max: number): Promise<FacetValue[]> {
  const pace = createPace()
  const counts = new Map<string, number>()
  for (const item of items) {
    for (const value of valuesOf(item)) counts.set(value, (counts.get(value) ?? 0) + 1)
    const pause = pace(CHEAP)
    if (pause) await pause
  }
  return firstValues(
    [...counts].map(([value, count]) => ({ value, count })),
    max,
  )
}

/** As `facet`, of the items at these places of a list; only the first request of a list reads the items. */
export async function facetAt<T>(
  list: readonly T[],
  places: Uint32Array,
  valuesOf: ValueReader<T>,
  max = Number.POSITIVE_INFINITY,
): Promise<FacetValue[]> {
  const column = await valueColumn(list, valuesOf)
  const counted: FacetValue[] = []
  for (const [number, count] of countsAt(column, places).entries())
    if (count > 0) counted.push({ value: column.values[number] as string, count })
  return firstValues(counted, max)
}

const firstValues = (values: FacetValue[], max: number): FacetValue[] =>
  max < values.length ? [...firstOf(values, max, byCount)] : values.sort(byCount)

const byCount = (one: FacetValue, other: FacetValue): number => other.count - one.count || (one.value < other.value ? -1 : 1)

/** Tags that a facet lists: a page has no room for more, and most tags occur once. */
export const MAX_FACET_TAGS = 20
