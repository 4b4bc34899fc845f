import type { Resolvers } from '#generated/store/resolvers.ts'
import { selectedColumns } from '../../toolkit/selected-columns.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createProductVariant, deleteProductVariant, updateProductVariant } from './actions.ts'
import type { ProductVariant } from './product-variant.ts'
import { VARIANT_COLUMNS } from './repository.ts'

const requested = selectedColumns<ProductVariant>({
  all: VARIANT_COLUMNS,
  always: ['id', 'productId', 'imageId'],
  besides: ['number', 'options', 'image', 'product', 'metafields'],
})

export const productVariantResolvers = {
  Query: {
    productVariant: async (_, { id, productId }, { load }) => {
      const row = decodeId(id, 'ProductVariant')
      const found = row === null ? null : await load.productVariantById.load(row)
      return found && (productId == null || decodeId(productId, 'Product') === found.productId) ? found : null
    },
  },
  Mutation: {
    createProductVariant: (_, { input }, { write }) =>
      write('createProductVariant', input, (unit) => createProductVariant(unit, input)),
    updateProductVariant: (_, { id, productId, input }, { write }) =>
      write('updateProductVariant', { ...input, id, productId }, (unit) => updateProductVariant(unit, id, productId, input)),
    deleteProductVariant: (_, given, { write }) =>
      write('deleteProductVariant', given, (unit) => deleteProductVariant(unit, given.id, given)),
  },
  Product: {
    variants: ({ id }, _, { load }, info) => load.variantsOfProduct(requested.of(info)).load(id),
  },
  ProductVariant: {
    ...identified('ProductVariant'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'ProductVariant')
      return row === null ? null : load.productVariantById.load(row)
    },
    options: ({ id }, _, { load }) => load.optionsOfVariant.load(id),
    product: ({ productId }, _, { load }) => present(load.productById.load(productId), 'product'),
  },
  CreateProductVariantSuccess: {
    productVariant: ({ productVariant }, _, { load }) => present(load.productVariantById.load(productVariant), 'variant'),
  },
  UpdateProductVariantSuccess: {
    productVariant: ({ productVariant }, _, { load }) => present(load.productVariantById.load(productVariant), 'variant'),
  },
  DeleteProductVariantSuccess: gone('ProductVariant'),
} satisfies Resolvers
