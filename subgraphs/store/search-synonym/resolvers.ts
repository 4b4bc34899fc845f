import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createSearchSynonym, deleteSearchSynonym, updateSearchSynonym } from './actions.ts'
import type { SearchSynonym } from './search-synonym.ts'

const LIST: KeysetList<SearchSynonym> = { name: 'searchSynonyms', parts: ['number'], positionOf: ({ id }) => [id] }

export const searchSynonymResolvers = {
  Query: {
    searchSynonym: (_, { id }, { load }) => load.searchSynonymById.load(decodeId(id, 'SearchSynonym') ?? 0),
    searchSynonyms: async (_, page, { storeId, searchSynonyms }) => {
      const range = keysetRange(LIST, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(LIST, range, await searchSynonyms.list(store, range), () => searchSynonyms.count(store))
    },
  },
  Mutation: {
    createSearchSynonym: (_, { input }, { write }) =>
      write('createSearchSynonym', input, (unit) => createSearchSynonym(unit, input)),
    updateSearchSynonym: (_, { id, input }, { write }) =>
      write('updateSearchSynonym', { ...input, id }, (unit) => updateSearchSynonym(unit, id, input)),
    deleteSearchSynonym: (_, given, { write }) =>
      write('deleteSearchSynonym', given, (unit) => deleteSearchSynonym(unit, given.id, given)),
  },
  SearchSynonym: identified('SearchSynonym'),
  SearchSynonymConnection: connectionFields,
  SearchSynonymSuccess: {
    searchSynonym: ({ searchSynonym }, _, { load }) => present(load.searchSynonymById.load(searchSynonym), 'synonyms'),
  },
  DeleteSearchSynonymSuccess: gone('SearchSynonym'),
} satisfies Resolvers
