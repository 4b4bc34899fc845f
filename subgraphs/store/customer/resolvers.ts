import type { CustomerFilter, Resolvers } from '#generated/store/resolvers.ts'
import { badInput } from '../../../platform/graphql/errors.ts'
import { connectionFields, type KeysetList, keysetPage, keysetRange } from '../../toolkit/keyset.ts'
import { isText } from '../../toolkit/validation.ts'
import type { Context } from '../context.ts'
import { eventsFor, type FeedEvent } from '../feed.ts'
import { decodeId, gone, identified, present } from '../ids.ts'
import { LIST_SIZES, searchWords } from '../lists.ts'
import { createCustomer, deleteCustomer, eraseCustomer, passwordHashOf, updateCustomer, withoutPassword } from './actions.ts'
import { bulkCreateCustomers, bulkUpdateCustomers, passwordHashesOf } from './bulk.ts'
import { type Customer, fullname } from './customer.ts'
import type { CustomerSelection } from './repository.ts'

const listed = (name: string): KeysetList<Customer> => ({
  name,
  parts: ['time', 'number'],
  positionOf: ({ createdAt, id }) => [createdAt.toISOString(), id],
})
const OLDEST_FIRST = listed('customers')
const NEWEST_FIRST = listed('customersNewestFirst')

export const customerResolvers = {
  Query: {
    customer: (_, { id }, { load }) => {
      const row = decodeId(id, 'Customer')
      return row === null ? null : load.customerById.load(row)
    },
    customerByEmail: async (_, { email }, { storeId, customers }) =>
      isText(email) ? customers.findByEmail(await storeId(), email) : null,
    customers: async (_, { filter, search, orderBy, ...page }, { storeId, customers }) => {
      const isNewestFirst = orderBy === 'CREATED_DESC'
      const list = isNewestFirst ? NEWEST_FIRST : OLDEST_FIRST
      const range = keysetRange(list, page, LIST_SIZES)
      const which = selectionOf(filter, search)
      const store = await storeId()
      const rows = await customers.list(store, which, range, isNewestFirst)
      return keysetPage(list, range, rows, () => customers.count(store, which))
    },
  },
  Mutation: {
    createCustomer: async (_, { input }, { write }) => {
      const hash = await passwordHashOf(input)
      return write('createCustomer', withoutPassword(input), (unit) => createCustomer(unit, input, hash))
    },
    updateCustomer: async (_, { id, input }, { write }) => {
      const hash = await passwordHashOf(input)
      return write('updateCustomer', { ...withoutPassword(input), id }, (unit) => updateCustomer(unit, id, input, hash))
    },
    deleteCustomer: (_, given, { write }) => write('deleteCustomer', given, (unit) => deleteCustomer(unit, given.id, given)),
    eraseCustomer: (_, given, { write }) => write('eraseCustomer', given, (unit) => eraseCustomer(unit, given.id)),
    bulkCreateCustomers: async (_, { input }, { write }) => {
      const hashes = await passwordHashesOf(input.customers)
      const onError = input.onError ?? 'ALL_OR_NOTHING'
      return write('bulkCreateCustomers', { ...input, customers: input.customers.map(withoutPassword) }, (unit) =>
        bulkCreateCustomers(unit, { ...input, onError }, hashes),
      )
    },
    bulkUpdateCustomers: async (_, { input }, { write }) => {
      const hashes = await passwordHashesOf(input.customers.map((row) => row.input))
      const onError = input.onError ?? 'ALL_OR_NOTHING'
      const remembered = input.customers.map((row) => ({ ...row, input: withoutPassword(row.input) }))
      return write('bulkUpdateCustomers', { ...input, customers: remembered }, (unit) =>
        bulkUpdateCustomers(unit, { ...input, onError }, hashes),
      )
    },
  },
  Subscription: {
    customerCreated: {
      subscribe: (_, __, context) => eventsFor(context, 'customerCreated', ['customer_created'], () => true),
      resolve: ({ payload: { id } }: FeedEvent, _: unknown, { load }: Context) => load.customerById.load(id),
    },
  },
  Customer: {
    ...identified('Customer'),
    __resolveReference: ({ id }, { load }) => {
      const row = decodeId(id, 'Customer')
      return row === null ? null : load.customerById.load(row)
    },
    fullname,
  },
  CustomerConnection: connectionFields,
  CreateCustomerSuccess: { customer: ({ customer }, _, { load }) => present(load.customerById.load(customer), 'customer') },
  UpdateCustomerSuccess: { customer: ({ customer }, _, { load }) => present(load.customerById.load(customer), 'customer') },
  DeleteCustomerSuccess: gone('Customer'),
  EraseCustomerSuccess: gone('Customer'),
  BulkCustomerRow: {
    customer: ({ customer }, _, { load }) => (customer === null ? null : load.customerById.load(customer)),
  },
} satisfies Resolvers

function selectionOf(filter: CustomerFilter | null | undefined, search: string | null | undefined): CustomerSelection {
  const { email, status, categoryId, acceptsMarketing, createdSince, createdBefore, updatedSince } = filter ?? {}
  if (email != null && !isText(email)) {
    throw badInput('filter.email', 'text without NUL characters and unpaired surrogates', email)
  }
  return {
    words: searchWords('search', search ?? ''),
    ...(email != null && { email }),
    ...(status && { status }),
    // An invalid id is that of no category.
    ...(categoryId != null && { categoryId: decodeId(categoryId, 'CustomerCategory') ?? 0 }),
    ...(acceptsMarketing != null && { acceptsMarketing }),
    ...(createdSince != null && { createdSince }),
    ...(createdBefore != null && { createdBefore }),
    ...(updatedSince != null && { updatedSince }),
  }
}
