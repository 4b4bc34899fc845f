import { type LayeredMap, layeredMap } from '../../../platform/collections/layered-map.ts'
import { CHEAP, type Pace } from '../word-index/pace.ts'
import { growingNumbers } from '../word-index/packed-lists.ts'
import { BrokenFrames, type FrameReader, type FrameWriter } from './frames.ts'

type KeyedLists = LayeredMap<string, readonly number[]>

/** Keys of one frame: some milliseconds. */
const MAX_FRAME_KEYS = 5_000
/** Numbers from which on a frame ends: one list may have as many as there are items. */
const MAX_FRAME_NUMBERS = 100_000

/** Writes lists of numbers by text: frames of keys as JSON, each with one of counts and one of numbers; then an empty list of keys. */
export async function writeKeyedLists({ write }: FrameWriter, lists: KeyedLists, pace: Pace): Promise<void> {
  let keys: string[] = []
  let [counts, numbers] = [growingNumbers(), growingNumbers()]
  const flush = async (): Promise<void> => {
    await write(Buffer.from(JSON.stringify(keys)))
    await write(bytesOf(counts.all()))
    await write(bytesOf(numbers.all()))
    keys = []
    counts = growingNumbers()
    numbers = growingNumbers()
  }
  for (const [key, list] of lists.entries()) {
    keys.push(key)
    counts.push(list.length)
    for (const number of list) numbers.push(number)
    const pause = pace(CHEAP + list.length * (CHEAP / 20))
    if (pause) await pause
    if (keys.length === MAX_FRAME_KEYS || numbers.count() >= MAX_FRAME_NUMBERS) await flush()
  }
  if (keys.length > 0) await flush()
  await write(Buffer.from('[]'))
}

/** Reads what `writeKeyedLists` wrote. */
export async function readKeyedLists(reader: FrameReader, pace: Pace): Promise<KeyedLists> {
  const lists = new Map<string, readonly number[]>()
  for (;;) {
    // Texts: the hash of the file says that it is what we wrote.
    const keys = (await reader.json()) as readonly string[]
    if (keys.length === 0) return layeredMap(lists)
    const [counts, numbers] = [await reader.numbers(), await reader.numbers()]
    if (counts.length !== keys.length) throw new BrokenFrames(`Expected ${keys.length} counts, got ${counts.length}.`)
    let start = 0
    for (const [at, key] of keys.entries()) {
      const end = start + (counts[at] as number)
      lists.set(key, Array.from(numbers.subarray(start, end)))
      const pause = pace(CHEAP + (end - start) * (CHEAP / 20))
      start = end
      if (pause) await pause
    }
  }
}

/** The bytes of numbers, in the order of this machine, without a copy. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)
