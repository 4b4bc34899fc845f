import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { GraphQLFormattedError } from 'graphql'
import type { ClientResult, GatewayClient } from '../../gateway/client.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { Failure } from './problem.ts'

export type RouteMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The parts of an HTTP request that an endpoint reads. */
export type RawRequest = {
  /** Path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>
  /** Undecoded, without the question mark. */
  readonly query: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /**
   * Text or bytes, as the facade sets with `requestBody.parseAs`; anything else means there is no
   * body.
   */
  readonly body: unknown
}

/** The failure that is sent instead of the response. */
export type Rejected<Fault extends Failure> = {
  readonly failure: Fault
  /**
   * `body`: reported to authenticated callers only. `missing`: the path names nothing, and caches
   * may keep that.
   */
  readonly reason?: 'body' | 'missing'
}

/** JSON text of a success, null where the response has no body; or the failure. */
export type WrittenResponse<Fault extends Failure> =
  | { readonly text: string | null; readonly headers?: Readonly<Record<string, string>> }
  | Rejected<Fault>

/** Request bodies of an endpoint with more bytes or other media types than those of its facade. */
export type LargeBody = {
  /** In lower case. */
  readonly mediaTypes: readonly string[]
  readonly maxBytes: number
}

/** Runs a prepared document for the caller of a request, until the client is gone. */
export type RunDocument = <Data, Variables extends Record<string, unknown>>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
) => Promise<ClientResult<Data>>

/**
 * Opens a response whose body is written piece by piece. It runs before anything is sent, so that
 * the errors of its operation are failures of the request.
 */
export type OpenStream<Fault extends Failure> = () => Promise<
  | {
      readonly contentType: string
      readonly pieces: AsyncIterable<string>
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly errors: readonly GraphQLFormattedError[] }
  | Rejected<Fault>
>

/**
 * A row that is compiled and ready to serve: one operation of the graph under one method and one or
 * more paths. `Input` is what it reads from a request, `Data` what its document selects at least,
 * `Fault` the failures that its facade can spell.
 */
export type Endpoint<Data, Input, Fault extends Failure> = {
  /** The same in the OpenAPI document, and as the name of the operation's file. */
  readonly operationId: string
  readonly method: RouteMethod
  /** From the root of the server, with `{name}` for a parameter. */
  readonly paths: readonly string[]
  /** HTTP status of a success. */
  readonly status: number
  /** Absent: as the facade reads bodies. Its callers are checked before the body is received. */
  readonly largeBody?: LargeBody | undefined
  readonly read: (request: RawRequest) => { readonly input: Input } | Rejected<Fault>
  readonly execute: (client: GatewayClient, input: Input, caller: Caller, signal: AbortSignal) => Promise<ClientResult<Data>>
  /** Maps GraphQL errors. `isInternal`: the request is not at fault, so the errors are logged. */
  readonly toFailure: (
    errors: readonly GraphQLFormattedError[],
    requestId: string,
  ) => { readonly failure: Fault; readonly isInternal: boolean }
  /** Headers of the response and of the failures that `write` returns. */
  readonly headers?: (data: Data, input: Input) => Readonly<Record<string, string>>
  readonly write: (data: Data, input: Input) => WrittenResponse<Fault>
  /** Replaces `execute`, `headers` and `write`; null: this request is not streamed. */
  readonly stream?: (input: Input, run: RunDocument, requestId: string) => OpenStream<Fault> | null
}
