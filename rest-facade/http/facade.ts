import type { CredentialHeader } from '../../subgraphs/runtime/caller.ts'
import type { Caching } from './caching.ts'
import type { Problem } from './problem.ts'
import type { Page, Route, TextRoute } from './route.ts'

/** Everything that tells one REST facade from another; the interpreter in serve.ts knows no more about it. */
export type Facade<Shared> = {
  readonly routes: readonly Route<Shared>[]
  readonly texts: readonly TextRoute[]
  /** The paths that this facade answers for, with everything below them, such as `/api`: 404 and 405 included. */
  readonly mounts: readonly `/${string}`[]
  /** Where clients reach us, without a slash at the end; links are made from it. */
  readonly publicUrl: string
  /** Headers of clients that go on to the graph. None for a facade whose answers are public and cached. */
  readonly credentials: readonly CredentialHeader[]
  readonly caching: Caching<Shared>
  /** On every answer, such as a link to the licence; lists add to `link`. */
  readonly headers: Readonly<Record<string, string>>
  /** Said with 404 of a path: where the paths are listed. */
  readonly guide: string
  /** How the body of a problem is spelled. */
  readonly problemBody: (problem: Problem) => unknown
  /** How a page of a list is spelled. */
  readonly pageBody: (page: Page & Paging) => unknown
}

/** The part of a list that was asked for, in items. */
export type Paging = { readonly limit: number; readonly offset: number }
