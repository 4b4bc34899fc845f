/** Where collections are. */
export const COLLECTIONS = '/collections'

/** Where somebody adds an item to one of their own. */
export const addPath = `${COLLECTIONS}/add` as const

/** Path of a collection's page. */
export const pathOfCollection = (id: string): string => `${COLLECTIONS}/${encodeURIComponent(id)}`
