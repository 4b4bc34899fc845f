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
 * A sorted list without some of its elements and with others, with pauses. Its cost is that of the
 * changes, and of one copy of pointers.
 */
export async function changedList<Element>(
  list: readonly Element[],
  { removed, added }: { readonly removed: readonly Element[]; readonly added: readonly Element[] },
  positionOf: PositionOf<Element>,
  pace: Pace,
): Promise<readonly Element[]> {
  if (removed.length + added.length === 0) return list
  const cuts: number[] = []
  for (const element of await sortedBy(removed, positionOf, pace)) {
    cuts.push(indexAt(list, positionOf(element), positionOf))
    const pause = pace(CHEAP * 2)
    if (pause) await pause
  }
  const next: Element[] = []
  let [start, cut] = [0, 0]
  /** Copies up to `end`, without what is cut out; also what stands there, when that is. */
  const copyUpTo = async (end: number): Promise<void> => {
    for (let at = cuts[cut]; at !== undefined && at <= end; at = cuts[cut]) {
      await copy(at)
      start = Math.max(start, at + 1)
      cut += 1
    }
    await copy(end)
  }
  const copy = async (end: number): Promise<void> => {
    for (; start < end; start += 1) {
      next.push(list[start] as Element)
      if (start % RUN_LENGTH === 0) await pace(RUN_LENGTH * (CHEAP / 20))
    }
  }
  // An element that takes the place of another stands before what follows both.
  for (const element of await sortedBy(added, positionOf, pace)) {
    await copyUpTo(indexAt(list, positionOf(element), positionOf))
    next.push(element)
    const pause = pace(CHEAP * 2)
    if (pause) await pause
  }
  await copyUpTo(list.length)
  return next
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
