import MiniSearch from 'minisearch'
import type { Coordinate } from './coordinates.ts'

/** Finds types and fields by words; see `schemaSearch`. */
export type SchemaSearch = (words: string, limit: number) => readonly Coordinate[]

/**
 * Search over names and descriptions: whole words before beginnings of words before typing errors,
 * names before descriptions, what can be asked at the root before the rest. Equal matches stay in
 * the order of their names.
 */
export function schemaSearch(coordinates: readonly Coordinate[]): SchemaSearch {
  const index = new MiniSearch<Coordinate>({
    idField: 'name',
    fields: ['name', 'description'],
    tokenize: wordsOf,
    processTerm: (word) => word.toLowerCase(),
    searchOptions: {
      boost: { name: 3 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => (word.length > 4 ? 0.2 : false),
      boostDocument: (name) => (/^(Query|Mutation|Subscription)\./.test(String(name)) ? 2 : 1),
    },
  })
  index.addAll(coordinates)
  const byName = new Map(coordinates.map((coordinate) => [coordinate.name, coordinate]))
  return (words, limit) =>
    index
      .search(words)
      .sort((one, other) => other.score - one.score || (String(one.id) < String(other.id) ? -1 : 1))
      .slice(0, limit)
      .flatMap(({ id }) => byName.get(String(id)) ?? [])
}

/** `searchUsers` is three words to who looks for users: the whole, and its parts. */
function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return words.flatMap((word) => {
    const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u)
    return parts.length > 1 ? [word, ...parts] : parts
  })
}
