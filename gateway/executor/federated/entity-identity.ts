import type { Data } from './response-data.ts'

/** Computes a value that is equal for equal objects of one type only; null when it cannot. */
export type IdentityOf = (object: Data) => unknown

/**
 * Identity by the values of these leaf keys. Null when the only key is neither string nor number.
 */
export function identityByKeys(keys: readonly string[]): IdentityOf {
  const [only] = keys
  if (keys.length === 1 && only !== undefined) {
    return (object) => {
      const value = object[only]
      return typeof value === 'string' || typeof value === 'number' ? value : null
    }
  }
  return (object) => {
    let text = ''
    for (const key of keys) text += delimited(object[key])
    return text
  }
}

/**
 * A map per kind, such as per type name. The second map is allocated on demand, because most
 * responses have one kind.
 */
export type TablesByKind<Kind, Value> = {
  currentKind: Kind | null
  current: Map<unknown, Value>
  others: Map<Kind, Map<unknown, Value>> | null
}

export const createTables = <Kind, Value>(): TablesByKind<Kind, Value> => ({
  currentKind: null,
  current: new Map(),
  others: null,
})

/** The map of a kind; creates an empty one. */
export function tableFor<Kind, Value>(tables: TablesByKind<Kind, Value>, kind: Kind): Map<unknown, Value> {
  if (kind === tables.currentKind) return tables.current
  if (tables.currentKind !== null) {
    tables.others ??= new Map()
    tables.others.set(tables.currentKind, tables.current)
    tables.current = tables.others.get(kind) ?? new Map()
  }
  tables.currentKind = kind
  return tables.current
}

/** Prefixed with its length, so that concatenated values stay unambiguous. */
const delimited = (value: unknown): string =>
  typeof value === 'string' ? `${value.length}:${value}` : `${JSON.stringify(value)};`
