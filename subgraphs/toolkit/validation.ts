import { excerpt } from '../../platform/graphql/errors.ts'

/** An invalid input field; `field` ends in its name in the input. */
export type Problem = { readonly field: string; readonly message: string }

/** Not storable: PostgreSQL has no NUL, and half a surrogate pair is no character. */
const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Whether a text can be stored. */
export const isText = (text: string): boolean => !UNSTORABLE.test(text)

/** `Expected "name" to be 1 to 100 characters, got "".` */
export const problem = (field: string, expectation: string, got: unknown): Problem => ({
  field,
  message: `Expected "${field}" to be ${expectation}, got ${excerpt(got)}.`,
})

/** Validates a text of 1 to `most` characters that is not all whitespace; null when valid. */
export function textProblem(field: string, text: string, maxCharacters: number): Problem | null {
  if (text.trim() === '' || text.length > maxCharacters) {
    return problem(field, `1 to ${maxCharacters} characters that are not all white space`, text)
  }
  if (!isText(text)) return problem(field, 'text without NUL characters and halves of surrogate pairs', text)
  return null
}

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const MAX_EMAIL_CHARACTERS = 254

/**
 * Validates the syntax of an e-mail address; null when valid. Only a message can prove that it
 * exists.
 */
export const emailProblem = (field: string, email: string): Problem | null =>
  textProblem(field, email, MAX_EMAIL_CHARACTERS) ??
  (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) ? null : problem(field, 'an address of the form name@host', email))

/** The problems among check results, in order. */
export const problemsIn = (found: readonly (Problem | null)[]): readonly Problem[] => found.filter((each) => each !== null)

/** A `ValidationError` of the schema; `problems` is not empty. */
export function validationError(problems: readonly Problem[]) {
  const { field, message } = problems[0] ?? problem('input', 'valid', 'something else')
  return { __typename: 'ValidationError' as const, field, message, errors: problems }
}

/** A `NotFoundError` of the schema: `There is no room with the id "x".` */
export const notFoundError = (what: string, id: string) => ({
  __typename: 'NotFoundError' as const,
  message: `There is no ${what} with the id ${excerpt(id)}.`,
})
