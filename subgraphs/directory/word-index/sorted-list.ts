import { comparePositions } from '../../toolkit/connection.ts'
import type { Position } from '../../toolkit/cursor.ts'
import { CHEAP, type Pace } from './pace.ts'

type Placed<Element> = { readonly element: Element; readonly position: Position }
type PositionOf<Element> = (element: Element) => Position

/** Elements that are sorted at once: some 2 ms. */
const RUN_LENGTH = 1_000

const byPosition = (one: Placed<unknown>, other: Placed<unknown>): number => comparePositions(one.position, other.position)

/** Sorts by position, with pauses: runs of 1,000, merged two by two. */
export async function sortedBy<Element>(
  elements: readonly Element[],
  positionOf: PositionOf<Element>,
  pace: Pace,
): Promise<readonly Element[]> {
  let runs: Placed<Element>[][] = []
  for (let start = 0; start < elements.length; start += RUN_LENGTH) {
    const run = elements.slice(start, start + RUN_LENGTH).map((element) => ({ element, position: positionOf(element) }))
    runs.push(run.sort(byPosition))
    await pace(run.length * CHEAP * 2)
  }
  while (runs.length > 1) {
    const merged: Placed<Element>[][] = []
    for (let index = 0; index < runs.length; index += 2)
      merged.push(await mergedRuns(runs[index] ?? [], runs[index + 1] ?? [], pace))
    runs = merged
  }
  return (runs[0] ?? []).map(({ element }) => element)
}

async function mergedRuns<Element>(
  one: readonly Placed<Element>[],
  other: readonly Placed<Element>[],
  pace: Pace,
): Promise<Placed<Element>[]> {
  const merged: Placed<Element>[] = []
  let [left, right] = [0, 0]
  while (left < one.length || right < other.length) {
    const [a, b] = [one[left], other[right]]
    if (b === undefined || (a !== undefined && byPosition(a, b) <= 0)) {
      if (a) merged.push(a)
      left += 1
    } else {
      merged.push(b)
      right += 1
    }
    if (merged.length % RUN_LENGTH === 0) await pace(RUN_LENGTH * (CHEAP / 4))
  }
  return merged
}

/**
 * A sorted list without some of its elements and with others. Copies whole stretches: its cost is
 * that of the changes, and of one copy of pointers.
 */
export function changedList<Element>(
  list: readonly Element[],
  removed: readonly Element[],
  added: readonly Element[],
  positionOf: PositionOf<Element>,
): readonly Element[] {
  if (removed.length + added.length === 0) return list
  const cuts = [
    ...removed.map((element) => ({ at: indexAt(list, positionOf(element), positionOf), element: null })),
    ...added
      .map((element) => ({ element, position: positionOf(element) }))
      .sort(byPosition)
      .map(({ element, position }) => ({ at: indexAt(list, position, positionOf), element })),
  ]
    // An element that takes the place of another stands before what follows both.
    .map((cut, order) => ({ ...cut, order }))
    .sort((one, other) => one.at - other.at || one.order - other.order)
  const parts: (readonly Element[])[] = []
  let start = 0
  for (const { at, element } of cuts) {
    if (at > start) parts.push(list.slice(start, at))
    start = Math.max(start, at)
    if (element === null) start = at + 1
    else parts.push([element])
  }
  parts.push(list.slice(start))
  const none: readonly Element[] = []
  return none.concat(...parts)
}

/** Index of the first element that is not before this position. */
function indexAt<Element>(list: readonly Element[], position: Position, positionOf: PositionOf<Element>): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    // Between `low` and `high` there are elements.
    if (comparePositions(positionOf(list[middle] as Element), position) < 0) low = middle + 1
    else high = middle
  }
  return low
}
