import type { Resolvers } from '#generated/store/resolvers.ts'
import { DOWNLOAD } from '../file/file.ts'
import { deletingFile, writeWithFile } from '../file/write.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { isOf } from '../product/owner.ts'
import { createProductAttachment, deleteProductAttachment } from './actions.ts'
import { URL_SECONDS } from './product-attachment.ts'

export const productAttachmentResolvers = {
  Query: {
    productAttachment: async (_, { id, productId }, { load }) => {
      const row = decodeId(id, 'ProductAttachment')
      const attachment = row === null ? null : await load.productAttachmentById.load(row)
      return attachment && isOf(attachment, productId) ? attachment : null
    },
  },
  Mutation: {
    createProductAttachment: (_, { input }, context) =>
      writeWithFile(
        context,
        'createProductAttachment',
        input,
        { url: input.url, kind: DOWNLOAD, name: input.filename ?? null },
        (unit, file) => createProductAttachment(unit, input, file),
      ),
    deleteProductAttachment: (_, given, context) =>
      deletingFile(
        context,
        context.write('deleteProductAttachment', given, (unit) => deleteProductAttachment(unit, given)),
      ),
  },
  Product: {
    attachments: ({ id }, _, { load }) => load.attachmentsOfProduct.load(id),
    attachmentCount: async ({ id }, _, { load }) => (await load.attachmentsOfProduct.load(id)).length,
  },
  ProductAttachment: {
    ...identified('ProductAttachment'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'ProductAttachment')
      return row === null ? null : load.productAttachmentById.load(row)
    },
    url: ({ key, filename }, _, { files }) => files.privateUrl(key, { name: filename, seconds: URL_SECONDS }),
    product: ({ productId }, _, { load }) => present(load.productById.load(productId), 'product'),
  },
  CreateProductAttachmentSuccess: {
    productAttachment: ({ productAttachment }, _, { load }) =>
      present(load.productAttachmentById.load(productAttachment), 'attachment'),
  },
  DeleteProductAttachmentSuccess: gone('ProductAttachment'),
} satisfies Resolvers
