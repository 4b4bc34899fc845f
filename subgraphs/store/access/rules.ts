import { authorizationRules, type Requirement } from '../../../platform/graphql/authorization-rules.ts'
import { sdlOf } from '../../toolkit/sdl.ts'
import { isScope, type Scope } from './scopes.ts'

/** What the schema of the store demands of callers, by type and field. */
export const RULES = authorizationRules(sdlOf('store'))

/** Public root fields without a directive, or with a secret as argument. */
export const PUBLIC_ROOT_FIELDS: ReadonlySet<string> = new Set([
  // Returns the grants of the caller itself.
  'Query.callerGrants',
  'Query.shop',
  'Query.shops',
  'Query.shopOrder',
  'Query.storefront',
  'Subscription.sampleOrderUpdated',
  'Query.authorizationRequest',
  // A cart is opened by its token.
  'Mutation.createStorefrontCart',
  'Mutation.updateStorefrontCart',
  'Mutation.recoverStorefrontCart',
  'Mutation.completeStorefrontCheckout',
  // An order is reviewed by the secret of its link.
  'Mutation.createStorefrontReview',
  'Mutation.retryStorefrontPayment',
  'Mutation.requestCustomerLink',
  'Mutation.openCustomerLink',
  'Mutation.signInCustomer',
  'Mutation.signOutCustomer',
  'Mutation.changeCustomerPassword',
  'Mutation.setCustomerAddresses',
  'Mutation.eraseCustomerAccount',
  'Mutation.requestStorefrontReturn',
  // For users, who have no scopes.
  'Mutation.signInOwnerToAuthorize',
  'Mutation.answerAuthorizationRequest',
  'Mutation.leaveAuthorizationRequest',
  // An invitation is opened by its secret.
  'Query.staffInvitation',
  'Mutation.acceptStaffInvitation',
])

/**
 * Scopes of which any one opens a type or a field by its own directive; an empty list is open to
 * every known caller. Null where there is no directive, or one that no scope meets.
 */
export function scopesFor(coordinate: string): readonly Scope[] | null {
  const requirement = RULES.ofField.get(coordinate) ?? RULES.ofType.get(coordinate)
  return !requirement || requirement.policies ? null : anyScopeOf(requirement)
}

/** The store's SDL has no demand of two scopes at once; one is an error at start. */
export function anyScopeOf({ scopes }: Requirement): readonly Scope[] {
  return (scopes ?? []).map((all) => {
    const [scope = '', ...others] = all
    if (others.length > 0 || !isScope(scope))
      throw new Error(`Expected one known scope in each group, got ${JSON.stringify(all)}.`)
    return scope
  })
}
