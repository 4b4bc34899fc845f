import type { GraphQLFormattedError } from 'graphql'
import type { Caller, ScopeGrant } from '../../platform/http/caller.ts'
import type { ContractOperation } from './contract.ts'

/**
 * Scopes that the published contract grants beyond the scope that it requires (`x-scope`), by
 * operationId: for that operation and its fixed selection only, to credentials with that scope.
 * Clients of the contract rely on it; GraphQL, where the client chooses the selection, grants none
 * of this. docs/security.md says the same to operators.
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
  // Ids of the products and customer categories of a promotion.
  ...granted(
    ['read_products', 'read_customer_categories'],
    ['listPromotions', 'getPromotion', 'createPromotion', 'updatePromotion'],
  ),
  // The whole order of a fulfillment.
  ...granted(
    ['read_orders'],
    ['listFulfillments', 'getFulfillment', 'listOrderFulfillments', 'createFulfillment', 'updateFulfillment'],
  ),
  // The orders of a customer, and those of a billing cycle.
  ...granted(['read_orders'], ['listCustomerOrders', 'listCustomerOrdersByStatus', 'getAppBillingCycleOrders']),
  // Id and code of the caller's own store; the store that was just set up.
  ...granted(['read_store'], ['getAppInstallStatus', 'getAppInstallStatusByStore', 'setupStore']),
}

/**
 * Finer scopes, which open operations like their `x-scope`, and what they read of their own noun. A
 * finer scope never grants all of the `x-scope`: members of a category are customers, and need a
 * scope of customers.
 */
const FINER: readonly ScopeGrant[] = [
  ...['categories', 'locations', 'custom_fields', 'checkout_custom_fields', 'customer_categories'].map((noun) => ({
    holding: `write_${noun}`,
    scopes: [`read_${noun}`],
  })),
]

/** The same for scripts, whose responses name their app. */
const FINER_OF_SCRIPTS: Readonly<Record<string, ScopeGrant>> = {
  listJsApps: { holding: 'read_jsapps', scopes: ['read_apps'] },
  listJsAppsByApp: { holding: 'read_jsapps', scopes: ['read_apps'] },
  createJsApp: { holding: 'write_jsapps', scopes: ['read_jsapps', 'read_apps'] },
}

/** Nullable keys that are null for callers without their scope, instead of failing the response. */
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
 * Scopes that an operation grants in addition to those of the credentials: what it returns beyond
 * its `x-scope`, and reading what it has just written.
 */
export function grantedScopesOf({ operationId, method, scope }: ScopedOperation): readonly ScopeGrant[] {
  const beyond = Object.hasOwn(BEYOND_X_SCOPE, operationId) ? (BEYOND_X_SCOPE[operationId] ?? []) : []
  const written = scope?.startsWith('write_') ? [scope.replace('write_', 'read_')] : []
  const scopes = [...written, ...beyond]
  const ofScripts = Object.hasOwn(FINER_OF_SCRIPTS, operationId) ? FINER_OF_SCRIPTS[operationId] : undefined
  const finer = [...(method === 'GET' ? [] : FINER), ...(ofScripts ? [ofScripts] : [])]
  return [...(scope !== null && scopes.length > 0 ? [{ holding: scope, scopes }] : []), ...finer]
}

type ScopedOperation = Pick<ContractOperation, 'operationId' | 'method' | 'scope'>

/** Operations that the tables above name. */
export const namedOperations: readonly string[] = [...Object.keys(BEYOND_X_SCOPE), ...Object.keys(NULL_WHEN_REFUSED)]

/** The caller with the scopes that the contract grants for one operation. */
export const callerWithGrants = (caller: Caller, operation: ScopedOperation): Caller => ({
  ...caller,
  grantedScopes: grantedScopesOf(operation),
})

/** Errors without those of nullable keys that the caller may not read. */
export function withoutNulls(
  errors: readonly GraphQLFormattedError[],
  { operationId }: Pick<ContractOperation, 'operationId'>,
): readonly GraphQLFormattedError[] {
  if (errors.length === 0 || !Object.hasOwn(NULL_WHEN_REFUSED, operationId)) return errors
  const key = NULL_WHEN_REFUSED[operationId]
  return errors.filter(({ path, extensions }) => extensions?.code !== 'UNAUTHORIZED_FIELD_OR_TYPE' || path?.at(-1) !== key)
}
