import { CHEAP, createPace } from '../word-index/pace.ts'

/**
 * What the items of a list have of one kind of value, as numbers at the items' places: filters and
 * facets of 100,000 items read an array instead of 100,000 objects.
 */
export type ValueColumn = {
  readonly values: readonly string[]
  readonly numberOf: ReadonlyMap<string, number>
  readonly numbers: Uint32Array
  /** By place: index of its first number; the next one's is where they end. Null: each place has one number. */
  readonly starts: Uint32Array | null
}

/** Reads what an item has of one kind of value. Columns are made once per list and reader, so it is a constant. */
export type ValueReader<Node> = (item: Node) => readonly string[]

/** Columns of lists that live as long as their catalogue. */
const COLUMNS = new WeakMap<readonly unknown[], WeakMap<object, Promise<ValueColumn>>>()

/** The column of a list for a reader; made with pauses when it is first needed. */
export function valueColumn<Node>(list: readonly Node[], valuesOf: ValueReader<Node>): Promise<ValueColumn> {
  const ofList = COLUMNS.get(list) ?? new WeakMap<object, Promise<ValueColumn>>()
  COLUMNS.set(list, ofList)
  const known = ofList.get(valuesOf) ?? readColumn(list, valuesOf)
  ofList.set(valuesOf, known)
  return known
}

async function readColumn<Node>(list: readonly Node[], valuesOf: ValueReader<Node>): Promise<ValueColumn> {
  const pace = createPace()
  const numberOf = new Map<string, number>()
  const starts = new Uint32Array(list.length + 1)
  let numbers = new Uint32Array(list.length)
  let [end, isSingle] = [0, true]
  for (const [place, item] of list.entries()) {
    const values = valuesOf(item)
    if (values.length !== 1) isSingle = false
    for (const value of values) {
      const number = numberOf.get(value) ?? numberOf.size
      if (number === numberOf.size) numberOf.set(value, number)
      if (end === numbers.length) {
        const larger = new Uint32Array(end * 2)
        larger.set(numbers)
        numbers = larger
      }
      numbers[end] = number
      end += 1
    }
    starts[place + 1] = end
    const pause = pace(CHEAP)
    if (pause) await pause
  }
  return { values: [...numberOf.keys()], numberOf, numbers: numbers.slice(0, end), starts: isSingle ? null : starts }
}

/** The places among `places`, or all for null, whose items have the value; ascending as they were. */
export function placesWith({ numberOf, numbers, starts }: ValueColumn, value: string, places: Uint32Array | null): Uint32Array {
  const wanted = numberOf.get(value)
  if (wanted === undefined) return new Uint32Array(0)
  const size = starts === null ? numbers.length : starts.length - 1
  const found = new Uint32Array(places?.length ?? size)
  let count = 0
  for (let at = 0; at < found.length; at += 1) {
    const place = places === null ? at : (places[at] as number)
    const to = starts === null ? place + 1 : (starts[place + 1] as number)
    for (let index = starts === null ? place : (starts[place] as number); index < to; index += 1) {
      if (numbers[index] !== wanted) continue
      found[count] = place
      count += 1
      break
    }
  }
  return found.slice(0, count)
}

/** How often each value stands at these places, by its number. */
export function countsAt({ values, numbers, starts }: ValueColumn, places: Uint32Array): Uint32Array {
  const counts = new Uint32Array(values.length)
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number
    const to = starts === null ? place + 1 : (starts[place + 1] as number)
    for (let index = starts === null ? place : (starts[place] as number); index < to; index += 1) {
      const number = numbers[index] as number
      counts[number] = (counts[number] as number) + 1
    }
  }
  return counts
}
