import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import { createCustomField, deleteCustomField, updateCustomField } from './actions.ts'
import type { CustomField } from './custom-field.ts'

const ALL: KeysetList<CustomField> = { name: 'customFields', parts: ['number'], positionOf: ({ id }) => [id] }

export const customFieldResolvers = {
  Query: {
    customField: (_, { id }, { load }) => {
      const row = decodeId(id, 'CustomField')
      return row === null ? null : load.customFieldById.load(row)
    },
    customFields: async (_, page, { storeId, customFields }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ALL, range, await customFields.list(store, range), () => customFields.count(store))
    },
  },
  Mutation: {
    createCustomField: (_, { input }, { write }) => write('createCustomField', input, (unit) => createCustomField(unit, input)),
    updateCustomField: (_, { id, input }, { write }) =>
      write('updateCustomField', { ...input, id }, (unit) => updateCustomField(unit, id, input)),
    deleteCustomField: (_, given, { write }) =>
      write('deleteCustomField', given, (unit) => deleteCustomField(unit, given.id, given)),
  },
  CustomField: {
    ...identified('CustomField'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'CustomField')
      return row === null ? null : load.customFieldById.load(row)
    },
    selectOptions: ({ id }, _, { load }) => load.selectOptionsOfField.load(id),
    values: async ({ id }, _, { load }) => (await load.selectOptionsOfField.load(id)).map(({ value }) => value),
  },
  CustomFieldConnection: connectionFields,
  CreateCustomFieldSuccess: {
    customField: ({ customField }, _, { load }) => present(load.customFieldById.load(customField), 'custom field'),
  },
  UpdateCustomFieldSuccess: {
    customField: ({ customField }, _, { load }) => present(load.customFieldById.load(customField), 'custom field'),
  },
  DeleteCustomFieldSuccess: gone('CustomField'),
} satisfies Resolvers
