import { badInput } from '../../../platform/graphql/errors.ts'
import type { Catalogue } from '../item/catalogue.ts'
import type { DirectoryKind, Item, ItemOf } from '../item/item.ts'
import { search } from './search.ts'

/** Longest query, in characters: longer texts are not names and would cost without finding more. */
const MAX_QUERY_CHARACTERS = 200

/** An item that matches a query, and how well. */
export type Found = { readonly item: Item; readonly score: number }

/**
 * What matches `query` among the items that `accepts` lets through, in no order. Throws
 * BAD_USER_INPUT, naming `argument`, when it is too long.
 */
export function matching(
  query: string,
  { words, items }: Catalogue,
  { argument, accepts }: { readonly argument: string; readonly accepts: (item: Item) => boolean },
): readonly Found[] {
  if (query.length > MAX_QUERY_CHARACTERS && [...query].length > MAX_QUERY_CHARACTERS) {
    throw badInput(argument, `at most ${MAX_QUERY_CHARACTERS} characters`, query)
  }
  return search(query, words, (record) => accepts(items[record] as Item)).map(({ record, score }) => ({
    item: items[record] as Item,
    score,
  }))
}

/**
 * The items of a kind that `accepts` lets through and that match `query` when there is one, in the
 * order of their list.
 */
export function listMatching<Kind extends DirectoryKind>(
  catalogue: Catalogue,
  kind: Kind,
  query: string | null | undefined,
  accepts: (item: ItemOf<Kind>) => boolean,
): readonly ItemOf<Kind>[] {
  if (query == null) return catalogue.list(kind).filter(accepts)
  const isOfKind = (item: Item): item is ItemOf<Kind> => item.kind === kind
  return matching(query, catalogue, { argument: 'filter.query', accepts: (item) => isOfKind(item) && accepts(item) })
    .map(({ item }) => item)
    .filter(isOfKind)
    .sort((one, other) => catalogue.listIndex(one) - catalogue.listIndex(other))
}
