import type { Resolvers } from '#generated/store/resolvers.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import type { Context } from '../context.ts'
import type { Customer } from '../customer/customer.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES } from '../lists.ts'
import {
  addCustomersToCategory,
  createCustomerCategory,
  deleteCustomerCategory,
  removeCustomerFromCategory,
  updateCustomerCategory,
} from './actions.ts'
import type { CustomerCategory } from './customer-category.ts'

const ALL: KeysetList<CustomerCategory> = { name: 'customerCategories', parts: ['number'], positionOf: ({ id }) => [id] }
const MEMBERS: KeysetList<Customer> = { name: 'customersInCategory', parts: ['number'], positionOf: ({ id }) => [id] }

export const customerCategoryResolvers = {
  Query: {
    customerCategory: (_, { id }, { load }) => {
      const row = decodeId(id, 'CustomerCategory')
      return row === null ? null : load.customerCategoryById.load(row)
    },
    customerCategories: async (_, page, { storeId, customerCategories }) => {
      const range = keysetRange(ALL, page, LIST_SIZES)
      const store = await storeId()
      return keysetPage(ALL, range, await customerCategories.list(store, range), () => customerCategories.count(store))
    },
  },
  Mutation: {
    createCustomerCategory: (_, { input }, { write }) =>
      write('createCustomerCategory', input, (unit) => createCustomerCategory(unit, input)),
    updateCustomerCategory: (_, { id, input }, { write }) =>
      write('updateCustomerCategory', { ...input, id }, (unit) => updateCustomerCategory(unit, id, input)),
    deleteCustomerCategory: (_, given, { write }) =>
      write('deleteCustomerCategory', given, (unit) => deleteCustomerCategory(unit, given.id, given)),
    addCustomersToCategory: (_, { id, input }, { write }) =>
      write('addCustomersToCategory', { ...input, id }, (unit) => addCustomersToCategory(unit, id, input)),
    removeCustomerFromCategory: (_, given, { write }) =>
      write('removeCustomerFromCategory', given, (unit) => removeCustomerFromCategory(unit, given.id, given)),
  },
  CustomerCategory: {
    ...identified('CustomerCategory'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'CustomerCategory')
      return row === null ? null : load.customerCategoryById.load(row)
    },
    customers: async ({ id }, page, { load }) => {
      const range = keysetRange(MEMBERS, page, LIST_SIZES)
      const rows = await load.customerIdsInCategory(range).load(id)
      const customers = await customersOf(
        rows.map(({ customerId }) => customerId),
        load,
      )
      return keysetPage(MEMBERS, range, customers, async () => Number((await load.customerCountInCategory.load(id))?.count ?? 0))
    },
  },
  Customer: {
    categories: async ({ id }, _, { load }) => {
      const rows = await load.categoryIdsOfCustomer.load(id)
      const found = await Promise.all(rows.map(({ categoryId }) => load.customerCategoryById.load(categoryId)))
      // One that went between the two statements is left out.
      return found.filter((category) => category !== null)
    },
  },
  CustomerCategoryConnection: connectionFields,
  CreateCustomerCategorySuccess: { customerCategory: changed },
  UpdateCustomerCategorySuccess: { customerCategory: changed },
  DeleteCustomerCategorySuccess: gone('CustomerCategory'),
  AddCustomersToCategorySuccess: {
    customerCategory: changed,
    customers: ({ customers }, _, { load }) => customersOf(customers, load),
  },
  RemoveCustomerFromCategorySuccess: { customerCategory: changed },
} satisfies Resolvers

function changed({ customerCategory }: { readonly customerCategory: number }, _: unknown, { load }: Context) {
  return present(load.customerCategoryById.load(customerCategory), 'customer category')
}

/** Customers by their rows; one that went meanwhile is left out. */
async function customersOf(rows: readonly number[], load: Context['load']): Promise<Customer[]> {
  const found = await Promise.all(rows.map((row) => load.customerById.load(row)))
  return found.filter((customer) => customer !== null)
}
