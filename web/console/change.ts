import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { PathNames, RunPageOperation } from '../frame/page.ts'
import type { ConsoleRow } from './page.ts'

/** Redirects the browser to a page, with one of its notices. */
type Done = { readonly kind: 'done'; readonly at: string; readonly notice: string }

/** Result of a form. */
export type Changed =
  | Done
  /** Nothing was changed: the page of the form shows why. */
  | { readonly kind: 'refused'; readonly problems: readonly string[] }
  /** Its object does not exist any more. */
  | { readonly kind: 'gone' }

/** A form of the console. */
export type ConsoleChange = {
  readonly path: string
  /** The page that it stands on. */
  readonly on: ConsoleRow
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  make(request: ChangeRequest<string>): Promise<Changed>
}

type ChangeRequest<On extends string> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly field: (name: string) => string
  readonly run: RunPageOperation
}

/** Ties the types of a form: `{x}` in the path types `path.x`. */
export const consoleChange = <const On extends `/${string}`>(change: {
  readonly path: On
  readonly on: ConsoleRow
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly make: (request: ChangeRequest<NoInfer<On>>) => Promise<Changed>
  // The path of the row is `On`.
}): ConsoleChange => ({ ...change, make: (request) => change.make(request as ChangeRequest<On>) })

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
