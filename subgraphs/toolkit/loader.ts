import DataLoader from 'dataloader'

/**
 * A per-request loader of single rows: `find` gets the distinct keys of a tick and may answer in
 * any order; null for a missing row.
 */
export const loaderByKey = <Row, Key extends string | number = string>(
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row | null> =>
  new DataLoader(async (keys) => {
    const rows = new Map((await find(keys)).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  })

/**
 * The same for lists: `keyOf` assigns rows to keys, in the order of `find`; an empty list for a
 * miss.
 */
export const loaderOfLists = <Row, Key extends string | number = string>(
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row[]> =>
  new DataLoader(async (keys) => {
    const lists = Map.groupBy(await find(keys), keyOf)
    return keys.map((key) => lists.get(key) ?? [])
  })

/** One loader per distinct set of field arguments, cached per request. */
export function loaderPerArguments<Arguments, Loader>(create: (args: Arguments) => Loader): (args: Arguments) => Loader {
  const loaders = new Map<string, Loader>()
  return (args) => {
    const key = JSON.stringify(args)
    const existing = loaders.get(key)
    if (existing) return existing
    const loader = create(args)
    loaders.set(key, loader)
    return loader
  }
}

export type { DataLoader }
