import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createPageCategory, deletePageCategory, updatePageCategory } from './actions.ts'

export const pageCategoryResolvers = {
  Query: {
    pageCategory: (_, { id }, { load }) => {
      const row = decodeId(id, 'PageCategory')
      return row === null ? null : load.pageCategoryById.load(row)
    },
    pageCategories: async (_, __, { storeId, pageCategories }) => pageCategories.all(await storeId()),
  },
  Mutation: {
    createPageCategory: (_, { input }, { write }) =>
      write('createPageCategory', input, (unit) => createPageCategory(unit, input)),
    updatePageCategory: (_, { id, input }, { write }) =>
      write('updatePageCategory', { ...input, id }, (unit) => updatePageCategory(unit, id, input)),
    deletePageCategory: (_, given, { write }) =>
      write('deletePageCategory', given, (unit) => deletePageCategory(unit, given.id, given)),
  },
  PageCategory: {
    ...identified('PageCategory'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'PageCategory')
      return row === null ? null : load.pageCategoryById.load(row)
    },
    pages: ({ id }, _, { load }) => load.pagesOfCategory.load(id),
  },
  CreatePageCategorySuccess: {
    pageCategory: ({ pageCategory }, _, { load }) => present(load.pageCategoryById.load(pageCategory), 'page category'),
  },
  UpdatePageCategorySuccess: {
    pageCategory: ({ pageCategory }, _, { load }) => present(load.pageCategoryById.load(pageCategory), 'page category'),
  },
  DeletePageCategorySuccess: gone('PageCategory'),
} satisfies Resolvers
