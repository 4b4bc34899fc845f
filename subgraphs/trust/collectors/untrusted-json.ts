/** Reading what came from outside: a value of the wrong kind is an absent one. */

export const asRecord = (value: unknown): Readonly<Record<string, unknown>> | null =>
  // An object: checked before it.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null

export const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Characters that no field needs, and that PostgreSQL or terminals choke on. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to be taken out
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029\uFFFE\uFFFF]|\p{Surrogate}/gu

/**
 * Text without control characters, at most `length` characters; null for anything else and for
 * empty text.
 */
export function asText(value: unknown, length: number): string | null {
  if (typeof value !== 'string') return null
  const text = value
    .slice(0, length * 2)
    .replace(CONTROL, '\uFFFD')
    .trim()
  return text === '' ? null : text.slice(0, length).replace(/\p{Surrogate}/gu, '')
}

/**
 * Sorted and without doubles, so that a server that shuffles its answer does not make another one
 * of it.
 */
export const asSet = (values: readonly string[]): string[] => [...new Set(values)].sort()
