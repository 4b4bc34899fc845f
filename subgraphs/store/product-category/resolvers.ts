import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createProductCategory, deleteProductCategory, updateProductCategory } from './actions.ts'
import type { ProductCategory } from './product-category.ts'

const ALL: KeysetList<ProductCategory> = { name: 'productCategories', parts: ['number'], positionOf: ({ id }) => [id] }

export const productCategoryResolvers = {
  Query: {
    productCategory: (_, { id }, { load }) => {
      const row = decodeId(id, 'ProductCategory')
      return row === null ? null : load.productCategoryById.load(row)
    },
    productCategories: async (_, page, { storeId, productCategories }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ALL, range, await productCategories.list(store, range), () => productCategories.count(store))
    },
  },
  Mutation: {
    createProductCategory: (_, { input }, { write }) =>
      write('createProductCategory', input, (unit) => createProductCategory(unit, input)),
    updateProductCategory: (_, { id, input }, { write }) =>
      write('updateProductCategory', { ...input, id }, (unit) => updateProductCategory(unit, id, input)),
    deleteProductCategory: (_, given, { write }) =>
      write('deleteProductCategory', given, (unit) => deleteProductCategory(unit, given.id, given)),
  },
  ProductCategory: {
    ...identified('ProductCategory'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'ProductCategory')
      return row === null ? null : load.productCategoryById.load(row)
    },
    parent: ({ parentId }, _, { load }) => (parentId === null ? null : load.productCategoryById.load(parentId)),
    parentNumber: ({ parentId }) => parentId,
    children: ({ id }, _, { load }) => load.productCategoriesOfParent.load(id),
  },
  ProductCategoryConnection: connectionFields,
  CreateProductCategorySuccess: {
    productCategory: ({ productCategory }, _, { load }) => present(load.productCategoryById.load(productCategory), 'category'),
  },
  UpdateProductCategorySuccess: {
    productCategory: ({ productCategory }, _, { load }) => present(load.productCategoryById.load(productCategory), 'category'),
  },
  DeleteProductCategorySuccess: gone('ProductCategory'),
} satisfies Resolvers
