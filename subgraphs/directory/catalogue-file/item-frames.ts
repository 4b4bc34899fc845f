import type { Item } from '../item/item.ts'
import { sharedValues } from '../item/shared-values.ts'
import { CHEAP, type Pace } from '../word-index/pace.ts'
import { BrokenFrames, type FrameReader, type FrameWriter } from './frames.ts'
import { bytesOf } from './keyed-lists.ts'

/** Items of one frame: their JSON is written and parsed at once, in about a millisecond. */
const MAX_FRAME_ITEMS = 100

/** Writes items by their numbers, null for one that is gone: their times as numbers, then frames of 100 as JSON. */
export async function writeItems({ write }: FrameWriter, items: readonly (Item | undefined)[], pace: Pace): Promise<void> {
  const times = new Float64Array(items.length * 2)
  for (const [number, item] of items.entries()) {
    times[number * 2] = item?.createdAt.getTime() ?? 0
    times[number * 2 + 1] = item?.updatedAt.getTime() ?? 0
    const pause = pace(CHEAP / 10)
    if (pause) await pause
  }
  await write(bytesOf(times))
  for (let from = 0; from < items.length; from += MAX_FRAME_ITEMS) {
    const rows = items.slice(from, from + MAX_FRAME_ITEMS).map((item) => item && { ...item, createdAt: 0, updatedAt: 0 })
    await write(Buffer.from(JSON.stringify(rows)))
    const pause = pace(rows.length * CHEAP * 10)
    if (pause) await pause
  }
}

/** Reads what `writeItems` wrote. */
export async function readItems(reader: FrameReader, pace: Pace): Promise<(Item | undefined)[]> {
  const times = new Float64Array((await reader.next()).buffer)
  const share = sharedValues()
  const items: (Item | undefined)[] = []
  const count = times.length / 2
  while (items.length < count) {
    // Items that `writeItems` wrote: the hash of the file says so, and of times their numbers stand apart.
    const rows = (await reader.json()) as ({ -readonly [Field in keyof Item]: Item[Field] } | null)[]
    if (rows.length !== Math.min(MAX_FRAME_ITEMS, count - items.length))
      throw new BrokenFrames(`Expected other than ${rows.length} items.`)
    for (const row of rows) {
      if (row !== null) {
        row.createdAt = new Date(times[items.length * 2] as number)
        row.updatedAt = new Date(times[items.length * 2 + 1] as number)
      }
      // Of `row` all fields are an item's.
      items.push(row === null ? undefined : share(row as Item))
    }
    const pause = pace(rows.length * CHEAP * 5)
    if (pause) await pause
  }
  return items
}
