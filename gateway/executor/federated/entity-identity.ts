import type { Data } from './response-data.ts'

/** What tells objects of one type apart; null where that is not known. */
export type Identity = (object: Data) => unknown

/**
 * What tells objects of one type apart that are equal but for these keys, whose values are text, numbers, or other leaves: equal only for equal values. Null where a
 * single key is neither text nor a number.
 */
export function identityBy(keys: readonly string[]): Identity {
  const [only] = keys
  if (keys.length === 1 && only !== undefined) {
    return (object) => {
      const value = object[only]
      return typeof value === 'string' || typeof value === 'number' ? value : null
    }
  }
  return (object) => {
    let text = ''
    for (const key of keys) text += identityOf(object[key])
    return text
  }
}

/** What is known of objects by their identities, for each kind of them. Most are of one kind: only for a second one there is more than one table. */
export type Tables<Kind, Value> = {
  kind: Kind | null
  known: Map<unknown, Value>
  others: Map<Kind, Map<unknown, Value>> | null
}

export const tables = <Kind, Value>(): Tables<Kind, Value> => ({ kind: null, known: new Map(), others: null })

/** The table of a kind, which may be empty. */
export function tableOf<Kind, Value>(tables: Tables<Kind, Value>, kind: Kind): Map<unknown, Value> {
  if (kind === tables.kind) return tables.known
  if (tables.kind !== null) {
    tables.others ??= new Map()
    tables.others.set(tables.kind, tables.known)
    tables.known = tables.others.get(kind) ?? new Map()
  }
  tables.kind = kind
  return tables.known
}

/** With its length, so that what stands behind it cannot look like a part of it. */
const identityOf = (value: unknown): string =>
  typeof value === 'string' ? `${value.length}:${value}` : `${JSON.stringify(value)};`
