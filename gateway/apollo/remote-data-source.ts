import { createHash } from 'node:crypto'
import type { GraphQLFormattedError } from 'graphql'
import { parseGraphQLResponse } from '../subgraph-client/http-messages.ts'
import { MAX_RETRIES } from '../subgraph-client/retries.ts'
import { createRetryingFetch, FETCH_TIMEOUT_MS, type RetryingFetch } from '../subgraph-client/retrying-fetch.ts'
import type { ParsedResponse } from '../subgraph-client/subgraph-response.ts'
import { restrictCachePolicy } from './cache-policy.ts'
import type {
  DataSourceProcessOptions,
  IncomingRequestContext,
  SubgraphDataSource,
  SubgraphGraphQLRequest,
  SubgraphGraphQLResponse,
} from './gateway-interface.ts'

type Context = IncomingRequestContext['context']

/** Settings of a `RemoteGraphQLDataSource`. */
export type RemoteDataSourceConfig = {
  /** http or https, without credentials. */
  readonly url?: string | undefined
  /** Name for errors and the log; the gateway fills in that of the subgraph. */
  readonly name?: string
  /** Timeout of one fetch with its retries, in milliseconds. Default: 5000. */
  readonly timeoutInMs?: number
  /** Whether `Cache-Control` of subgraphs restricts that of the response. Default: true. */
  readonly honorSubgraphCacheControlHeader?: boolean
  /** Sends hashes in place of texts (automatic persisted queries). Default: false. */
  readonly apq?: boolean
}

const NEVER = new AbortController().signal

/**
 * Fetches from a subgraph over HTTP, with the hooks of Apollo's class of the same name. Unlike that,
 * it has a timeout and a circuit breaker, retries queries, and bounds responses. Headers of clients
 * reach subgraphs only where `willSendRequest` sets them.
 */
export class RemoteGraphQLDataSource implements SubgraphDataSource {
  url = ''
  name = ''
  timeoutInMs: number = FETCH_TIMEOUT_MS
  honorSubgraphCacheControlHeader = true
  apq = false
  #connections: RetryingFetch | null = null

  /** Assigns every property, so that hooks can be passed as well. */
  constructor(config: RemoteDataSourceConfig & Partial<Pick<RemoteGraphQLDataSource, HookName>> = {}) {
    Object.assign(this, config)
  }

  /** Changes the request before it is sent: `request.http.headers.set(…)`. What it throws fails the fetch. */
  willSendRequest?(options: DataSourceProcessOptions): void | Promise<void>

  /** Returns the response to use. `response.http` has the status and the headers. */
  didReceiveResponse?(options: {
    readonly response: SubgraphGraphQLResponse
    readonly request: SubgraphGraphQLRequest
    readonly context: Context
  }): SubgraphGraphQLResponse | Promise<SubgraphGraphQLResponse>

  /** Called when there is no response. Throws the error that the fetch fails with. */
  didEncounterError(
    error: Error,
    _fetchRequest?: SubgraphGraphQLRequest['http'],
    _fetchResponse?: undefined,
    _context?: Context,
    _request?: SubgraphGraphQLRequest,
  ): void {
    throw error
  }

  async process(options: DataSourceProcessOptions): Promise<SubgraphGraphQLResponse> {
    const { request, context } = options
    const headers = new Headers()
    if (request.http) for (const [name, value] of request.http.headers) headers.append(name, value)
    headers.set('content-type', 'application/json')
    request.http = { method: 'POST', url: this.url, headers }
    await this.willSendRequest?.(options)
    if (!request.query) throw new Error('Expected willSendRequest to leave a query.')
    if (request.http?.url !== this.url) throw new Error('Expected willSendRequest to leave the URL as it is.')

    const response = await this.#respond(request, options.signal ?? NEVER, context)
    const result = (await this.didReceiveResponse?.({ response, request, context })) ?? response
    if (this.honorSubgraphCacheControlHeader && options.kind === 'incoming operation') {
      restrictCachePolicy(options.incomingRequestContext.overallCachePolicy, response.http?.headers.get('cache-control') ?? null)
    }
    return result
  }

  /** Closes the connections; a later request opens others. */
  async close(): Promise<void> {
    const connections = this.#connections
    this.#connections = null
    await connections?.close()
  }

  async #respond(request: SubgraphGraphQLRequest, signal: AbortSignal, context: Context): Promise<SubgraphGraphQLResponse> {
    const { http, query = '', ...parts } = request
    try {
      if (!this.apq) return toResponse(await this.#send({ query, ...parts }, request, signal))
      const sha256Hash = createHash('sha256').update(query).digest('hex')
      const persisted = { ...parts, extensions: { ...parts.extensions, persistedQuery: { version: 1, sha256Hash } } }
      const optimistic = await this.#send(persisted, request, signal)
      const isUnknown = optimistic.result.errors?.some(({ message }) => message === 'PersistedQueryNotFound')
      return toResponse(isUnknown ? await this.#send({ query, ...persisted }, request, signal) : optimistic)
    } catch (error) {
      this.didEncounterError(error instanceof Error ? error : new Error(String(error)), http, undefined, context, request)
      throw error
    }
  }

  #send(body: object, { http, query = '' }: SubgraphGraphQLRequest, signal: AbortSignal): Promise<ParsedResponse> {
    this.#connections ??= createRetryingFetch({
      name: this.name,
      url: this.url,
      timeoutMilliseconds: this.timeoutInMs,
      log: undefined,
    })
    return this.#connections.fetch({
      body: JSON.stringify(body),
      headers: { accept: ACCEPT, 'accept-encoding': ACCEPT_ENCODING, ...Object.fromEntries(http?.headers ?? []) },
      signal,
      parse: parseGraphQLResponse,
      retries: /^(?:query\b|\{)/.test(query) ? MAX_RETRIES : 0,
    })
  }
}

type HookName = 'willSendRequest' | 'didReceiveResponse' | 'didEncounterError'

const ACCEPT = 'application/graphql-response+json, application/json'
const ACCEPT_ENCODING = 'gzip, br, zstd'

function toResponse({ result, headers, statusCode }: ParsedResponse): SubgraphGraphQLResponse {
  return {
    // The library's types name values `any`.
    data: result.data as Record<string, unknown> | null,
    // The remote data source answers as GraphQL §7 says; errors are masked below.
    ...(result.errors && { errors: result.errors as readonly GraphQLFormattedError[] }),
    // JSON of a response (GraphQL §7): an object.
    ...(result.extensions && { extensions: result.extensions as Record<string, unknown> }),
    http: { status: statusCode, headers: new Headers(flatHeaders(headers)) },
  }
}

const flatHeaders = (headers: ParsedResponse['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [name, each]),
  )
