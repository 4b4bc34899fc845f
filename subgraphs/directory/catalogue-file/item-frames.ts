import type { Item } from '../item/item.ts'
import { type ItemWith, replaceShared, sharedTimes } from '../item/shared-values.ts'
import { CHEAP, type Pace } from '../word-index/pace.ts'
import { BrokenFrames, type FrameReader, type FrameWriter } from './frames.ts'
import { bytesOf } from './keyed-lists.ts'

/** Items of one frame: their JSON is written and parsed at once, in about a millisecond. */
const MAX_FRAME_ITEMS = 100
/** Texts that are written as numbers, before numbers begin anew: a larger map grows by more than a slice. */
const MAX_NUMBERED_TEXTS = 50_000

/** One frame: texts with the next numbers, and items with numbers in the place of shared texts; null for one that is gone. */
type ItemFrame = {
  /** Numbers begin anew with these texts. */
  readonly anew?: true
  readonly texts: readonly string[]
  readonly items: readonly (StoredItem | null)[]
}
type StoredItem = ItemWith<number> & { createdAt: unknown; updatedAt: unknown }

/** Writes items by their numbers: their times as numbers, then frames of 100 as JSON. */
export async function writeItems({ write }: FrameWriter, items: readonly (Item | undefined)[], pace: Pace): Promise<void> {
  const times = new Float64Array(items.length * 2)
  for (const [number, item] of items.entries()) {
    times[number * 2] = item?.createdAt.getTime() ?? 0
    times[number * 2 + 1] = item?.updatedAt.getTime() ?? 0
    const pause = pace(CHEAP / 10)
    if (pause) await pause
  }
  await write(bytesOf(times))
  const numberOf = new Map<string, number>()
  for (let from = 0; from < items.length; from += MAX_FRAME_ITEMS) {
    const isAnew = numberOf.size > MAX_NUMBERED_TEXTS
    if (isAnew) numberOf.clear()
    const texts: string[] = []
    const numbered = (text: string): number => {
      const number = numberOf.get(text) ?? numberOf.size
      if (number === numberOf.size) {
        numberOf.set(text, number)
        texts.push(text)
      }
      return number
    }
    const rows = items.slice(from, from + MAX_FRAME_ITEMS).map((item) => (item ? storedItem(item, numbered) : null))
    const frame: ItemFrame = { ...(isAnew && { anew: true }), texts, items: rows }
    await write(Buffer.from(JSON.stringify(frame)))
    const pause = pace(rows.length * CHEAP * 15)
    if (pause) await pause
  }
}

function storedItem(item: Item, numbered: (text: string) => number): StoredItem {
  const copy = { ...item, createdAt: 0, updatedAt: 0 }
  // Of a copy: items are immutable. Fields that its kind has not are absent.
  const own = copy as unknown as ItemWith<string> & { createdAt: unknown; updatedAt: unknown }
  own.installations &&= own.installations.map((installation) => ({ ...installation }))
  // The same object: its times are there.
  return replaceShared(own, numbered) as StoredItem
}

/** Reads what `writeItems` wrote. */
export async function readItems(reader: FrameReader, pace: Pace): Promise<(Item | undefined)[]> {
  const times = new Float64Array((await reader.next()).buffer)
  const time = sharedTimes()
  const items: (Item | undefined)[] = []
  const count = times.length / 2
  let texts: string[] = []
  // A number that `writeItems` wrote; the hash of the file says so.
  const textOf = (number: number): string => texts[number] as string
  while (items.length < count) {
    // As above.
    const frame = (await reader.json()) as ItemFrame
    if (frame.anew) texts = []
    for (const text of frame.texts) texts.push(text)
    if (frame.items.length !== Math.min(MAX_FRAME_ITEMS, count - items.length))
      throw new BrokenFrames(`Expected other than ${frame.items.length} items.`)
    for (const stored of frame.items) {
      if (stored !== null) {
        stored.createdAt = time(times[items.length * 2] as number)
        stored.updatedAt = time(times[items.length * 2 + 1] as number)
        replaceShared(stored, textOf)
      }
      // All fields are an item's now.
      items.push((stored as unknown as Item | null) ?? undefined)
    }
    const pause = pace(frame.items.length * CHEAP * 5)
    if (pause) await pause
  }
  return items
}
