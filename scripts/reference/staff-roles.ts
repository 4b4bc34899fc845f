import { SCOPES } from '../../subgraphs/store/access/scopes.ts'
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

/** Rights of the staff of a store by role. */
export function staffRolesPage(): string {
  const roles = STAFF_ROLES.map((role) => [
    codeOf(role),
    PURPOSE[role],
    ROLE_RIGHTS[role].policies.toSorted().map(codeOf).join(', '),
  ])
  const scopes = SCOPES.toSorted().map((scope) => [
    codeOf(scope),
    ...STAFF_ROLES.map((role) => {
      const { scopes } = ROLE_RIGHTS[role]
      return scopes === 'all' || scopes.includes(scope) ? 'yes' : '–'
    }),
  ])
  return `# Roles of staff
Rights of people who work in a [store](../store.md#staff). The schema says which scopes and policies a type or field requires.

${tableOf(['role', 'for', 'policies'], roles)}

## Scopes
${tableOf(['scope', ...STAFF_ROLES.map((role) => role.toLowerCase())], scopes)}

${generatedFrom('subgraphs/store/access/staff-roles.ts')}`
}
