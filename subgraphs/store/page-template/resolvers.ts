import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createPageTemplate, deletePageTemplate, updatePageTemplate } from './actions.ts'

export const pageTemplateResolvers = {
  Query: {
    pageTemplate: (_, { id }, { load }) => {
      const row = decodeId(id, 'PageTemplate')
      return row === null ? null : load.pageTemplateById.load(row)
    },
    pageTemplates: async (_, __, { storeId, pageTemplates }) => pageTemplates.all(await storeId()),
  },
  Mutation: {
    createPageTemplate: (_, { input }, { write }) =>
      write('createPageTemplate', input, (unit) => createPageTemplate(unit, input)),
    updatePageTemplate: (_, { id, input }, { write }) =>
      write('updatePageTemplate', { ...input, id }, (unit) => updatePageTemplate(unit, id, input)),
    deletePageTemplate: (_, given, { write }) =>
      write('deletePageTemplate', given, (unit) => deletePageTemplate(unit, given.id, given)),
  },
  PageTemplate: {
    ...identified('PageTemplate'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'PageTemplate')
      return row === null ? null : load.pageTemplateById.load(row)
    },
  },
  CreatePageTemplateSuccess: {
    pageTemplate: ({ pageTemplate }, _, { load }) => present(load.pageTemplateById.load(pageTemplate), 'page template'),
  },
  UpdatePageTemplateSuccess: {
    pageTemplate: ({ pageTemplate }, _, { load }) => present(load.pageTemplateById.load(pageTemplate), 'page template'),
  },
  DeletePageTemplateSuccess: gone('PageTemplate'),
} satisfies Resolvers
