/**
 * How many letters take one word. Five is English; languages that build long words say as much in
 * fewer of them, so letters are compared and not blanks. An ideograph is more than a letter: a word
 * of English is about one and a half, or two syllables of Hangul, three in kana. Exact enough for
 * thresholds that are a factor apart.
 */
const LETTERS_PER_WORD = 5
const DENSE: readonly (readonly [script: RegExp, charactersPerWord: number])[] = [
  [/\p{Script=Han}/gu, 1.5],
  [/\p{Script=Hangul}/gu, 2],
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 3],
]

const LETTERS = /[\p{L}\p{M}\p{N}]/gu

/**
 * The length of a text of any language, in English words; not rounded. Signs, blanks and pictures
 * count nothing.
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
