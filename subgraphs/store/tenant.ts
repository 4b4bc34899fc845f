/**
 * The store whose rows are read: what loaders and repositories of a store take. Rejects like
 * `Context.access`.
 */
export type Tenant = { readonly storeId: () => Promise<number> }
