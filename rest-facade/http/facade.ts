import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../platform/http/caller.ts'
import type { Caching } from './caching.ts'
import type { Endpoint } from './endpoint.ts'
import type { Failure, ProblemDetails } from './problem.ts'

/**
 * Everything that differs between REST facades; the interpreter (serve.ts, handler.ts) knows
 * nothing else about them.
 */
export type Facade<Data, Input, Fault extends Failure> = {
  readonly endpoints: readonly Endpoint<Data, Input, Fault>[]
  readonly texts: readonly TextRoute[]
  /**
   * Path prefixes, such as `/api`, below which this facade answers everything, 404 and 405
   * included. A prefix that another facade serves already is left to that one, so list the prefixes
   * below it as well.
   */
  readonly mounts: readonly `/${string}`[]
  /** Documented paths without an endpoint: other methods there get 405 instead of 404. */
  readonly documentedPaths?: readonly { readonly path: string; readonly method: string }[]
  /**
   * Whether paths that cannot be decoded get this facade's 400; the server answers them otherwise.
   */
  readonly answersUndecodablePaths: boolean
  /** Headers of every response, such as a link to the licence. */
  readonly headers: Readonly<Record<string, string>>
  /** How request bodies arrive at endpoints; null where no endpoint has one. */
  readonly requestBody: { readonly parseAs: 'string' | 'buffer'; readonly maxBytes: number } | null
  /** The caller with the credentials that go on to the graph. */
  readonly callerOf: (request: FastifyRequest) => Caller
  /**
   * Runs before anything else of a request is read, 404 and 405 included. Absent where the graph
   * alone authenticates.
   */
  readonly authenticate?: (caller: Caller) => Promise<Authentication<Fault>>
  /**
   * Runs before a failure of the request body is reported. Absent where `authenticate` ran, or
   * nobody needs credentials.
   */
  readonly callerCheck?: CallerCheck
  /**
   * HTTP caching; null where responses belong to the caller: then they are `no-store` unless an
   * endpoint sets the header.
   */
  readonly caching: Caching<Data, Input> | null
  readonly failureBody: (failure: Fault | ProblemDetails, context: FailureContext) => string
  /** Media type of failures; `application/json; charset=utf-8` when absent. */
  readonly failureType?: string
  /** Ends the message of a 404 for unknown paths: where the documentation is. */
  readonly docsHint: string
  /** Messages that differ from those of problem.ts. */
  readonly messages?: FacadeMessages
}

export type FacadeMessages = {
  readonly uriTooLong: (maxCharacters: number) => string
  readonly unexpectedError: (requestId: string) => string
}

/** `operationId` is null where no endpoint was found or reached. */
export type FailureContext = { readonly requestId: string; readonly path: string; readonly operationId: string | null }

/** Outcome of `authenticate`. */
export type Authentication<Fault extends Failure> = {
  /** Headers of every response to this caller, such as those of the rate limit. */
  readonly headers: Readonly<Record<string, string>>
  /** Null for callers who may go on. */
  readonly failure: Fault | null
  /** Refused even where the path is unknown. */
  readonly isRateLimited: boolean
}

/**
 * A document that fails for callers without valid credentials, and the headers that its data gives.
 */
export type CallerCheck = {
  readonly document: TypedDocumentNode<unknown, Record<string, never>>
  readonly headers: (data: unknown) => Readonly<Record<string, string>>
}

/** Ties the types of a document and its headers. */
export const createCallerCheck = <Data>(
  document: TypedDocumentNode<Data, Record<string, never>>,
  headers: (data: Data) => Readonly<Record<string, string>>,
): CallerCheck => ({
  document,
  // The graph returns what the document selects.
  headers: (data) => headers(data as Data),
})

/** A text that is fixed at start, such as an OpenAPI document. */
export type TextRoute = {
  readonly operationId: string
  readonly path: string
  readonly contentType: string
  readonly text: string
}
