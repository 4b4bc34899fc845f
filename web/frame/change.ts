import { type Html, html } from './html.ts'

/** Redirects the browser to a page, with one of its notices. */
type Done = { readonly kind: 'done'; readonly at: string; readonly notice: string }

/** Result of a form. */
export type Changed =
  | Done
  /** Nothing was changed: the page of the form shows why. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** Its object does not exist any more. */
  | { readonly kind: 'gone' }
  /** A page that is shown this once. */
  | { readonly kind: 'shown'; readonly body: Html }

/** Result of a mutation for a form: its success, or its errors. */
export type MutationPayload = {
  readonly __typename: string
  readonly message?: string
  readonly errors?: readonly { readonly message: string }[]
}

/** Result of a form from that of a mutation: `done` unless it failed. */
export function toChanged({ __typename, message, errors }: MutationPayload, done: Pick<Done, 'at' | 'notice'>): Changed {
  if (__typename === 'NotFoundError') return { kind: 'gone' }
  const problems = errors?.map((error) => error.message) ?? (message === undefined ? [] : [message])
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'done', ...done }
}

export const refusedBecause = (...problems: readonly string[]): Changed => ({ kind: 'refused', problems })

/** Notices above the body of a page: the change, or why there was none. */
export const noticesOf = (notice: string | undefined, problems: readonly string[]): Html =>
  html`${notice !== undefined && html`<p role="status" class="alert tone-good">${notice}</p>`}${
    problems.length > 0 &&
    html`<div role="alert" class="alert tone-bad">${problems.map((problem) => html`<p>${problem}</p>`)}</div>`
  }`
