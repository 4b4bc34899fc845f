declare const HAS_NO_PROTOTYPE: unique symbol

/** A table without inherited keys: `constructor` or `__proto__` from a request finds nothing. */
export type LookupTable<Value> = Readonly<Record<string, Value>> & { readonly [HAS_NO_PROTOTYPE]: true }

/**
 * Creates a frozen object without a prototype. Any client text is a safe key: undefined when
 * absent.
 */
export const lookupTable = <Value>(entries: Readonly<Record<string, Value>>): LookupTable<Value> =>
  Object.freeze(Object.assign(Object.create(null), entries))

/**
 * The value of an own key; undefined when absent or inherited. For objects that are no
 * `LookupTable`.
 */
export const ownValue = <Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined
