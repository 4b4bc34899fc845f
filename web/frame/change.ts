import type { FormProblems } from './fields.ts'
import { type Html, html } from './html.ts'

/** Redirects the browser to a page, with one of its notices. */
type Done = { readonly kind: 'done'; readonly at: string; readonly notice: string }

type Refused = {
  readonly kind: 'refused'
  readonly problems: readonly string[]
  /** The same by the names of fields; absent: they are about none. */
  readonly fields?: FormProblems
  /** The object was changed since the form was shown. */
  readonly isConflict?: boolean
}

/** Result of a form. */
export type Changed =
  | Done
  /** Nothing was changed: the page of the form shows why. */
  | Refused
  /** Its object does not exist any more. */
  | { readonly kind: 'gone' }
  /** A page that is shown this once. */
  | { readonly kind: 'shown'; readonly body: Html }

/** Result of a mutation for a form: its success, or its errors. */
export type MutationPayload = {
  readonly __typename: string
  readonly message?: string
  readonly errors?: readonly { readonly field?: string; readonly message: string }[]
  /** Of an object that another change has altered. */
  readonly currentVersion?: number | null
}

/** Result of a form from that of a mutation: `done` unless it failed. */
export function toChanged(payload: MutationPayload, done: Pick<Done, 'at' | 'notice'>): Changed {
  const { __typename, message, errors, currentVersion } = payload
  if (__typename === 'NotFoundError') return { kind: 'gone' }
  if (currentVersion != null) return { kind: 'refused', problems: [CHANGED_MEANWHILE], isConflict: true }
  const problems = errors?.map((error) => error.message) ?? (message === undefined ? [] : [message])
  const fields = Object.fromEntries(
    errors?.flatMap(({ field, message: text }) => (field === undefined ? [] : [[field, text]])) ?? [],
  )
  if (problems.length > 0) return { kind: 'refused', problems, fields }
  // A result that the operation does not select the reason of is no success.
  return __typename.endsWith('Success')
    ? { kind: 'done', ...done }
    : { kind: 'refused', problems: [`Nothing was changed: ${__typename}.`] }
}

const CHANGED_MEANWHILE =
  'Not saved: a program, or another window, changed it since this page was opened. Your values are in the form, and what is stored now is beside those that differ. Save again to replace it.'

/** A form with fields that cannot be read. */
export const refusedFields = (fields: FormProblems): Changed => ({ kind: 'refused', problems: Object.values(fields), fields })

export const refusedBecause = (...problems: readonly string[]): Changed => ({ kind: 'refused', problems })

/** Notices above the body of a page: the change, or why there was none. */
export const noticesOf = (notice: string | undefined, problems: readonly string[]): Html =>
  html`${notice !== undefined && html`<p role="status" class="alert tone-good">${notice}</p>`}${
    problems.length > 0 &&
    html`<div role="alert" class="alert tone-bad">${problems.map((problem) => html`<p>${problem}</p>`)}</div>`
  }`
