/** Longest excerpt of a client's text in messages, in UTF-16 code units. */
const MAX_EXCERPT = 60

/**
 * The beginning of a text, for messages; without lone surrogates, which JSON in UTF-8 cannot hold.
 */
export const excerptOf = (text: string): string =>
  (text.length <= MAX_EXCERPT ? text : `${text.slice(0, MAX_EXCERPT)}…`).toWellFormed()
