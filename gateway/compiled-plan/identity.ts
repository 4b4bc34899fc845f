import type { Identity } from './places.ts'

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

/** With its length, so that what stands behind it cannot look like a part of it. */
const identityOf = (value: unknown): string =>
  typeof value === 'string' ? `${value.length}:${value}` : `${JSON.stringify(value)};`
