import { isText, type Problem, problem, problemsIn } from '../../toolkit/validation.ts'
import { textKey } from '../text-key.ts'

/** Words or phrases that stand for each other in the search of a shop, or that find others. */
export type SearchSynonym = {
  readonly id: number
  readonly terms: readonly string[]
  /** Empty: terms find each other. */
  readonly targets: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Search keys of synonyms. */
export type SynonymKeys = { readonly termKeys: readonly string[]; readonly targetKeys: readonly string[] }

/** A part of a search text: its words, all of them, or one of the synonyms. Texts are search keys. */
export type SearchTerm = { readonly words: readonly string[]; readonly synonyms: readonly string[] }

/** Synonyms of a store. */
export const MAX_SYNONYMS = 100
/** Terms of synonyms, and targets. */
export const MAX_TERMS = 10
const MAX_TERM_LENGTH = 50
const MAX_TERM_WORDS = 3
/** Synonyms that one search looks for; later words of it are looked for as they are. */
export const MAX_SEARCHED_SYNONYMS = 30

type Terms = Pick<SearchSynonym, 'terms' | 'targets'>

/** Texts as they are stored: with single white space. */
export const writtenTerms = (texts: readonly string[]): readonly string[] => texts.map((text) => text.replace(/\s+/g, ' ').trim())

/** Problems of synonyms, in the order of their fields. */
export function synonymProblems({ terms, targets }: Terms): readonly Problem[] {
  const min = targets.length > 0 ? 1 : 2
  const known = new Set<string>()
  const ofText = (field: string) => (text: string, index: number) => {
    const key = textKey(text)
    const isShort = text.length <= MAX_TERM_LENGTH && key.length <= 2 * MAX_TERM_LENGTH && isText(text)
    if (!isShort || key === '' || key.split(' ').length > MAX_TERM_WORDS)
      return problem(`${field}.${index}`, `1 to ${MAX_TERM_LENGTH} characters, at most ${MAX_TERM_WORDS} words`, text)
    if (known.has(key)) return problem(`${field}.${index}`, 'each word or phrase once, whatever its case and accents', text)
    known.add(key)
    return null
  }
  return problemsIn([
    terms.length < min || terms.length > MAX_TERMS
      ? problem('terms', `${min} to ${MAX_TERMS} words or phrases${min === 2 ? ', or targets that they find' : ''}`, terms.length)
      : null,
    targets.length > MAX_TERMS ? problem('targets', `at most ${MAX_TERMS} words or phrases`, targets.length) : null,
    ...terms.slice(0, MAX_TERMS).map(ofText('terms')),
    ...targets.slice(0, MAX_TERMS).map(ofText('targets')),
  ])
}

/** Texts of neighbouring words that may be a term, without repetitions. */
export const phrasesOf = (words: readonly string[]): readonly string[] => [
  ...new Set(words.flatMap((_, index) => lengths(words, index).map((length) => words.slice(index, index + length).join(' ')))),
]

/** The parts of a search text with their synonyms; of terms that begin with one word, the longest. */
export function searchTerms(words: readonly string[], synonyms: readonly SynonymKeys[]): readonly SearchTerm[] {
  const terms: SearchTerm[] = []
  let searched = 0
  for (let index = 0; index < words.length; ) {
    const parts = lengths(words, index).map((length) => words.slice(index, index + length))
    const found = parts.map((part) => ({ words: part, synonyms: synonymsOf(part.join(' '), synonyms) }))
    const term = found.find((each) => each.synonyms.length > 0) ?? { words: words.slice(index, index + 1), synonyms: [] }
    const room = MAX_SEARCHED_SYNONYMS - searched
    terms.push({ ...term, synonyms: term.synonyms.slice(0, room) })
    searched += Math.min(room, term.synonyms.length)
    index += term.words.length
  }
  return terms
}

/** Numbers of words from `index` on that a term may have, most first. */
const lengths = (words: readonly string[], index: number): readonly number[] =>
  Array.from(
    { length: Math.min(MAX_TERM_WORDS, words.length - index) },
    (_, shorter) => Math.min(MAX_TERM_WORDS, words.length - index) - shorter,
  )

const synonymsOf = (phrase: string, synonyms: readonly SynonymKeys[]): readonly string[] => [
  ...new Set(
    synonyms
      .filter(({ termKeys }) => termKeys.includes(phrase))
      .flatMap(({ termKeys, targetKeys }) => (targetKeys.length > 0 ? targetKeys : termKeys))
      .filter((key) => key !== phrase),
  ),
]
