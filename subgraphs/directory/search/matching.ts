import { badInput } from '../../runtime/errors.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { Item } from '../item/item.ts'
import { search } from './search.ts'

/** Longest query, in characters: longer texts are not names and would cost without finding more. */
const LONGEST_QUERY = 200

/** An item that matches a query, and how well. */
export type Found = { readonly item: Item; readonly score: number }

/** What matches `query` among the items that `accepts` lets through, in no order. Throws BAD_USER_INPUT, naming `argument`, when it is too long. */
export function matching(
  query: string,
  { words, items }: Catalogue,
  { argument, accepts }: { readonly argument: string; readonly accepts: (item: Item) => boolean },
): readonly Found[] {
  if (query.length > LONGEST_QUERY && [...query].length > LONGEST_QUERY) {
    throw badInput(argument, `at most ${LONGEST_QUERY} characters`, query)
  }
  return search(query, words, (record) => accepts(items[record] as Item)).map(({ record, score }) => ({
    item: items[record] as Item,
    score,
  }))
}

/** The items of `list` that match `query`, in the order of the list; all of them when there is none. */
export function matchingIn<T extends Item>(
  list: readonly T[],
  query: string | null | undefined,
  catalogue: Catalogue,
): readonly T[] {
  if (query == null) return list
  const accepted = new Set<Item>(list)
  const found = new Set(
    matching(query, catalogue, { argument: 'filter.query', accepts: (item) => accepted.has(item) }).map(({ item }) => item),
  )
  return list.filter((item) => found.has(item))
}
