import { badInput } from '../../platform/graphql/errors.ts'

/** Where an item stands in an order: compared element by element, smaller first. Unique within its list. */
export type Position = readonly (string | number)[]

/** What an element of a position is; a `row` is the id of a row, a `time` an ISO text with milliseconds. */
export type PositionPart = 'number' | 'text' | 'row' | 'time'

/** The opaque text that stands for a position of a list. */
export const encodeCursor = (list: string, position: Position): string =>
  Buffer.from(JSON.stringify([list, ...position])).toString('base64url')

/**
 * The position that a cursor of this list stands for; null for null. Throws BAD_USER_INPUT for every other text, cursors of other lists among
 * them: they would continue anywhere.
 */
export function decodeCursor(list: string, parts: readonly PositionPart[], cursor: string | null | undefined): Position | null {
  if (cursor == null) return null
  const [marked, ...position] = elementsIn(cursor)
  const isPosition = position.length === parts.length && position.every((part, index) => isPart(part, parts[index]))
  if (marked === list && isPosition) return position as Position
  throw foreignCursorError(cursor)
}

/** Refuses a cursor that this list never gave out. */
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
      return /^(0|[1-9]\d{0,17})$/.test(value)
    case 'time':
      return isTime(value)
    default:
      // PostgreSQL has no text with this character.
      return !value.includes('\0')
  }
}

/** Years of four digits, as of the first: PostgreSQL has no year 0. What does not come back as it was, such as the 30th of February, is no time. */
function isTime(text: string): boolean {
  const time = new Date(text)
  return /^(?!0000)\d{4}-/.test(text) && !Number.isNaN(time.getTime()) && time.toISOString() === text
}
