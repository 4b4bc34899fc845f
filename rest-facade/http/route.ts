import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import { Kind } from 'graphql'
import type { z } from 'zod'
import type { ClientResult, GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { LargeBody, OpenStream, RouteMethod, RunDocument } from './endpoint.ts'
import type { ParameterTable, ParameterValue, ValuesOf } from './parameters.ts'
import type { ProblemDetails } from './problem.ts'

type PathNames<On extends string> = On extends `${string}{${infer Name}}${infer Rest}` ? Name | PathNames<Rest> : never

/**
 * A request as a row sees it: decoded path parameters, parsed query parameters and the parsed body.
 */
export type RouteRequest<On extends string, Table extends ParameterTable, Body = undefined> = {
  readonly path: Readonly<Record<PathNames<On>, string>>
  readonly query: ValuesOf<Table>
  readonly body: Body
  /** The header `accept`; empty without one. */
  readonly accept: string
}

/** One page of a list with `limit` and `offset`. */
export type OffsetPage = { readonly total: number; readonly results: readonly unknown[] }

/** The requested part of a list, in items. */
export type Paging = { readonly limit: number; readonly offset: number }

/** A request that was read by a parameter table, before the types of its row apply. */
export type TableInput = {
  readonly path: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, ParameterValue>>
  readonly body: unknown
  /** The header `accept`; empty without one. */
  readonly accept: string
}

/**
 * A row of a REST facade: a path bound to one operation of the graph. `Data` is what its document
 * selects at least.
 */
export type Route<Data> = {
  /**
   * Name of the document's operation in camelCase; the same in the OpenAPI document and as a file
   * name.
   */
  readonly operationId: string
  readonly method: RouteMethod
  /** With `{name}` for a segment that becomes `path.name`. */
  readonly path: string
  /**
   * Paths of services that clients migrate from, with the same parameters; not in the OpenAPI
   * document.
   */
  readonly aliases: readonly string[]
  readonly parameters: ParameterTable
  /** Schema of the request body; null where there is none. */
  readonly accepts: z.ZodType | null
  /** How the body is received and parsed; null: JSON objects, as large as the facade allows. */
  readonly bodyFormat: BodyFormat | null
  /** Status of a success. */
  readonly status: number
  readonly prepare: (client: GatewayClient) => Promise<void>
  readonly execute: (
    client: GatewayClient,
    request: TableInput,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<ClientResult<Data>>
  // Methods, whose parameters are bivariant: a row whose document selects more than `Data` is
  // assignable.
  /** The body; null when the path names nothing. Absent on lists. */
  body?(data: Data, request: TableInput): unknown
  /** The page of a list; absent elsewhere. Needs the parameters `limit` and `offset`. */
  page?(data: Data, request: TableInput): OffsetPage
  /** The expected failure that the data holds; null when it is a success. */
  problem?(data: Data, request: TableInput): ProblemDetails | null
  /** Headers of the response, and of the problem. */
  headers?(data: Data, request: TableInput): Readonly<Record<string, string>>
  /** A streamed response instead; null: this request is not streamed. Absent: none is. */
  stream?(request: TableInput, run: RunDocument, requestId: string): OpenStream<ProblemDetails> | null
}

/** Parses the text of a body of one of its media types, before `accepts` validates it. */
export type BodyFormat = LargeBody & {
  readonly parse: (text: string, mediaType: string) => { readonly value: unknown } | { readonly problem: ProblemDetails }
}

type Paged = { readonly limit: { readonly kind: 'integer' }; readonly offset: { readonly kind: 'integer' } }

type Row<On extends string, Data, Variables, Table extends ParameterTable, Body> = {
  readonly on: On
  readonly run: TypedDocumentNode<Data, Variables>
  readonly aliases?: readonly string[]
  readonly parameters?: Table
  /** Its messages complete the sentence "Expected `field` to be …"; unknown fields are ignored. */
  readonly accepts?: z.ZodType<Body>
  readonly bodyFormat?: BodyFormat
  readonly status?: number
  readonly variables: (request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>) => NoInfer<Variables>
  readonly problem?: (
    data: NoInfer<Data>,
    request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>,
  ) => ProblemDetails | null
  readonly headers?: (
    data: NoInfer<Data>,
    request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>,
  ) => Readonly<Record<string, string>>
  readonly stream?: (
    request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>,
    run: RunDocument,
    requestId: string,
  ) => OpenStream<ProblemDetails> | null
} & (
  | { readonly body: (data: NoInfer<Data>, request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>) => unknown }
  | (Table extends Paged
      ? { readonly page: (data: NoInfer<Data>, request: RouteRequest<NoInfer<On>, NoInfer<Table>, NoInfer<Body>>) => OffsetPage }
      : never)
)

/**
 * Ties the types of a row: `{x}` in the path types `path.x`, the table types `query.x`, the schema
 * types `body`, the document types `variables` and the data.
 */
export function route<
  const On extends `${RouteMethod} /${string}`,
  Data,
  Variables extends Record<string, unknown>,
  const Table extends ParameterTable = Record<never, never>,
  Body = undefined,
>(row: Row<On, Data, Variables, Table, Body>): Route<Data> {
  // The interpreter has checked what these types promise: the path by the router, query and body by
  // the row's own tables.
  const typed = (request: TableInput) => request as unknown as RouteRequest<On, Table, Body>
  const { problem, headers, stream } = row
  const [method = '', path = ''] = row.on.split(' ', 2)
  return {
    operationId: operationIdOf(row.run),
    // `On` begins with one.
    method: method as RouteMethod,
    path,
    aliases: row.aliases ?? [],
    parameters: row.parameters ?? {},
    accepts: row.accepts ?? null,
    bodyFormat: row.bodyFormat ?? null,
    status: row.status ?? 200,
    // Preparing takes no variables, so their type does not matter.
    prepare: (client) => client.prepare(row.run as TypedDocumentNode<unknown, never>),
    execute: (client, request, caller, signal) => client.run(row.run, row.variables(typed(request)), caller, signal),
    ...(problem && { problem: (data: Data, request: TableInput) => problem(data, typed(request)) }),
    ...(headers && { headers: (data: Data, request: TableInput) => headers(data, typed(request)) }),
    ...(stream && {
      stream: (request: TableInput, run: RunDocument, requestId: string) => stream(typed(request), run, requestId),
    }),
    ...('body' in row
      ? { body: (data: Data, request: TableInput) => row.body(data, typed(request)) }
      : {
          // TypeScript does not narrow by the conditional type: a row without `body` has `page`.
          page: (data: Data, request: TableInput) =>
            // A row without `body` has `page`; the conditional type is not narrowed.
            (row as { page: (data: Data, request: RouteRequest<On, Table, Body>) => OffsetPage }).page(data, typed(request)),
        }),
  }
}

/** The operationId of a document: the name of its operation in camelCase. */
export function operationIdOf(document: TypedDocumentNode<unknown, never>): string {
  const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
  const name = operation?.name?.value
  if (!name) throw new Error('Expected the document of a row to hold an operation with a name.')
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`
}
