/**
 * A spreadsheet takes a field that begins like this for a formula, some also in full width (U+FF0B,
 * FF0D, FF1D and FF20); quotes before it are guards.
 */
const FORMULA = /^'*[=+@\t\r＋－＝＠-]/

/** A field of CSV by RFC 4180, with an apostrophe before what a spreadsheet would calculate. */
export function csvField(value: string | number): string {
  const text = FORMULA.test(String(value)) ? `'${value}` : String(value)
  return /[",\n\r]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** What `csvField` was given, from the text of its field. */
export const withoutFormulaGuard = (text: string): string => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text)
