import { excerpt } from '../../platform/graphql/errors.ts'

/** Validation error of one input field; `field` is its path, ending in its input name. */
export type Problem = { readonly field: string; readonly message: string }

/** Characters that PostgreSQL cannot store: NUL and unpaired surrogates. */
const UNSTORABLE = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/

/** Whether a text can be stored. */
export const isText = (text: string): boolean => !UNSTORABLE.test(text)

/** `Expected "name" to be 1 to 100 characters, got "".` */
export const problem = (field: string, expectation: string, got: unknown): Problem => ({
  field,
  message: `Expected "${field}" to be ${expectation}, got ${excerpt(got)}.`,
})

/** Validates a text of 1 to `most` characters, not only white space; null when it is valid. */
export function textProblem(field: string, text: string, max: number): Problem | null {
  if (text.trim() === '' || text.length > max) {
    return problem(field, `1 to ${max} characters, not only white space`, text)
  }
  if (!isText(text)) return problem(field, 'text without NUL characters and unpaired surrogates', text)
  return null
}

/** RFC 5321 §4.5.3.1.3, without the angle brackets. */
const MAX_EMAIL_CHARACTERS = 254

/**
 * Validates the form of an e-mail address; null when it is valid. Only a message can verify that it
 * exists.
 */
export const emailProblem = (field: string, email: string): Problem | null =>
  textProblem(field, email, MAX_EMAIL_CHARACTERS) ??
  (/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email) ? null : problem(field, 'an address of the form name@host', email))

/** The problems among the results of checks, in order. */
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
