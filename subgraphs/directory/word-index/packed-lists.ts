import { CHEAP, type Pace } from './pace.ts'

/** Lists of numbers, one after the other: hundreds of thousands of arrays would take more room than what they hold. */
export type PackedLists = {
  readonly data: Uint32Array
  /** Per list: index of its first number; the next list's is where they end. */
  readonly starts: Uint32Array
}

/** Lists between two offers to pause. */
const PAUSE_LISTS = 500
/** Numbers between two offers to pause; even. */
const PAUSE_NUMBERS = 20_000

/** Packs lists, in slices. */
export async function packLists(lists: readonly (readonly number[])[], pace: Pace): Promise<PackedLists> {
  const starts = new Uint32Array(lists.length + 1)
  for (let list = 0; list < lists.length; list += 1) starts[list + 1] = (starts[list] as number) + (lists[list]?.length ?? 0)
  const data = new Uint32Array(starts.at(-1) ?? 0)
  for (let list = 0; list < lists.length; list += 1) {
    data.set(lists[list] ?? [], starts[list])
    if (list % PAUSE_LISTS === 0) await pace(PAUSE_LISTS * CHEAP)
  }
  return { data, starts }
}

/** Numbers that are added pair by pair, in one array that doubles. */
export function growingNumbers() {
  let [data, length] = [new Uint32Array(1_024), 0]
  return {
    push(one: number, other: number): void {
      if (length + 2 > data.length) {
        const larger = new Uint32Array(data.length * 2)
        larger.set(data)
        data = larger
      }
      data[length] = one
      data[length + 1] = other
      length += 2
    },
    all: (): Uint32Array => data.subarray(0, length),
  }
}

/** Pairs of a list, below `count`, and a number in it, as lists with their numbers in the order of the pairs. */
export async function packPairs(pairs: Uint32Array, count: number, pace: Pace): Promise<PackedLists> {
  const starts = new Uint32Array(count + 1)
  for (let from = 0; from < pairs.length; from += PAUSE_NUMBERS) {
    const to = Math.min(pairs.length, from + PAUSE_NUMBERS)
    for (let at = from; at < to; at += 2) {
      const next = (pairs[at] as number) + 1
      starts[next] = (starts[next] as number) + 1
    }
    await pace((to - from) * (CHEAP / 50))
  }
  for (let list = 0; list < count; list += 1) starts[list + 1] = (starts[list + 1] as number) + (starts[list] as number)
  const data = new Uint32Array(pairs.length / 2)
  const ends = starts.slice(0, count)
  for (let from = 0; from < pairs.length; from += PAUSE_NUMBERS) {
    const to = Math.min(pairs.length, from + PAUSE_NUMBERS)
    for (let at = from; at < to; at += 2) {
      const list = pairs[at] as number
      const end = ends[list] as number
      data[end] = pairs[at + 1] as number
      ends[list] = end + 1
    }
    await pace((to - from) * (CHEAP / 50))
  }
  return { data, starts }
}

/** The lists with others at some numbers, and room for `count` of them; stretches between are copied. */
export async function replaceLists(
  { data, starts }: PackedLists,
  changes: ReadonlyMap<number, ArrayLike<number>>,
  count: number,
  pace: Pace,
): Promise<PackedLists> {
  const known = starts.length - 1
  let added = 0
  for (const list of changes.values()) added += list.length
  const next = new Uint32Array(data.length + added)
  const nextStarts = new Uint32Array(count + 1)
  let [end, copied] = [0, 0]
  /** Copies the lists from `copied` up to `number`, none of which is another. */
  const copyUpTo = (number: number): void => {
    const last = Math.min(number, known)
    if (copied < last) {
      const from = starts[copied] as number
      const shift = end - from
      next.set(data.subarray(from, starts[last]), end)
      for (let list = copied; list < last; list += 1) nextStarts[list] = (starts[list] as number) + shift
      end += (starts[last] as number) - from
    }
    for (let list = Math.max(copied, known); list < number; list += 1) nextStarts[list] = end
  }
  for (const number of [...changes.keys()].sort((one, other) => one - other)) {
    copyUpTo(number)
    nextStarts[number] = end
    const list = changes.get(number) ?? []
    next.set(list, end)
    end += list.length
    copied = number + 1
    const pause = pace(CHEAP)
    if (pause) await pause
  }
  copyUpTo(count)
  nextStarts[count] = end
  return { data: next.subarray(0, end), starts: nextStarts }
}
