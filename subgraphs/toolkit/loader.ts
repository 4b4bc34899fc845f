import DataLoader from 'dataloader'

/**
 * A loader of single rows for one request: `find` gets the distinct keys of one tick and may answer in any order; the loader puts rows
 * back into key order, with null for a miss.
 */
export const loaderByKey = <Row, Key extends string | number = string>(
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row | null> =>
  new DataLoader(async (keys) => {
    const rows = new Map((await find(keys)).map((row) => [keyOf(row), row]))
    return keys.map((key) => rows.get(key) ?? null)
  })

/** The same for lists: every row belongs to the key that `keyOf` gives, in the order of `find`; an empty list for a miss. */
export const loaderOfLists = <Row, Key extends string | number = string>(
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row[]> =>
  new DataLoader(async (keys) => {
    const lists = Map.groupBy(await find(keys), keyOf)
    return keys.map((key) => lists.get(key) ?? [])
  })

/** A field with arguments has a loader for each different set of them: this remembers one per request and set. */
export function loaderPerArguments<Arguments, Loader>(make: (given: Arguments) => Loader): (given: Arguments) => Loader {
  const made = new Map<string, Loader>()
  return (given) => {
    const key = JSON.stringify(given)
    const known = made.get(key)
    if (known) return known
    const loader = make(given)
    made.set(key, loader)
    return loader
  }
}

export type { DataLoader }
