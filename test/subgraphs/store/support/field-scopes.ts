import { PUBLIC_ROOT_FIELDS, RULES } from '../../../../subgraphs/store/access/rules.ts'

/**
 * What opens each root field of the store, as its SDL says: any of some scopes (none: every known
 * caller), the owner only, or anyone.
 */
export const FIELD_SCOPES: Readonly<Record<string, readonly string[] | 'owner' | 'anyone'>> = Object.fromEntries([
  ...[...PUBLIC_ROOT_FIELDS].map((field) => [field, 'anyone' as const]),
  ...[...RULES.ofField].flatMap(([field, { scopes, policies }]) =>
    /^(Query|Mutation|Subscription)\./.test(field) ? [[field, policies ? ('owner' as const) : (scopes ?? []).flat()]] : [],
  ),
])
