const MAX_EXCERPT_LENGTH = 200

/** Characters that show nothing, or change the direction of what follows. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The beginning of a text, with its invisible characters written as `\u{200b}`. */
export function visibleText(text: string): string {
  const shown = text
    .slice(0, MAX_EXCERPT_LENGTH)
    .toWellFormed()
    .replace(UNSEEN, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)
  return shown.length <= MAX_EXCERPT_LENGTH ? shown : `${shown.slice(0, MAX_EXCERPT_LENGTH - 1).toWellFormed()}…`
}
