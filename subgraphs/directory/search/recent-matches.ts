import type { WordIndex } from '../word-index/word-index.ts'
import type { Matches } from './search.ts'

/** Matches that are remembered of one index, all queries together: 28 bytes each with their ranking and groups, 11 MB. */
const MAX_MATCHES = 400_000
/** Queries that are remembered, of at most 200 characters. */
const MAX_QUERIES = 1_000

/** By query, the one that was used last at the end. They live as long as their index, which is that of one revision. */
const RECENT = new WeakMap<WordIndex, Map<string, Matches>>()

/**
 * The matches of a query among all records, remembered for the pages and groups of the same query:
 * the words that many people type match most records, and take longest.
 */
export function recentMatches(query: string, index: WordIndex, find: () => Matches): Matches {
  const recent = RECENT.get(index) ?? new Map<string, Matches>()
  RECENT.set(index, recent)
  const matches = recent.get(query) ?? find()
  recent.delete(query)
  // A part of the text of a request, which would stay in memory as a whole: parsing makes a copy.
  recent.set(JSON.parse(JSON.stringify(query)), matches)
  let held = 0
  for (const { records } of recent.values()) held += records.length
  for (const [oldest, { records }] of recent) {
    if (held <= MAX_MATCHES && recent.size <= MAX_QUERIES) break
    recent.delete(oldest)
    held -= records.length
  }
  return matches
}
