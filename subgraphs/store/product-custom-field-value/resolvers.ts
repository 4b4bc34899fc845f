import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { isOf } from '../product/owner.ts'
import { addProductCustomFieldValue, deleteProductCustomFieldValue, updateProductCustomFieldValue } from './actions.ts'

export const productCustomFieldValueResolvers = {
  Query: {
    productCustomFieldValue: async (_, { id, productId }, { load }) => {
      const row = decodeId(id, 'ProductCustomFieldValue')
      const value = row === null ? null : await load.customFieldValueById.load(row)
      return value && isOf(value, productId) ? value : null
    },
  },
  Mutation: {
    addProductCustomFieldValue: (_, { input }, { write }) =>
      write('addProductCustomFieldValue', input, (unit) => addProductCustomFieldValue(unit, input)),
    updateProductCustomFieldValue: (_, given, { write }) =>
      write('updateProductCustomFieldValue', given, (unit) => updateProductCustomFieldValue(unit, given)),
    deleteProductCustomFieldValue: (_, given, { write }) =>
      write('deleteProductCustomFieldValue', given, (unit) => deleteProductCustomFieldValue(unit, given)),
  },
  Product: {
    customFieldValues: ({ id }, _, { load }) => load.customFieldValuesOfProduct.load(id),
    customFieldValueCount: async ({ id }, _, { load }) => (await load.customFieldValuesOfProduct.load(id)).length,
  },
  ProductCustomFieldValue: {
    ...identified('ProductCustomFieldValue'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'ProductCustomFieldValue')
      return row === null ? null : load.customFieldValueById.load(row)
    },
    customField: ({ customFieldId }, _, { load }) => present(load.customFieldById.load(customFieldId), 'custom field'),
    customFieldNumber: ({ customFieldId }) => customFieldId,
    selectOption: ({ selectOptionId }, _, { load }) =>
      selectOptionId === null ? null : load.selectOptionById.load(selectOptionId),
    selectOptionNumber: ({ selectOptionId }) => selectOptionId,
    variantNumber: ({ variantId }) => variantId,
    product: ({ productId }, _, { load }) => present(load.productById.load(productId), 'product'),
  },
  AddProductCustomFieldValueSuccess: {
    product: ({ product }, _, { load }) => present(load.productById.load(product), 'product'),
    customFieldValues: ({ values }, _, { load }) =>
      Promise.all(values.map((value) => present(load.customFieldValueById.load(value), 'value'))),
  },
  UpdateProductCustomFieldValueSuccess: {
    customFieldValue: ({ value }, _, { load }) => present(load.customFieldValueById.load(value), 'value'),
  },
  DeleteProductCustomFieldValueSuccess: gone('ProductCustomFieldValue'),
} satisfies Resolvers
