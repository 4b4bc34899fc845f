import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyRequest } from 'fastify'
import type { GraphQLFormattedError } from 'graphql'
import type { ClientResult } from '../../gateway/client.ts'
import type { ParameterTable, ValuesOf } from '../../rest-facade/http/parameters.ts'
import type { Html } from './html.ts'
import type { Site, SiteReader } from './site.ts'

/** A page that can be sent. */
export type WebPage = {
  /** Without the name of the site. */
  readonly title: string
  /** One or two sentences for search engines and previews. */
  readonly description: string
  /**
   * The one address of what is shown, as a path; absent where there is none: nothing is to be
   * indexed then.
   */
  readonly canonical?: string
  /** What stands between head and foot. */
  readonly body: Html
  /** For programs: JSON-LD. */
  readonly structured?: readonly object[]
  /** Our own scripts that it works better with, by file name. */
  readonly scripts?: readonly string[]
  /** Names of stylesheets of its own, behind that of the site. */
  readonly styles?: readonly string[]
  /** Head and foot of a page that is not the site's own; absent: those of the site. */
  readonly frame?: PageFrame
  /** Address of a picture for previews; absent: the card of the site. */
  readonly picture?: string | undefined
  /** 200 when absent. */
  readonly status?: number
  /** Further headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Links to other forms of the same: `<link rel="alternate">`. */
  readonly alternates?: readonly { readonly type: string; readonly path: string; readonly title: string }[]
}

/** What stands around a page of somebody else, such as a shop. */
export type PageFrame = {
  /** Whose pages these are. */
  readonly name: string
  /** BCP 47 tag of the language of the page. */
  readonly language: string
  readonly header: Html
  readonly footer: Html
  /** Addresses of stylesheets behind that of the site. */
  readonly styles: readonly string[]
}

/** Runs an operation of the page. It was prepared at start. */
export type RunPageOperation = <Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
) => Promise<ClientResult<Data>>

/** The names in `{…}` of a path. */
export type PathNames<On extends string> = On extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never

/** What a page is made from: decoded path segments, checked parameters, the graph. */
export type PageRequest<On extends string, Table extends ParameterTable> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly query: ValuesOf<Table>
  readonly run: RunPageOperation
  readonly site: Site
  /** Who reads it; null: nobody that we know. What depends on it is sent to this reader only. */
  readonly reader: SiteReader | null
  /** What `sessionOf` of the row found. A page that is made with it is sent to this reader only. */
  readonly session: PageSession | null
}

/** What cookies of a reader a page depends on. */
export type PageSession = {
  /** Token of a session of an account; null: nobody is signed in. */
  readonly account: string | null
  /** ISO 4217 code of the currency that was chosen; null: none. */
  readonly currency: string | null
}

/** Reads the cookies of a request that a page depends on; null: there are none. */
type SessionOf = (request: FastifyRequest, site: Site) => PageSession | null

/** A page route: path, operations and renderer. */
export type PageRow = {
  readonly path: string
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters: ParameterTable
  readonly cacheControl: string
  /** The path is a capability: never logged or cached. */
  readonly isSecret: boolean
  /** The cookies that the page depends on; absent: it depends on none. */
  readonly sessionOf?: SessionOf | undefined
  answer(request: PageRequest<string, ParameterTable>): Promise<WebPage | null>
}

/**
 * The same for everybody, and news soon enough: a minute in browsers, five in caches between, and
 * the old one while a new one is fetched.
 */
export const PUBLIC_CACHE_CONTROL = 'public, max-age=60, s-maxage=300, stale-while-revalidate=3600'

/**
 * Ties the types of a row: `{x}` in the path types `path.x`, the table types `query`. `answer`
 * gives null for what does not exist.
 */
export function page<const On extends `/${string}`, const Table extends ParameterTable = Record<never, never>>(row: {
  readonly on: On
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters?: Table
  readonly cacheControl?: string
  readonly isSecret?: boolean
  readonly sessionOf?: SessionOf
  readonly answer: (request: PageRequest<NoInfer<On>, NoInfer<Table>>) => Promise<WebPage | null>
}): PageRow {
  return {
    path: row.on,
    operations: row.operations,
    parameters: row.parameters ?? {},
    cacheControl: row.cacheControl ?? PUBLIC_CACHE_CONTROL,
    isSecret: row.isSecret ?? false,
    sessionOf: row.sessionOf,
    // The interpreter has checked what the types of the row promise.
    answer: (request) => row.answer(request as unknown as PageRequest<On, Table>),
  }
}

/** The graph gave no answer that a page can be made of. */
export class OperationFailed extends Error {
  readonly errors: readonly GraphQLFormattedError[]
  constructor(errors: readonly GraphQLFormattedError[]) {
    super(errors.map(({ message }) => message).join(' '))
    this.errors = errors
  }
}

/**
 * The data of an answer. Throws `Unanswered` when there is none; what single fields lack is null in
 * it.
 */
export function dataOf<Data>({ data, errors }: ClientResult<Data>): Data {
  if (data === null) throw new OperationFailed(errors)
  return data
}

/**
 * `value`, or null when there is none. Throws `Unanswered` when it is null because something
 * failed.
 */
export function foundIn<Value>(value: Value | null | undefined, { errors }: ClientResult<unknown>): Value | null {
  if (value == null && errors.length > 0) throw new OperationFailed(errors)
  return value ?? null
}
