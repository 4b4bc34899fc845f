import { excerpt } from '../../platform/graphql/errors.ts'
import type { InputFault } from './input-fault.ts'
import { toUnixSeconds } from './unix-time.ts'

const MAX_REASON_CHARACTERS = 500
/** The last second that RFC 3339 can write: its years have four digits. */
const MAX_UNIX_SECONDS = toUnixSeconds(new Date('9999-12-31T23:59:59Z'))
/** PostgreSQL text has no NUL, and half of a surrogate pair is no character. */
const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Faults of a text for people, which is stored without white space around it. */
export function textFaults(field: string, sent: string, maxCharacters = MAX_REASON_CHARACTERS): InputFault[] {
  const wanted = sent.trim()
  if (wanted !== '' && wanted.length <= maxCharacters && !UNSTORABLE.test(wanted)) return []
  const expected = `1 to ${maxCharacters} characters of text that are not all white space`
  return [{ field, code: 'text', message: `Expected "${field}" to be ${expected}, got ${excerpt(sent)}.` }]
}

/** Faults of a time at which something ends; null: never. */
export function expiryFaults(field: string, wanted: Date | null, at: Date): InputFault[] {
  if (wanted === null) return []
  if (wanted <= at)
    return [{ field, code: 'past', message: `Expected "${field}" to be in the future, got ${wanted.toISOString()}.` }]
  // An offset can lead there from a year of four digits.
  if (toUnixSeconds(wanted) <= MAX_UNIX_SECONDS) return []
  return [
    { field, code: 'too_late', message: `Expected "${field}" to be 9999-12-31T23:59:59Z at the latest, or null for no end.` },
  ]
}
