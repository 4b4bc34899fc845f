import { isText, type Problem, problem } from '../toolkit/validation.ts'

/** What may say which version is to be changed. */
export type Versioned = { readonly expectedVersion?: number | null | undefined }

/** What is to be written where null clears: absent keeps what there was. */
export const given = <Value>(value: Value | undefined, before: Value): Value => (value === undefined ? before : value)

/** What is wrong with an update that gives null for fields that every row has. */
export const required = <Input extends object>(input: Input, fields: readonly (keyof Input & string)[]): readonly Problem[] =>
  fields.filter((field) => input[field] === null).map((field) => problem(field, 'absent or something', null))

const LONGEST_URL = 2_000

/** What is wrong with an address of the web; null when nothing is. */
export function urlProblem(field: string, url: string): Problem | null {
  // A parser leaves out or encodes what we would keep: white space, NUL, halves of surrogate pairs.
  const isPlain = url.length <= LONGEST_URL && isText(url) && !/[\s\p{Cc}]/u.test(url)
  const parsed = isPlain && URL.canParse(url) ? new URL(url) : null
  if (parsed && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '') return null
  return problem(field, `an http or https URL of at most ${LONGEST_URL} characters, without a user in it`, url)
}
