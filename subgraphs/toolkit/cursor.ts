import { badInput } from '../../platform/graphql/errors.ts'
import { isRowId } from './ids.ts'

/**
 * Position of an item in a sort order: compared element by element, smaller first. Unique within
 * its list.
 */
export type Position = readonly (string | number)[]

/** Type of a position element; `row` is a row id, `time` an ISO text with milliseconds. */
export type PositionPart = 'number' | 'text' | 'row' | 'time'

/** Encodes a position of a list as an opaque cursor. */
export const encodeCursor = (list: string, position: Position): string =>
  Buffer.from(JSON.stringify([list, ...position])).toString('base64url')

/**
 * Decodes a cursor of this list; null for null. Throws BAD_USER_INPUT for any other text, including
 * cursors of other lists, which would continue anywhere.
 */
export function decodeCursor(list: string, parts: readonly PositionPart[], cursor: string | null | undefined): Position | null {
  if (cursor == null) return null
  const [marked, ...position] = elementsIn(cursor)
  const isPosition = position.length === parts.length && position.every((part, index) => isPart(part, parts[index]))
  // Checked by `isPosition`.
  if (marked === list && isPosition) return position as Position
  throw foreignCursorError(cursor)
}

/** The error for a cursor that this list did not issue. */
export const foreignCursorError = (cursor: unknown): Error => badInput('after', 'a cursor from an answer of this list', cursor)

function elementsIn(cursor: string): readonly unknown[] {
  try {
    const elements: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    return Array.isArray(elements) ? elements : []
  } catch {
    return []
  }
}

function isPart(value: unknown, part: PositionPart | undefined): boolean {
  if (part === 'number') return typeof value === 'number' && Number.isFinite(value)
  if (typeof value !== 'string') return false
  switch (part) {
    case 'row':
      return isRowId(value)
    case 'time':
      return isTime(value)
    default:
      // PostgreSQL text has no NUL.
      return !value.includes('\0')
  }
}

/**
 * Years 0001 to 9999, because PostgreSQL has no year 0. The round trip rejects dates such as 30
 * February.
 */
function isTime(text: string): boolean {
  const time = new Date(text)
  return /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(time.getTime()) && time.toISOString() === text
}
