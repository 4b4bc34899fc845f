/**
 * Letters per English word. Counting letters makes languages with long words comparable. For dense
 * scripts the table has characters per word: 1.5 ideographs, 2 Hangul syllables or 3 kana. Precise
 * enough for thresholds that differ by a factor.
 */
const LETTERS_PER_WORD = 5
const DENSE: readonly (readonly [script: RegExp, charactersPerWord: number])[] = [
  [/\p{Script=Han}/gu, 1.5],
  [/\p{Script=Hangul}/gu, 2],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 3],
]

const LETTERS = /[\p{L}\p{M}\p{N}]/gu

/**
 * Length of a text in English words, for any language; not rounded. Punctuation, spaces and emoji
 * do not count.
 */
export function wordsIn(text: string): number {
  let letters = text.match(LETTERS)?.length ?? 0
  let words = 0
  for (const [script, charactersPerWord] of DENSE) {
    const characters = text.match(script)?.length ?? 0
    letters -= characters
    words += characters / charactersPerWord
  }
  return words + Math.max(0, letters) / LETTERS_PER_WORD
}
