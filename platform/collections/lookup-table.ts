declare const HAS_NO_PROTOTYPE: unique symbol

/** A table that has its own keys only: no text of a request, such as `constructor` or `__proto__`, finds anything inherited. */
export type LookupTable<Value> = Readonly<Record<string, Value>> & { readonly [HAS_NO_PROTOTYPE]: true }

/** These entries without a prototype, frozen. Every text that a client may choose is safe as a key of the result: undefined when absent. */
export const lookupTable = <Value>(entries: Readonly<Record<string, Value>>): LookupTable<Value> =>
  Object.freeze(Object.assign(Object.create(null), entries))

/** The value of an own key; undefined where the key is absent or inherited. For objects that were not made as a `LookupTable`. */
export const ownValue = <Value>(object: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined
