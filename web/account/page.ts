import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { type LookupTable, lookupTable } from '../../platform/collections/lookup-table.ts'
import type { ParameterTable, ValuesOf } from '../../rest-facade/http/parameters.ts'
import type { Changed } from '../frame/change.ts'
import type { Html } from '../frame/html.ts'
import type { PathNames, RunPageOperation } from '../frame/page.ts'
import type { Site } from '../frame/site.ts'
import type { UserSession } from './session.ts'

/** A page for a signed-in user is made from checked parameters, and the graph as the user sees it. */
export type UserPageRequest<On extends string, Table extends ParameterTable, Session> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly query: ValuesOf<Table>
  readonly run: RunPageOperation
  readonly site: Site
  /** Of the reader; null: nobody is signed in, which only pages for all readers see. */
  readonly session: Session
  /** A field of the form on this page that was refused; empty when none was. */
  readonly typed: (field: string) => string
}

/** What a page shows. */
export type UserPageBody = {
  readonly title: string
  readonly body: Html
  readonly scripts?: readonly string[]
  /** Its address for search engines; absent: it is not for them. */
  readonly canonical?: string
  readonly description?: string
}

/** A page that depends on who reads it. */
export type UserPageRow = {
  readonly path: string
  /** Name in the navigation of the account; null: it is not there. */
  readonly label: string | null
  /** Whether it is for readers who are not signed in as well. */
  readonly isPublic: boolean
  /** Whether its path holds a secret, which no log line repeats. */
  readonly isSecret: boolean
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters: ParameterTable
  /** What its forms have done, by the word `done` of the address that they lead to. */
  readonly notices: LookupTable<string>
  /** Null for what does not exist. */
  body(request: UserPageRequest<string, ParameterTable, UserSession | null>): Promise<UserPageBody | null>
}

type Row<On extends `/${string}`, Table extends ParameterTable, Session> = {
  readonly path: On
  readonly label?: string
  readonly isSecret?: boolean
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly parameters?: Table
  readonly notices?: Readonly<Record<string, string>>
  readonly body: (request: UserPageRequest<NoInfer<On>, NoInfer<Table>, Session>) => Promise<UserPageBody | null>
}

/** A page for signed-in users only: `{x}` in the path types `path.x`, the table types `query`. */
export const userPage = <const On extends `/${string}`, const Table extends ParameterTable = Record<never, never>>(
  row: Row<On, Table, UserSession>,
  // The interpreter has a session for each of these.
): UserPageRow => rowOf(row as Row<On, Table, UserSession | null>, false)

/** The same for all readers: `session` is null for those who are not signed in. */
export const readerPage = <const On extends `/${string}`, const Table extends ParameterTable = Record<never, never>>(
  row: Row<On, Table, UserSession | null>,
): UserPageRow => rowOf(row, true)

function rowOf<const On extends `/${string}`, const Table extends ParameterTable>(
  row: Row<On, Table, UserSession | null>,
  isPublic: boolean,
): UserPageRow {
  const { notices = {}, label = null, isSecret = false } = row
  return {
    ...row,
    label,
    isPublic,
    isSecret,
    notices: lookupTable(notices),
    parameters: { ...row.parameters, done: { kind: 'enum', values: Object.keys(notices) } },
    // The interpreter has checked what the types of the row promise.
    body: (request) => row.body(request as unknown as UserPageRequest<On, Table, UserSession | null>),
  }
}

/** A form of a signed-in user. */
export type UserForm = {
  readonly path: string
  /** The page that it stands on, which shows why it was refused. */
  readonly on: UserPageRow
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  submit(request: UserFormRequest<string>): Promise<Changed>
}

type UserFormRequest<On extends string> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly field: (name: string) => string
  readonly session: UserSession
  readonly run: RunPageOperation
  /** The same with further credentials. */
  readonly runWith: (credentials: { readonly login: string; readonly authtoken: string }) => RunPageOperation
  /** Shows another name from now on. */
  readonly rename: (name: string) => void
  /** Takes the cookie back: the user is signed out. */
  readonly signOut: () => void
}

/** Ties the types of a form: `{x}` in the path types `path.x`. */
export const userForm = <const On extends `/${string}`>(form: {
  readonly path: On
  readonly on: UserPageRow
  readonly operations: readonly TypedDocumentNode<unknown, never>[]
  readonly submit: (request: UserFormRequest<NoInfer<On>>) => Promise<Changed>
  // The path of the row is `On`.
}): UserForm => ({ ...form, submit: (request) => form.submit(request as UserFormRequest<On>) })
