import { badInput } from '../../runtime/errors.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { Item } from '../item/item.ts'
import { search } from './search.ts'

/** Longest query, in characters: longer texts are not names and would cost without finding more. */
const LONGEST_QUERY = 200

/** An item that matches a query, and how well. */
export type Found = { readonly item: Item; readonly score: number }

/** What matches `query`, in no order. Throws BAD_USER_INPUT, naming `argument`, when it is too long. */
export function matching(query: string, { words, items }: Catalogue, argument: string): readonly Found[] {
  if (query.length > LONGEST_QUERY && [...query].length > LONGEST_QUERY) {
    throw badInput(argument, `at most ${LONGEST_QUERY} characters`, query)
  }
  return search(query, words).map(({ record, score }) => ({ item: items[record] as Item, score }))
}

/** A test for list filters: whether an item matches `query`; always true when there is none. */
export function matcher(query: string | null | undefined, catalogue: Catalogue, argument: string): (item: Item) => boolean {
  if (query == null) return () => true
  const found = new Set(matching(query, catalogue, argument).map(({ item }) => item))
  return (item) => found.has(item)
}
