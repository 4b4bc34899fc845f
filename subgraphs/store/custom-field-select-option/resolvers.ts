import type { Resolvers } from '#generated/store/resolvers.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { createCustomFieldSelectOption, deleteCustomFieldSelectOption, updateCustomFieldSelectOption } from './actions.ts'

export const customFieldSelectOptionResolvers = {
  Query: {
    customFieldSelectOption: async (_, { id, customFieldId }, { load }) => {
      const row = decodeId(id, 'CustomFieldSelectOption')
      const option = row === null ? null : await load.selectOptionById.load(row)
      const isOther = customFieldId != null && decodeId(customFieldId, 'CustomField') !== option?.customFieldId
      return isOther ? null : option
    },
  },
  Mutation: {
    createCustomFieldSelectOption: (_, { input }, { write }) =>
      write('createCustomFieldSelectOption', input, (unit) => createCustomFieldSelectOption(unit, input)),
    updateCustomFieldSelectOption: (_, given, { write }) =>
      write('updateCustomFieldSelectOption', given, (unit) => updateCustomFieldSelectOption(unit, given)),
    deleteCustomFieldSelectOption: (_, given, { write }) =>
      write('deleteCustomFieldSelectOption', given, (unit) => deleteCustomFieldSelectOption(unit, given)),
  },
  CustomFieldSelectOption: {
    ...identified('CustomFieldSelectOption'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'CustomFieldSelectOption')
      return row === null ? null : load.selectOptionById.load(row)
    },
    customField: ({ customFieldId }, _, { load }) => present(load.customFieldById.load(customFieldId), 'custom field'),
  },
  CreateCustomFieldSelectOptionSuccess: {
    customFieldSelectOption: ({ customFieldSelectOption }, _, { load }) =>
      present(load.selectOptionById.load(customFieldSelectOption), 'select option'),
  },
  UpdateCustomFieldSelectOptionSuccess: {
    customFieldSelectOption: ({ customFieldSelectOption }, _, { load }) =>
      present(load.selectOptionById.load(customFieldSelectOption), 'select option'),
  },
  DeleteCustomFieldSelectOptionSuccess: gone('CustomFieldSelectOption'),
} satisfies Resolvers
