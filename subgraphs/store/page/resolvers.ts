import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createPage, deletePage, updatePage } from './actions.ts'
import type { Page } from './page.ts'

const ALL: KeysetList<Page> = { name: 'pages', parts: ['number'], positionOf: ({ id }) => [id] }

export const pageResolvers = {
  Query: {
    page: (_, { id }, { load }) => {
      const row = decodeId(id, 'Page')
      return row === null ? null : load.pageById.load(row)
    },
    pages: async (_, { status, categoryId, ...page }, { storeId, pages }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      // An id of no category is that of none with pages.
      const filter = {
        status: status ?? null,
        categoryId: categoryId == null ? null : (decodeId(categoryId, 'PageCategory') ?? 0),
      }
      const store = await storeId()
      return keysetPage(ALL, range, await pages.list(store, filter, range), () => pages.count(store, filter))
    },
  },
  Mutation: {
    createPage: (_, { input }, { write }) => write('createPage', input, (unit) => createPage(unit, input)),
    updatePage: (_, { id, input }, { write }) => write('updatePage', { ...input, id }, (unit) => updatePage(unit, id, input)),
    deletePage: (_, given, { write }) => write('deletePage', given, (unit) => deletePage(unit, given.id, given)),
  },
  Page: {
    ...identified('Page'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'Page')
      return row === null ? null : load.pageById.load(row)
    },
    template: ({ templateId }, _, { load }) => (templateId === null ? null : load.pageTemplateById.load(templateId)),
    categories: ({ id }, _, { load }) => load.placesOfPage.load(id),
  },
  PagePlace: {
    categoryNumber: ({ categoryId }) => categoryId,
    category: ({ categoryId }, _, { load }) => present(load.pageCategoryById.load(categoryId), 'page category'),
  },
  PageConnection: connectionFields,
  CreatePageSuccess: { page: ({ page }, _, { load }) => present(load.pageById.load(page), 'page') },
  UpdatePageSuccess: { page: ({ page }, _, { load }) => present(load.pageById.load(page), 'page') },
  DeletePageSuccess: gone('Page'),
} satisfies Resolvers
