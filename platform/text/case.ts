/**
 * Conversions between the spellings of names: SDL (`pageTitle`, `READ_ONLY`), JSON of REST and MCP
 * (`page_title`, `read_only`).
 */

/** `read_only` as `READ_ONLY`, with its type. */
export const upperCase = <Word extends string>(word: Word): Uppercase<Word> =>
  // TypeScript types the result of toUpperCase() as string; for letters of ASCII it is
  // Uppercase<Word>.
  word.toUpperCase() as Uppercase<Word>

/** `READ_ONLY` as `read_only`, with its type. */
export const lowerCase = <Word extends string>(word: Word): Lowercase<Word> =>
  // As above, with toLowerCase().
  word.toLowerCase() as Lowercase<Word>

/** `pageTitle` and `PageTitle` as `page_title`. */
export const snakeCase = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase()

/** `page_title` as `pageTitle`. */
export const camelCase = (name: string): string =>
  name.replaceAll(/_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase())

/**
 * `not-available` and `Pending Payment` as enum values of GraphQL: `NOT_AVAILABLE`,
 * `PENDING_PAYMENT`.
 */
export const constantCase = (words: string): string => words.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')

/** `Pending Payment` as `pending_payment`. */
export const snakeCaseWords = (words: string): string => words.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_')
