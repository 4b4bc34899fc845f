import { CHEAP, type Pace } from './pace.ts'

/** Words between two offers to pause. */
const PAUSE_WORDS = 500

/** Numbers of words without digits by their length: in one with digits no typing error is assumed. */
export type WordsByLength = {
  /** Words from this number on are not among them: later versions brought them. */
  readonly count: number
  readonly numbers: readonly (readonly number[] | undefined)[]
}

/** Groups words, in slices. */
export async function wordsByLength(words: readonly string[], pace: Pace): Promise<WordsByLength> {
  const count = words.length
  const numbers: number[][] = []
  for (let number = 0; number < count; number += 1) {
    const word = words[number] as string
    if (!/\d/.test(word)) {
      const group = numbers[word.length]
      if (group) group.push(number)
      else numbers[word.length] = [number]
    }
    if (number % PAUSE_WORDS === 0) await pace(PAUSE_WORDS * (CHEAP / 10))
  }
  return { count, numbers }
}
