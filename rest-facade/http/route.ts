import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { Kind } from 'graphql'
import type { z } from 'zod'
import type { Answer, GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { ParameterTable, Value, ValuesOf } from './parameters.ts'
import type { Problem } from './problem.ts'

export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const
export type RouteMethod = (typeof ROUTE_METHODS)[number]

type PathNames<On extends string> = On extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never

/** What a row may look at: decoded path segments, checked query parameters and what its schema made of the body. */
export type RouteRequest<On extends string, Table extends ParameterTable, Body = undefined> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly query: ValuesOf<Table>
  readonly body: Body
}

/** One page of a list that clients walk by `limit` and `offset`. */
export type Page = { readonly total: number; readonly results: readonly unknown[] }

/** A request as the interpreter holds it, before a row's types apply. */
export type AnyRequest = {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, Value>>
  readonly body: unknown
}

/** A row of a REST facade: a path bound to one operation of the graph. `Data` is what its document selects at least. */
export type Route<Data> = {
  /** Name of the document's operation with a small first letter; the same in the OpenAPI document and as a file name. */
  readonly operationId: string
  readonly method: RouteMethod
  /** With `{name}` for a segment that becomes `path.name`. */
  readonly path: string
  /** Further paths with the same names, for clients that know them; not in the OpenAPI document. */
  readonly aliases: readonly string[]
  readonly parameters: ParameterTable
  /** Reads the JSON of the body; null: there is none. */
  readonly accepts: z.ZodType | null
  /** Status of a success. */
  readonly status: number
  readonly prepare: (client: GatewayClient) => Promise<void>
  readonly ask: (client: GatewayClient, request: AnyRequest, caller: Caller, signal: AbortSignal) => Promise<Answer<Data>>
  // Methods, not properties: a row whose document selects more than `Data` is a row all the same.
  /** The body; null when the path names nothing. Absent on lists. */
  body?(data: Data, request: AnyRequest): unknown
  /** The page of a list; absent elsewhere. Needs the parameters `limit` and `offset`. */
  page?(data: Data, request: AnyRequest): Page
  /** What the data says instead of an answer: an expected failure. Null when it is none. */
  problem?(data: Data, request: AnyRequest): Problem | null
  /** Headers of the answer, and of the problem. */
  headers?(data: Data, request: AnyRequest): Readonly<Record<string, string>>
}

type Paged = { readonly limit: { readonly kind: 'integer' }; readonly offset: { readonly kind: 'integer' } }

type Row<On extends string, Data, Variables, Table extends ParameterTable, Body> = {
  readonly on: On
  readonly run: TypedDocumentNode<Data, Variables>
  readonly aliases?: readonly string[]
  readonly parameters?: Table
  /** Its messages complete the sentence "Expected `field` to be …"; unknown fields are ignored. */
  readonly accepts?: z.ZodType<Body>
  readonly status?: number
  readonly variables: (request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>) => NoInfer<Variables>
  readonly problem?: (data: NoInfer<Data>, request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>) => Problem | null
  readonly headers?: (
    data: NoInfer<Data>,
    request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>,
  ) => Readonly<Record<string, string>>
} & (
  | { readonly body: (data: NoInfer<Data>, request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>) => unknown }
  | (Table extends Paged
      ? { readonly page: (data: NoInfer<Data>, request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>) => Page }
      : never)
)

/**
 * Ties the types of a row: `{x}` in the path types `path.x`, the table types `query.x`, the schema types `body`, the document types
 * `variables` and the data.
 */
export function route<
  const On extends `${RouteMethod} /${string}`,
  Data,
  Variables extends Record<string, unknown>,
  const Table extends ParameterTable = Record<never, never>,
  Body = undefined,
>(row: Row<On, Data, Variables, Table, Body>): Route<Data> {
  // The one place where a row's types are taken off: the interpreter has checked what they promise.
  const typed = (request: AnyRequest) => request as unknown as RouteRequest<On, Table, Body>
  const { problem, headers } = row
  const [method = '', path = ''] = row.on.split(' ', 2)
  return {
    operationId: operationIdOf(row.run),
    method: method as RouteMethod,
    path,
    aliases: row.aliases ?? [],
    parameters: row.parameters ?? {},
    accepts: row.accepts ?? null,
    status: row.status ?? 200,
    prepare: (client) => client.prepare(row.run as TypedDocumentNode<unknown, never>),
    ask: (client, request, caller, signal) => client.run(row.run, row.variables(typed(request)), caller, signal),
    ...(problem && { problem: (data: Data, request: AnyRequest) => problem(data, typed(request)) }),
    ...(headers && { headers: (data: Data, request: AnyRequest) => headers(data, typed(request)) }),
    ...('body' in row
      ? { body: (data: Data, request: AnyRequest) => row.body(data, typed(request)) }
      : {
          page: (data: Data, request: AnyRequest) =>
            (row as { page: (data: Data, request: RouteRequest<On, Table, Body>) => Page }).page(data, typed(request)),
        }),
  }
}

/** What a document is called in a contract: the name of its operation with a small first letter. */
export function operationIdOf(document: TypedDocumentNode<unknown, never>): string {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const name = operation?.name?.value
  if (!name) throw new Error('Expected the document of a row to hold an operation with a name.')
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`
}

/** A row that answers a text which is fixed at start, such as a contract. */
export type TextRoute = {
  readonly operationId: string
  readonly path: string
  readonly contentType: string
  readonly text: string
}
