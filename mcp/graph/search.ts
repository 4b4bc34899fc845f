import MiniSearch from 'minisearch'
import type { Coordinate } from './coordinates.ts'

/** Finds types and fields by words; see `schemaSearch`. */
export type SchemaSearch = (words: string, limit: number) => readonly Coordinate[]

/**
 * Full-text search over names and descriptions. Ranking: whole words before prefixes before typos,
 * names before descriptions, root fields before others; ties in the order of names.
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

/** Splits camelCase: `searchUsers` is indexed as itself, `search` and `users`. */
function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return words.flatMap((word) => {
    const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})/u)
    return parts.length > 1 ? [word, ...parts] : parts
  })
}
