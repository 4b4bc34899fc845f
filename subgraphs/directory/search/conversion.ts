import type { Item } from '../item/item.ts'
import { fold, synonymsOf } from '../word-index/words.ts'

/**
 * Adds more than any score within one kind of match, and less than the step between full and
 * partial matches.
 */
const DIRECTION_SCORE = 300

/** `pdf to markdown`, `pdf2md`, `csv into excel`. */
const CONVERSION = /^(?:.* )?([\p{L}\p{N}]{2,20}?)(?: (?:to|2|into) |2)([\p{L}\p{N}]{2,20})\s*$/u

/**
 * What the direction of a conversion adds to a score: words alone find both "PDF to Markdown" and
 * its opposite. Null for a query that is no conversion.
 */
export function conversionIn(query: string): ((item: Item) => number) | null {
  const [, from, to] = CONVERSION.exec(fold(query).trim()) ?? []
  if (from === undefined || to === undefined) return null
  const [forwards, backwards] = [directed(from, to), directed(to, from)]
  return ({ name, key, description }) => {
    const text = fold(`${name} ; ${key.split('/').at(-1)} ; ${description}`)
    return (forwards.test(text) ? DIRECTION_SCORE : 0) - (!forwards.test(text) && backwards.test(text) ? DIRECTION_SCORE : 0)
  }
}

/** At most three words between: "PDF files to clean Markdown". */
const directed = (from: string, to: string): RegExp =>
  new RegExp(`\\b${anyOf(from)}(?:[ -]+\\w+){0,2}[ -]*(?:to|2|into)[ -]*(?:\\w+[ -]+){0,2}${anyOf(to)}\\b`)

/** Letters and digits only, by what a query is read as. */
const anyOf = (word: string): string => `(?:${[word, ...synonymsOf(word)].join('|')})s?`
