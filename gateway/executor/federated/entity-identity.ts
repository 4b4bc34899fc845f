import type { Data } from './response-data.ts'

/** A value that is equal only for equal objects of one type; null where there is none. */
export type IdentityOf = (object: Data) => unknown

/**
 * The identity of an object by the values of these keys, which are leaves. Null where a single key
 * is neither a string nor a number.
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
 * A map per kind, such as a type name. Most responses have one kind: a second map is allocated
 * only for a second kind.
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

/** The map of a kind, which may be empty. */
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

/** With its length in front, so that the text after it cannot be read as a part of it. */
const delimited = (value: unknown): string =>
  typeof value === 'string' ? `${value.length}:${value}` : `${JSON.stringify(value)};`
