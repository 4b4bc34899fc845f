import type { Resolvers } from '#generated/store/resolvers.ts'
import { selectedColumns } from '../../toolkit/selected-columns.ts'
import { IMAGE } from '../file/file.ts'
import { deletingFile, writeWithFile } from '../file/write.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { isOf } from '../product/owner.ts'
import { createProductImage, deleteProductImage, moveProductImage } from './actions.ts'
import type { ProductImage } from './product-image.ts'
import { IMAGE_COLUMNS } from './repository.ts'

const requested = selectedColumns<ProductImage>({
  all: IMAGE_COLUMNS,
  // Products and variants mostly select these, so that they are read once.
  always: ['id', 'productId', 'position', 'key'],
  besides: ['number', 'url', 'product'],
})

export const productImageResolvers = {
  Query: {
    productImage: async (_, { id, productId }, { load }) => {
      const row = decodeId(id, 'ProductImage')
      const image = row === null ? null : await load.productImageById.load(row)
      return image && isOf(image, productId) ? image : null
    },
  },
  Mutation: {
    createProductImage: (_, { input }, context) =>
      writeWithFile(context, 'createProductImage', input, { url: input.url, kind: IMAGE, name: null }, (unit, file) =>
        createProductImage(unit, input, file),
      ),
    moveProductImage: (_, given, { write }) => write('moveProductImage', given, (unit) => moveProductImage(unit, given)),
    deleteProductImage: (_, given, context) =>
      deletingFile(
        context,
        context.write('deleteProductImage', given, (unit) => deleteProductImage(unit, given)),
      ),
  },
  Product: {
    images: ({ id }, _, { load }, info) => load.productImagesOfProduct(requested.of(info)).load(id),
    imageCount: async ({ id }, _, { load }) => (await load.productImagesOfProduct(requested.minimal).load(id)).length,
  },
  ProductVariant: {
    // It is one of the product's pictures, which are usually selected as well.
    image: ({ imageId, productId }, _, { load }, info) =>
      imageId === null
        ? null
        : load
            .productImagesOfProduct(requested.of(info))
            .load(productId)
            .then((images) => images.find(({ id }) => id === imageId) ?? null),
  },
  ProductImage: {
    ...identified('ProductImage'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'ProductImage')
      return row === null ? null : load.productImageById.load(row)
    },
    url: ({ key }, _, { files }) => files.publicUrl(key),
    product: ({ productId }, _, { load }) => present(load.productById.load(productId), 'product'),
  },
  CreateProductImageSuccess: {
    productImage: ({ productImage }, _, { load }) => present(load.productImageById.load(productImage), 'image'),
  },
  MoveProductImageSuccess: {
    productImage: ({ productImage }, _, { load }) => present(load.productImageById.load(productImage), 'image'),
  },
  DeleteProductImageSuccess: gone('ProductImage'),
} satisfies Resolvers
