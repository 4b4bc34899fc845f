import { CHEAP, type Pace } from '../word-index/pace.ts'
import { MAX_COPIED_LENGTH, restoredVocabulary } from '../word-index/vocabulary.ts'
import { restoredWordIndex, type WordIndex } from '../word-index/word-index.ts'
import { BrokenFrames, type FrameReader, type FrameWriter } from './frames.ts'
import { bytesOf, readKeyedLists, writeKeyedLists } from './keyed-lists.ts'

/** Code units of one byte alone: most words, which take half the memory so. */
const ONE_BYTE = /^[\0-\xff]*$/
/** Bytes of words that are decoded at once. */
const PART_BYTES = 50_000

/** Writes the index, with its words of now: later versions add to the same list. */
export async function writeWordIndex(writer: FrameWriter, index: WordIndex, pace: Pace): Promise<void> {
  const wordCount = index.starts.length - 1
  await writeWords(writer, index.words, wordCount, pace)
  const { seed, hashes } = await index.vocabulary.hashes(wordCount, pace)
  await writer.write(bytesOf(Uint32Array.of(seed)))
  await writer.write(bytesOf(hashes))
  await writer.write(bytesOf(Uint32Array.of(index.count)))
  for (const numbers of [index.sorted, index.postings, index.starts, index.labels.data, index.labels.starts, index.lengths])
    await writer.write(bytesOf(numbers))
  await writeKeyedLists(writer, index.byTool, pace)
}

/** Reads what `writeWordIndex` wrote. */
export async function readWordIndex(reader: FrameReader, pace: Pace): Promise<WordIndex> {
  const words = await readWords(reader, pace)
  const [seed = 0] = await reader.numbers()
  const hashes = new Int32Array((await reader.numbers()).buffer)
  const [count] = await reader.numbers()
  const [sorted, postings, starts] = [await reader.numbers(), await reader.numbers(), await reader.numbers()]
  const labels = { data: await reader.numbers(), starts: await reader.numbers() }
  const lengths = new Float32Array((await reader.numbers()).buffer)
  const byTool = await readKeyedLists(reader, pace)
  if (
    starts.length !== words.length + 1 ||
    sorted.length !== words.length ||
    labels.starts.length !== lengths.length + 1 ||
    hashes.length !== words.length
  )
    throw new BrokenFrames('Expected as many lists as words and records.')
  const vocabulary = await restoredVocabulary(words, { seed, hashes }, pace)
  return restoredWordIndex({ vocabulary, count: count ?? 0, sorted, postings, starts, labels, byTool, lengths }, pace)
}

/** Writes words: of each its length shifted left by one, and whether its units take two bytes; then their units. */
async function writeWords({ write }: FrameWriter, words: readonly string[], count: number, pace: Pace): Promise<void> {
  const shapes = new Uint32Array(count)
  let size = 0
  for (let number = 0; number < count; number += 1) {
    const word = words[number] as string
    const isWide = !ONE_BYTE.test(word)
    shapes[number] = (word.length << 1) | Number(isWide)
    size += isWide ? word.length * 2 : word.length
    const pause = pace(CHEAP / 10)
    if (pause) await pause
  }
  const units = Buffer.alloc(size)
  let end = 0
  for (let number = 0; number < count; number += 1) {
    // Not UTF-8: a word that was cut may end in half a character.
    end += units.write(words[number] as string, end, (shapes[number] as number) & 1 ? 'utf16le' : 'latin1')
    const pause = pace(CHEAP / 10)
    if (pause) await pause
  }
  await write(bytesOf(shapes))
  await write(units)
}

async function readWords(reader: FrameReader, pace: Pace): Promise<string[]> {
  const shapes = await reader.numbers()
  const units = Buffer.from((await reader.next()).buffer)
  const words: string[] = []
  let start = 0
  // Cut from a text of many: a call of the decoder for each takes four times as long.
  let [part, partStart] = ['', 0]
  for (const shape of shapes) {
    const [isWide, length] = [(shape & 1) === 1, shape >>> 1]
    const end = start + (isWide ? length * 2 : length)
    if (isWide || length > MAX_COPIED_LENGTH) words.push(units.toString(isWide ? 'utf16le' : 'latin1', start, end))
    else {
      if (end > partStart + part.length) {
        part = units.toString('latin1', start, Math.min(units.length, start + PART_BYTES))
        partStart = start
      }
      words.push(part.slice(start - partStart, end - partStart))
    }
    start = end
    const pause = pace(CHEAP / 20)
    if (pause) await pause
  }
  if (start !== units.length) throw new BrokenFrames(`Expected ${start} bytes of words, got ${units.length}.`)
  return words
}
