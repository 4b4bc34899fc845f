import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { Changed } from '../frame/change.ts'
import type { PathNames, RunPageOperation } from '../frame/page.ts'
import type { ConsoleRow } from './page.ts'

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
  /** Names of all fields that were sent. */
  readonly fieldNames: readonly string[]
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
