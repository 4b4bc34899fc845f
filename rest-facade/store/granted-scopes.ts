import type { GraphQLFormattedError } from 'graphql'
import type { Caller, ScopeGrant } from '../../platform/http/caller.ts'
import type { Operation } from './contract.ts'

/**
 * What the published contract answers beyond the scope that it demands (`x-scope`), by operationId: scopes of the graph that
 * hold for this one operation and its fixed selection, for credentials that hold that scope. Clients of the contract rely on
 * it; the graph itself, where a client chooses what to select, grants none of this. docs/security.md tells operators the same.
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
  // Number and code of the caller's own store; the store that was just set up.
  ...granted(['read_store'], ['getAppInstallStatus', 'getAppInstallStatusByStore', 'setupStore']),
}

/**
 * Finer scopes, which open operations beside their `x-scope`, and what they read of their own noun. A finer scope never has what
 * the `x-scope` has: members of a category are customers, and take a scope of customers.
 */
const FINER: readonly ScopeGrant[] = [
  ...['categories', 'locations', 'custom_fields', 'checkout_custom_fields', 'customer_categories'].map((noun) => ({
    holding: `write_${noun}`,
    scopes: [`read_${noun}`],
  })),
]

/** The same for scripts, which name the app that they are of. */
const FINER_OF_SCRIPTS: Readonly<Record<string, ScopeGrant>> = {
  listJsApps: { holding: 'read_jsapps', scopes: ['read_apps'] },
  listJsAppsByApp: { holding: 'read_jsapps', scopes: ['read_apps'] },
  createJsApp: { holding: 'write_jsapps', scopes: ['read_jsapps', 'read_apps'] },
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
export function grantedScopesOf({ operationId, method, scope }: ContractOperation): readonly ScopeGrant[] {
  const beyond = Object.hasOwn(BEYOND_X_SCOPE, operationId) ? (BEYOND_X_SCOPE[operationId] ?? []) : []
  const written = scope?.startsWith('write_') ? [scope.replace('write_', 'read_')] : []
  const scopes = [...written, ...beyond]
  const ofScripts = Object.hasOwn(FINER_OF_SCRIPTS, operationId) ? FINER_OF_SCRIPTS[operationId] : undefined
  const finer = [...(method === 'GET' ? [] : FINER), ...(ofScripts ? [ofScripts] : [])]
  return [...(scope !== null && scopes.length > 0 ? [{ holding: scope, scopes }] : []), ...finer]
}

type ContractOperation = Pick<Operation, 'operationId' | 'method' | 'scope'>

/** Operations that the tables above name. */
export const namedOperations: readonly string[] = [...Object.keys(BEYOND_X_SCOPE), ...Object.keys(NULL_WHEN_REFUSED)]

/** The caller of one operation, with what its contract grants. */
export const callerWithGrants = (caller: Caller, operation: ContractOperation): Caller => ({
  ...caller,
  grantedScopes: grantedScopesOf(operation),
})

/** The errors that stand in the way of an answer: all but refusals of a key that may be null. */
export function withoutNulls(
  errors: readonly GraphQLFormattedError[],
  { operationId }: Pick<Operation, 'operationId'>,
): readonly GraphQLFormattedError[] {
  if (errors.length === 0 || !Object.hasOwn(NULL_WHEN_REFUSED, operationId)) return errors
  const key = NULL_WHEN_REFUSED[operationId]
  return errors.filter(({ path, extensions }) => extensions?.code !== 'UNAUTHORIZED_FIELD_OR_TYPE' || path?.at(-1) !== key)
}
