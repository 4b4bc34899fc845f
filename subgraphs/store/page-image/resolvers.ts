import type { Resolvers } from '#generated/store/resolvers.ts'
import { IMAGE } from '../file/file.ts'
import { deletingFile, writeWithFile } from '../file/write.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createPageImage, deletePageImage, isOfPage, updatePageImage } from './actions.ts'
import type { PageImage } from './page-image.ts'

export const pageImageResolvers = {
  Query: {
    pageImage: async (_, { id, pageId }, { load }) => {
      const row = decodeId(id, 'PageImage')
      const image = row === null ? null : await load.pageImageById.load(row)
      return image && isOfPage(image, pageId) ? image : null
    },
  },
  Mutation: {
    createPageImage: (_, { input }, context) =>
      writeWithFile(context, 'createPageImage', input, { url: input.url, kind: IMAGE, name: null }, (unit, file) =>
        createPageImage(unit, input, file),
      ),
    updatePageImage: (_, { id, pageId, input }, context) => {
      const isUrlOf = ({ key }: PageImage, url: string) => context.files.publicUrl(key) === url
      return deletingFile(
        context,
        writeWithFile(
          context,
          'updatePageImage',
          { ...input, id, pageId },
          { url: input.url ?? '', kind: IMAGE, name: null },
          (unit, file) => updatePageImage(unit, { id, pageId, isUrlOf }, input, file),
        ),
      )
    },
    deletePageImage: (_, given, context) =>
      deletingFile(
        context,
        context.write('deletePageImage', given, (unit) => deletePageImage(unit, given)),
      ),
  },
  Page: {
    image: async ({ id }, _, { load }) => (await load.imagesOfPage.load(id))[0] ?? null,
    images: ({ id }, _, { load }) => load.imagesOfPage.load(id),
    imageCount: async ({ id }, _, { load }) => (await load.imagesOfPage.load(id)).length,
  },
  PageImage: {
    ...identified('PageImage'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'PageImage')
      return row === null ? null : load.pageImageById.load(row)
    },
    url: ({ key }, _, { files }) => files.publicUrl(key),
    page: ({ pageId }, _, { load }) => present(load.pageById.load(pageId), 'page'),
  },
  CreatePageImageSuccess: {
    pageImage: ({ pageImage }, _, { load }) => present(load.pageImageById.load(pageImage), 'image'),
  },
  UpdatePageImageSuccess: {
    pageImage: ({ pageImage }, _, { load }) => present(load.pageImageById.load(pageImage), 'image'),
  },
  DeletePageImageSuccess: gone('PageImage'),
} satisfies Resolvers
