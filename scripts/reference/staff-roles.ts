import { ROLE_RIGHTS, STAFF_ROLES, type StaffRole } from '../../subgraphs/store/access/staff-roles.ts'
import { codeOf, generatedFrom, tableOf } from './markdown.ts'

/** What each role is for; what it may do is in `ROLE_RIGHTS`. */
const PURPOSE: Readonly<Record<StaffRole, string>> = {
  OWNER: "everything, as with the store's own login and authtoken",
  MANAGER: 'everything but staff, apps, imports, exports, authtoken and webhook secret',
  CATALOGUE: 'products with stock, promotions with coupons and gift cards, pages, theme',
  FULFILLMENT: 'shipments of orders',
  SUPPORT: 'answering customers',
}

const listOf = (names: readonly string[]): string => names.toSorted().map(codeOf).join(', ') || 'none'

/** Rights of the staff of a store by role. */
export function staffRolesPage(): string {
  const rows = STAFF_ROLES.map((role) => {
    const { scopes, policies } = ROLE_RIGHTS[role]
    const scopesOf = (prefix: string) => (scopes === 'all' ? 'all' : listOf(scopes.filter((scope) => scope.startsWith(prefix))))
    return [codeOf(role), PURPOSE[role], scopesOf('read_'), scopesOf('write_'), listOf(policies)]
  })
  return `# Roles of staff
Rights of people who work in a [store](../store.md#staff). The schema says which scopes and policies a type or field requires.

${tableOf(['role', 'for', 'scopes that read', 'scopes that change', 'policies'], rows)}

${generatedFrom('subgraphs/store/access/staff-roles.ts')}`
}
