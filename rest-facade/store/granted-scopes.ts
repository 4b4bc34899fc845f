import type { GraphQLFormattedError } from 'graphql'
import type { Caller } from '../../subgraphs/runtime/caller.ts'
import type { Operation } from './contract.ts'

/**
 * What the published contract answers beyond the scope that it demands (`x-scope`), by operationId: scopes of the graph that
 * hold for this one operation and its fixed selection. Clients of the contract rely on it; the graph itself, where a client
 * chooses what to select, grants none of this. The owner of a store reads the same in docs/security.md.
 */
const BEYOND_X_SCOPE: Readonly<Record<string, readonly string[]>> = {
  // The names of the questions that additional fields answer.
  ...granted(
    ['read_checkout_custom_fields'],
    [
      'listCustomers',
      'searchCustomers',
      'getCustomer',
      'getCustomerByEmail',
      'createCustomer',
      'updateCustomer',
      'listCustomerFields',
      'getCustomerField',
      'createCustomerField',
      'updateCustomerField',
      'listCustomerCategoryMembers',
      'addCustomerCategoryMembers',
    ],
  ),
  // Ids of what a promotion is about.
  ...granted(
    ['read_products', 'read_customer_categories'],
    ['listPromotions', 'getPromotion', 'createPromotion', 'updatePromotion'],
  ),
  // The order that is sent, whole.
  ...granted(
    ['read_orders'],
    ['listFulfillments', 'getFulfillment', 'listOrderFulfillments', 'createFulfillment', 'updateFulfillment'],
  ),
  // The orders of a customer, and those that a month of a subscription is counted by.
  ...granted(['read_orders'], ['listCustomerOrders', 'listCustomerOrdersByStatus', 'getAppBillingCycleOrders']),
  // The script that was written, for apps with the finer scope.
  ...granted(['read_jsapps'], ['createJsApp']),
  // Number and code of the caller's own store; the store that was just set up.
  ...granted(['read_store'], ['getAppInstallStatus', 'getAppInstallStatusByStore', 'setupStore']),
}

/** Keys that the contract lets be null, and that are null for callers who may not read them: all else of such an answer stands. */
const NULL_WHEN_REFUSED: Readonly<Record<string, string>> = {
  getStoreInfo: 'hooks_token',
  listReviews: 'customer_email',
  listProductReviews: 'customer_email',
  getReview: 'customer_email',
}

function granted(scopes: readonly string[], operationIds: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(operationIds.map((operationId) => [operationId, scopes]))
}

/**
 * Scopes that an operation of the contract has beside those of the credentials: what it answers beyond its `x-scope`, and the
 * reading of what it has just written.
 */
export function grantedScopesOf({ operationId, scope }: Pick<Operation, 'operationId' | 'scope'>): readonly string[] {
  const own = Object.hasOwn(BEYOND_X_SCOPE, operationId) ? (BEYOND_X_SCOPE[operationId] ?? []) : []
  return scope?.startsWith('write_') ? [scope.replace('write_', 'read_'), ...own] : own
}

/** Operations that the tables above name. */
export const namedOperations: readonly string[] = [...Object.keys(BEYOND_X_SCOPE), ...Object.keys(NULL_WHEN_REFUSED)]

/** The caller of one operation, with what its contract grants. */
export function callerWithGrants(caller: Caller, operation: Pick<Operation, 'operationId' | 'scope'>): Caller {
  const grantedScopes = grantedScopesOf(operation)
  return grantedScopes.length > 0 ? { ...caller, grantedScopes } : caller
}

/** The errors that stand in the way of an answer: all but refusals of a key that may be null. */
export function withoutNulls(
  errors: readonly GraphQLFormattedError[],
  { operationId }: Pick<Operation, 'operationId'>,
): readonly GraphQLFormattedError[] {
  if (errors.length === 0 || !Object.hasOwn(NULL_WHEN_REFUSED, operationId)) return errors
  const key = NULL_WHEN_REFUSED[operationId]
  return errors.filter(({ path, extensions }) => extensions?.code !== 'UNAUTHORIZED_FIELD_OR_TYPE' || path?.at(-1) !== key)
}
