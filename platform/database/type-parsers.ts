import pg from 'pg'

const parseOtherTimestamp = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

/**
 * Parses a timestamp to the millisecond. `2026-11-21 09:30:00.123456+00`, the form in UTC, is read
 * digit by digit: pg's regular expressions caused a tenth of the garbage of a product list.
 */
export function parseTimestamp(text: string): Date {
  if (text[10] !== ' ' || !text.endsWith('+00') || text[0] === '0') return parseOtherTimestamp(text)
  const [year, month, day] = [digits(text, 0, 4), digits(text, 5, 2), digits(text, 8, 2)]
  const [hour, minute, second] = [digits(text, 11, 2), digits(text, 14, 2), digits(text, 17, 2)]
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds(text)))
}

function digits(text: string, from: number, count: number): number {
  let number = 0
  for (let at = from; at < from + count; at += 1) number = number * 10 + text.charCodeAt(at) - 48
  return number
}

/** PostgreSQL omits trailing zeros, and the point without digits. */
function milliseconds(text: string): number {
  const given = Math.min(3, text.length - '2026-11-21 09:30:00.+00'.length)
  return given <= 0 ? 0 : digits(text, 20, given) * 10 ** (3 - given)
}

/** Parsers of database values: pg's, with a faster one for timestamps. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (type, format) =>
    type === pg.types.builtins.TIMESTAMPTZ && format !== 'binary' ? parseTimestamp : pg.types.getTypeParser(type, format),
}
