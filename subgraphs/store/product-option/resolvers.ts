import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import {
  createProductOption,
  createProductOptionValue,
  deleteProductOption,
  deleteProductOptionValue,
  updateProductOption,
  updateProductOptionValue,
} from './actions.ts'

/** Whether an id that was given, if any, is that of this row. */
const isOf = (id: string | null | undefined, type: string, row: number): boolean => id == null || decodeId(id, type) === row

export const productOptionResolvers = {
  Query: {
    productOption: async (_, { id, productId }, { load }) => {
      const row = decodeId(id, 'ProductOption')
      const found = row === null ? null : await load.productOptionById.load(row)
      return found && isOf(productId, 'Product', found.productId) ? found : null
    },
    productOptionValue: async (_, { id, optionId, productId }, { load }) => {
      const row = decodeId(id, 'ProductOptionValue')
      const found = row === null ? null : await load.productOptionValueById.load(row)
      return found && isOf(optionId, 'ProductOption', found.optionId) && isOf(productId, 'Product', found.productId)
        ? found
        : null
    },
  },
  Mutation: {
    createProductOption: (_, { input }, { write }) =>
      write('createProductOption', input, (unit) => createProductOption(unit, input)),
    updateProductOption: (_, { id, productId, input }, { write }) =>
      write('updateProductOption', { ...input, id, productId }, (unit) => updateProductOption(unit, id, { productId }, input)),
    deleteProductOption: (_, given, { write }) =>
      write('deleteProductOption', given, (unit) => deleteProductOption(unit, given.id, given)),
    createProductOptionValue: (_, { input }, { write }) =>
      write('createProductOptionValue', input, (unit) => createProductOptionValue(unit, input)),
    updateProductOptionValue: (_, { id, optionId, productId, input }, { write }) =>
      write('updateProductOptionValue', { ...input, id, optionId, productId }, (unit) =>
        updateProductOptionValue(unit, id, { optionId, productId }, input),
      ),
    deleteProductOptionValue: (_, given, { write }) =>
      write('deleteProductOptionValue', given, (unit) => deleteProductOptionValue(unit, given.id, given)),
  },
  Product: {
    options: ({ id }, _, { load }) => load.optionsOfProduct.load(id),
  },
  ProductOption: {
    ...identified('ProductOption'),
    values: ({ id }, _, { load }) => load.valuesOfOption.load(id),
  },
  ProductOptionValue: {
    ...identified('ProductOptionValue'),
    option: ({ optionId }, _, { load }) => present(load.productOptionById.load(optionId), 'option'),
    variants: ({ id }, _, { load }) => load.variantsWithValue.load(id),
  },
  CreateProductOptionSuccess: {
    productOption: ({ productOption }, _, { load }) => present(load.productOptionById.load(productOption), 'option'),
  },
  UpdateProductOptionSuccess: {
    productOption: ({ productOption }, _, { load }) => present(load.productOptionById.load(productOption), 'option'),
  },
  DeleteProductOptionSuccess: gone('ProductOption'),
  CreateProductOptionValueSuccess: {
    productOptionValue: ({ productOptionValue }, _, { load }) =>
      present(load.productOptionValueById.load(productOptionValue), 'value'),
  },
  UpdateProductOptionValueSuccess: {
    productOptionValue: ({ productOptionValue }, _, { load }) =>
      present(load.productOptionValueById.load(productOptionValue), 'value'),
  },
  DeleteProductOptionValueSuccess: gone('ProductOptionValue'),
} satisfies Resolvers
