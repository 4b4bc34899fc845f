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

/** Options of `RemoteGraphQLDataSource`. */
export type RemoteDataSourceConfig = {
  /** URL with scheme http or https, without credentials. */
  readonly url?: string | undefined
  /** Name in errors and logs; the gateway sets the subgraph's name. */
  readonly name?: string
  /** Timeout of a fetch including retries, in ms. Default: 5000. */
  readonly timeoutInMs?: number
  /** Whether `Cache-Control` of subgraphs restricts the response's. Default: true. */
  readonly honorSubgraphCacheControlHeader?: boolean
  /** Automatic persisted queries: sends hashes instead of texts. Default: false. */
  readonly apq?: boolean
}

const NEVER = new AbortController().signal

/**
 * Fetches from a subgraph over HTTP, with the hooks of Apollo's class of the same name. In addition
 * it has a timeout, a circuit breaker, retries for queries, and a limit on response size. Client
 * headers are forwarded only by `willSendRequest`.
 */
export class RemoteGraphQLDataSource implements SubgraphDataSource {
  url = ''
  name = ''
  timeoutInMs: number = FETCH_TIMEOUT_MS
  honorSubgraphCacheControlHeader = true
  apq = false
  #connections: RetryingFetch | null = null

  /** Assigns every property, so that hooks can be passed too. */
  constructor(config: RemoteDataSourceConfig & Partial<Pick<RemoteGraphQLDataSource, HookName>> = {}) {
    Object.assign(this, config)
  }

  /**
   * Changes a request before it is sent: `request.http.headers.set(…)`. An exception fails the
   * fetch.
   */
  willSendRequest?(options: DataSourceProcessOptions): void | Promise<void>

  /** Returns the response to use. `response.http` has status and headers. */
  didReceiveResponse?(options: {
    readonly response: SubgraphGraphQLResponse
    readonly request: SubgraphGraphQLRequest
    readonly context: Context
  }): SubgraphGraphQLResponse | Promise<SubgraphGraphQLResponse>

  /** Called when a fetch fails. Must throw the error to report. */
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

  /** Closes connections; a later request opens new ones. */
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
    const headers = { accept: ACCEPT, 'accept-encoding': ACCEPT_ENCODING, ...Object.fromEntries(http?.headers ?? []) }
    return this.#connections.fetch({
      message: () => ({ body: JSON.stringify(body), headers }),
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
    // Apollo's types declare values as `any`.
    data: result.data as Record<string, unknown> | null,
    // By GraphQL §7 `errors` is a list of errors; they are masked below.
    ...(result.errors && { errors: result.errors as readonly GraphQLFormattedError[] }),
    // By GraphQL §7 `extensions` is an object.
    ...(result.extensions && { extensions: result.extensions as Record<string, unknown> }),
    http: { status: statusCode, headers: new Headers(flatHeaders(headers)) },
  }
}

const flatHeaders = (headers: ParsedResponse['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((each): [string, string] => [name, each]),
  )
