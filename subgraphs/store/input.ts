import { isText, type Problem, problem } from '../toolkit/validation.ts'

/** Input with an optional expected version. */
export type Versioned = { readonly expectedVersion?: number | null | undefined }

/** The value to write where null clears: absent keeps the current one. */
export const given = <Value>(value: Value | undefined, before: Value): Value => (value === undefined ? before : value)

/** Problems of an update with null for required fields. */
export const required = <Input extends object>(input: Input, fields: readonly (keyof Input & string)[]): readonly Problem[] =>
  fields.filter((field) => input[field] === null).map((field) => problem(field, 'absent or something', null))

const MAX_URL_LENGTH = 2_000

/** The problem of a URL; null when it is valid. */
export function urlProblem(field: string, url: string): Problem | null {
  // A parser leaves out or encodes what we would keep: white space, NUL, halves of surrogate pairs.
  const isPlain = url.length <= MAX_URL_LENGTH && isText(url) && !/[\s\p{Cc}]/u.test(url)
  const parsed = isPlain && URL.canParse(url) ? new URL(url) : null
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '') return null
  return problem(field, `an http or https URL of at most ${MAX_URL_LENGTH} characters, without a user in it`, url)
}
