/** Encodes a GraphQL type and a row id as the opaque id for clients. */
export const encodeId = (type: string, row: string): string => Buffer.from(`${type}:${row}`).toString('base64url')

/** Whether a text is a row id: digits of PostgreSQL's type `bigint`, in their one spelling. */
export const isRowId = (text: string): boolean => /^(0|[1-9]\d{0,17})$/.test(text)

/**
 * Decodes the row id (digits that fit a bigint) of an opaque id of this type; null for any other
 * text.
 */
export function decodeId(id: string, type: string): string | null {
  const [found, row, ...rest] = Buffer.from(id, 'base64url').toString().split(':')
  const isRow = found === type && row !== undefined && isRowId(row) && rest.length === 0
  return isRow && encodeId(type, row) === id ? row : null
}
