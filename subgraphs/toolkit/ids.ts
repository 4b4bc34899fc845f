/** The opaque id that clients see, made from a type of the schema and the id of a row. */
export const encodeId = (type: string, row: string): string => Buffer.from(`${type}:${row}`).toString('base64url')

/** The row inside an opaque id of this type: digits that fit a bigint; null when it is none. */
export function decodeId(id: string, type: string): string | null {
  const [found, row, ...rest] = Buffer.from(id, 'base64url').toString().split(':')
  const isRow = found === type && row !== undefined && /^(0|[1-9]\d{0,17})$/.test(row) && rest.length === 0
  return isRow && encodeId(type, row) === id ? row : null
}
