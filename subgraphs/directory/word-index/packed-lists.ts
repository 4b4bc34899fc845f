import { CHEAP, type Pace } from './pace.ts'

/** Lists of numbers, one after the other: hundreds of thousands of arrays would take more room than what they hold. */
export type PackedLists = {
  readonly data: Uint32Array
  /** Per list: index of its first number; the next list's is where they end. */
  readonly starts: Uint32Array
}

/** Lists between two offers to pause. */
const PAUSE_LISTS = 5_000
/** Numbers between two offers to pause; even. */
const PAUSE_NUMBERS = 20_000
/** Numbers that are copied at once: some 0.1 ms, most of which is for new pages of memory. */
const COPIED_NUMBERS = 100_000

/** Numbers that are added to an array that doubles. */
export function growingNumbers() {
  let [data, length] = [new Uint32Array(1_024), 0]
  return {
    push(number: number): void {
      if (length === data.length) {
        const larger = new Uint32Array(data.length * 2)
        larger.set(data)
        data = larger
      }
      data[length] = number
      length += 1
    },
    count: (): number => length,
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

/** Other lists at some numbers. */
type ListChanges = {
  /** Ascending. */
  readonly numbers: Uint32Array
  /** At most so many numbers are more than before. */
  readonly room: number
  /** Writes the list of a number into an array from a place on, and returns where it ends. */
  readonly write: (number: number, into: Uint32Array, start: number) => number
}

/** The lists with changes, and room for `count` of them; stretches between are copied. */
export async function replaceLists(
  { data, starts }: PackedLists,
  { numbers, room, write }: ListChanges,
  count: number,
  pace: Pace,
): Promise<PackedLists> {
  const known = starts.length - 1
  const next = new Uint32Array(data.length + room)
  const nextStarts = new Uint32Array(count + 1)
  let [end, copied] = [0, 0]
  const costOf = (lists: number, values: number): number => lists * (CHEAP / 50) + values * (CHEAP / 200)
  /** Copies the lists from `copied` up to `number`, none of which is another. */
  const copyUpTo = async (number: number): Promise<void> => {
    while (copied < Math.min(number, known)) {
      const [first, last] = [copied, Math.min(number, known, copied + PAUSE_LISTS)]
      const [from, to] = [starts[first] as number, starts[last] as number]
      for (let list = first; list < last; list += 1) nextStarts[list] = (starts[list] as number) + end - from
      // The first lists are those of frequent words: a few thousand hold millions of numbers.
      for (let part = from; part < to; part += COPIED_NUMBERS) {
        const partEnd = Math.min(to, part + COPIED_NUMBERS)
        next.set(data.subarray(part, partEnd), end + part - from)
        const pause = pace(costOf(0, partEnd - part))
        if (pause) await pause
      }
      end += to - from
      copied = last
      const pause = pace(costOf(last - first, 0))
      if (pause) await pause
    }
    for (let list = Math.max(copied, known); list < number; list += 1) nextStarts[list] = end
  }
  for (const number of numbers) {
    if (copied < number) await copyUpTo(number)
    nextStarts[number] = end
    const start = end
    end = write(number, next, start)
    copied = number + 1
    const pause = pace(costOf(25, end - start))
    if (pause) await pause
  }
  await copyUpTo(count)
  nextStarts[count] = end
  return { data: next.subarray(0, end), starts: nextStarts }
}
