import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { CredentialHeader } from '../../platform/http/caller.ts'
import type { Caching } from './caching.ts'
import type { Problem } from './problem.ts'
import type { Page, Route, TextRoute } from './route.ts'

/** Everything that tells one REST facade from another; the interpreter in serve.ts knows no more about it. */
export type Facade<Shared> = {
  readonly routes: readonly Route<Shared>[]
  readonly texts: readonly TextRoute[]
  /**
   * The paths that this facade answers for, with everything below them, such as `/api`: 404 and 405 included. One that another facade has already is left to that,
   * so name what lies below it as well.
   */
  readonly mounts: readonly `/${string}`[]
  /** Where clients reach us, without a slash at the end; links are made from it. */
  readonly publicUrl: string
  /** Headers of clients that go on to the graph. None for a facade whose answers are public and cached. */
  readonly credentials: readonly CredentialHeader[]
  /** How answers are kept; null where they belong to who asks, and rows say in their headers what may be done with them. */
  readonly caching: Caching<Shared> | null
  /** On every answer, such as a link to the licence; lists add to `link`. */
  readonly headers: Readonly<Record<string, string>>
  /** Said with 404 of a path that is known, when nothing has the name in it. */
  readonly noItem: string
  /** Said with 404 of a path: where the paths are listed. */
  readonly guide: string
  /** How the body of a problem is spelled. */
  readonly problemBody: (problem: Problem, request: { readonly requestId: string; readonly path: string }) => unknown
  /** Media type of problems; JSON when absent. */
  readonly problemType?: string
  /** How a page of a list is spelled. */
  readonly pageBody: (page: Page & Paging) => unknown
  /** Largest body of a request, in bytes; absent where no row has one. */
  readonly bodyBytes?: number
  /** What is asked before a body is refused: who may not ask at all hears that first. Absent where everybody may. */
  readonly admission?: Admission
}

/** Judges the caller, and gives the headers that every answer to a known caller has. */
export type Admission = {
  readonly ask: TypedDocumentNode<unknown, Record<string, never>>
  readonly headers: (data: unknown) => Readonly<Record<string, string>>
}

/** `Admission` with the types of its document. */
export const admission = <Data>(
  ask: TypedDocumentNode<Data, Record<string, never>>,
  headers: (data: Data) => Readonly<Record<string, string>>,
): Admission => ({
  ask: ask as TypedDocumentNode<unknown, Record<string, never>>,
  // The graph answers what the document selects.
  headers: (data) => headers(data as Data),
})

/** The part of a list that was asked for, in items. */
export type Paging = { readonly limit: number; readonly offset: number }
