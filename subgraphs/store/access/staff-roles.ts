import { SCOPES, type Scope } from './scopes.ts'

/** Roles of users in a store, the one with most rights first. */
export const STAFF_ROLES = ['OWNER', 'MANAGER', 'CATALOGUE', 'FULFILLMENT', 'SUPPORT'] as const
export type StaffRole = (typeof STAFF_ROLES)[number]

/** Policies of the schema that no app has: `@policy(policies: [["store_owner"]])`. */
export const STORE_POLICIES = {
  /** The store's own login and authtoken, and its owner. */
  owner: 'store_owner',
  /** The same, and its managers. */
  manager: 'store_manager',
  /** Everybody who works in the store: all of these. */
  staff: 'store_staff',
} as const
type Policy = (typeof STORE_POLICIES)[keyof typeof STORE_POLICIES]

/** What a role may do: scopes as apps have them, and policies. */
type RoleRights = { readonly scopes: 'all' | readonly Scope[]; readonly policies: readonly Policy[] }

/** Money that the store owes the operator, and what it agreed with apps: for the owner and managers. */
const BILLING: readonly Scope[] = ['read_apps', 'read_transaction_ledgers']
const READING = SCOPES.filter((scope) => scope.startsWith('read_') && !BILLING.includes(scope))
/** Who buys, and what they bought. */
const OF_SHOPPERS: readonly Scope[] = ['read_customers', 'read_customer_categories', 'read_fulfillments', 'read_orders']
const CATALOGUE_WRITING: readonly Scope[] = [
  'write_categories',
  'write_custom_fields',
  'write_pages',
  'write_products',
  'write_promotions',
  'write_reviews',
  'write_settings',
]

/**
 * The rights of each role: the one place that says so. What a mutation demands is in the schema, so
 * that both together say who may run it.
 */
export const ROLE_RIGHTS: Readonly<Record<StaffRole, RoleRights>> = {
  OWNER: { scopes: 'all', policies: [STORE_POLICIES.owner, STORE_POLICIES.manager, STORE_POLICIES.staff] },
  MANAGER: {
    scopes: SCOPES.filter((scope) => scope !== 'write_store_setup'),
    policies: [STORE_POLICIES.manager, STORE_POLICIES.staff],
  },
  CATALOGUE: {
    scopes: [...READING.filter((scope) => !OF_SHOPPERS.includes(scope) && scope !== 'read_hooks'), ...CATALOGUE_WRITING],
    policies: [STORE_POLICIES.staff],
  },
  FULFILLMENT: { scopes: [...READING, 'write_fulfillments'], policies: [STORE_POLICIES.staff] },
  SUPPORT: { scopes: READING, policies: [STORE_POLICIES.staff] },
}
