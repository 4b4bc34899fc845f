import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { Kind } from 'graphql'
import type { Answer, GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../subgraphs/runtime/caller.ts'
import type { ParameterTable, Value, ValuesOf } from './parameters.ts'

type PathNames<On extends string> = On extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never

/** What a row may look at: decoded path segments and checked query parameters. */
export type RouteRequest<On extends string, Table extends ParameterTable> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly query: ValuesOf<Table>
}

/** One page of a list that clients walk by `limit` and `offset`. */
export type Page = { readonly total: number; readonly results: readonly unknown[] }

/** A request as the interpreter holds it, before a row's types apply. */
export type AnyRequest = {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, Value>>
}

/** A row of a REST facade: a path bound to one operation of the graph. `Data` is what its document selects at least. */
export type Route<Data> = {
  /** Name of the document's operation with a small first letter; the same in the OpenAPI document and as a file name. */
  readonly operationId: string
  /** With `{name}` for a segment that becomes `path.name`. */
  readonly path: string
  readonly parameters: ParameterTable
  readonly prepare: (client: GatewayClient) => Promise<void>
  readonly ask: (client: GatewayClient, request: AnyRequest, caller: Caller, signal: AbortSignal) => Promise<Answer<Data>>
  // Methods, not properties: a row whose document selects more than `Data` is a row all the same.
  /** The body; null when the path names nothing. Absent on lists. */
  body?(data: Data, request: AnyRequest): unknown
  /** The page of a list; absent elsewhere. Needs the parameters `limit` and `offset`. */
  page?(data: Data, request: AnyRequest): Page
}

type Paged = { readonly limit: { readonly kind: 'integer' }; readonly offset: { readonly kind: 'integer' } }

type Row<On extends string, Data, Variables, Table extends ParameterTable> = {
  readonly on: On
  readonly run: TypedDocumentNode<Data, Variables>
  readonly parameters?: Table
  readonly variables: (request: RouteRequest<NoInfer<On>, NoInfer<Table>>) => NoInfer<Variables>
} & (
  | { readonly body: (data: NoInfer<Data>, request: RouteRequest<NoInfer<On>, NoInfer<Table>>) => unknown }
  | (Table extends Paged
      ? { readonly page: (data: NoInfer<Data>, request: RouteRequest<NoInfer<On>, NoInfer<Table>>) => Page }
      : never)
)

/** Ties the types of a row: `{x}` in the path types `path.x`, the table types `query.x`, the document types `variables` and the data. */
export function route<
  const On extends `GET /${string}`,
  Data,
  Variables extends Record<string, unknown>,
  const Table extends ParameterTable = Record<never, never>,
>(row: Row<On, Data, Variables, Table>): Route<Data> {
  // The one place where a row's types are taken off: the interpreter has checked what they promise.
  const typed = (request: AnyRequest) => request as unknown as RouteRequest<On, Table>
  return {
    operationId: operationIdOf(row.run),
    path: row.on.slice('GET '.length),
    parameters: row.parameters ?? {},
    prepare: (client) => client.prepare(row.run as TypedDocumentNode<unknown, never>),
    ask: (client, request, caller, signal) => client.run(row.run, row.variables(typed(request)), caller, signal),
    ...('body' in row
      ? { body: (data: Data, request: AnyRequest) => row.body(data, typed(request)) }
      : {
          page: (data: Data, request: AnyRequest) =>
            (row as { page: (data: Data, request: RouteRequest<On, Table>) => Page }).page(data, typed(request)),
        }),
  }
}

function operationIdOf(document: TypedDocumentNode<unknown, never>): string {
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
