import { hash } from 'node:crypto'
import type { ExecutionResult } from 'graphql'
import type { ApplyRequestRules } from '../headers/request-rules.ts'
import type { ApplyResponseRules } from '../headers/response-rules.ts'
import { parseGraphQLResponse } from './http-messages.ts'
import type { RequestContext, SubgraphRequest } from './link.ts'
import { createRequestBatching } from './request-batching.ts'
import { createExtensionSigner, createHeaderSigner, type SigningOptions } from './request-signing.ts'
import type { ConnectionOptions, RetryingFetch } from './retrying-fetch.ts'
import type { ParsedResponse, ReadResponse } from './subgraph-response.ts'

/** Request options of one subgraph. */
export type TrafficShaping = {
  readonly connections: ConnectionOptions
  /** Applies header rules; null without rules. */
  readonly applyRequestRules: ApplyRequestRules | null
  /** Whether equal queries in flight of one operation are sent once. */
  readonly isDeduplicated: boolean
  /** Whether entity fetches that are ready together are sent as one request. */
  readonly mergesFetches: boolean
  /** Maximum retries. */
  readonly maxRetries: number
  /** Whether requests have a signature of their body. */
  readonly isSigned: boolean
  readonly applyResponseRules: ApplyResponseRules | null
  /** Sends requests in another way than as one JSON body; null: it does not. */
  readonly createFetch: CreateShapedFetch | null
  /** Stops watching certificate files. */
  readonly close: () => Promise<void>
}

/** One request before its body is encoded. */
export type ShapedRequest = {
  readonly query: string
  readonly operationName: SubgraphRequest['operationName']
  readonly variables: Readonly<Record<string, unknown>>
  /** `variables` as JSON. */
  readonly values: string
  readonly headers: Record<string, string>
  readonly context: RequestContext
  readonly retries: number
  readonly readBody: SubgraphRequest['readBody']
}

export type ShapedFetch = (request: ShapedRequest) => Promise<ParsedResponse>

export type CreateShapedFetch = (link: {
  readonly name: string
  readonly url: string
  readonly fetch: RetryingFetch['fetch']
}) => ShapedFetch

export type ShapedFetchOptions = {
  readonly signing: SigningOptions | null
  /** Maximum queries per batch; null: no batching. */
  readonly maxBatchOperations: number | null
  /** Whether queries are sent by hash (automatic persisted queries). */
  readonly isPersisted: boolean
  readonly applyResponseRules: ApplyResponseRules | null
}

/** Cache of query hashes: a few per plan in the document cache. */
const MAX_HASHES = 5_000

/**
 * Creates a fetch with signing, batching, persisted queries and response header rules; null when no
 * option needs it.
 */
export function createShapedFetch(options: ShapedFetchOptions): CreateShapedFetch | null {
  const { signing, maxBatchOperations, isPersisted, applyResponseRules } = options
  if (!signing && maxBatchOperations === null && !isPersisted && !applyResponseRules) return null
  const signHeaders = signing && createHeaderSigner(signing)
  const signExtension = signing && createExtensionSigner(signing)

  return ({ name, url, fetch }) => {
    const batched = maxBatchOperations === null ? null : createRequestBatching({}, name, maxBatchOperations)
    const persisted = isPersisted ? createPersistence() : null

    return (request) => (persisted ? persisted(request, sendBody) : sendBody(request, bodyOf(request, null)))

    /** Sends a body, alone or in a batch. */
    async function sendBody(request: ShapedRequest, body: string): Promise<ParsedResponse> {
      const { context, retries } = request
      const alone = () => sendSigned(request, body, { parse: parseGraphQLResponse, readBody: request.readBody })
      // Requests that must not be retried are sent alone, because a batch fails as a whole.
      if (batched === null || retries === 0) return alone()
      return batched(body, context, { alone, together: (list, parse) => sendSigned(request, list, { parse }) })
    }

    async function sendSigned<Result>(
      { headers, context, retries }: ShapedRequest,
      body: string,
      reading: ReadResponse<Result>,
    ): Promise<ParsedResponse<Result>> {
      const signed = signHeaders ? { ...headers, ...(await signHeaders({ url, headers, body })) } : headers
      const message = () => ({ body, headers: signed })
      const response = await fetch({ message, signal: context.signal, retries, ...reading })
      if (applyResponseRules && context.responseHeaders) applyResponseRules(context.responseHeaders, response.headers)
      return response
    }
  }

  /** JSON body, with the hash of a persisted query if given; without the text when `isTextless`. */
  function bodyOf(request: ShapedRequest, sha256Hash: string | null, isTextless = false): string {
    const { query, operationName, variables, values } = request
    const signature = signExtension?.(query, variables)
    const extensions = {
      ...(sha256Hash !== null && { persistedQuery: { version: 1, sha256Hash } }),
      ...(signature && { [signature[0]]: signature[1] }),
    }
    const parts = [
      ...(isTextless ? [] : [`"query":${JSON.stringify(query)}`]),
      ...(operationName === undefined ? [] : [`"operationName":${JSON.stringify(operationName)}`]),
      `"variables":${values}`,
      ...(Object.keys(extensions).length > 0 ? [`"extensions":${JSON.stringify(extensions)}`] : []),
    ]
    return `{${parts.join(',')}}`
  }

  /**
   * Automatic persisted queries by Apollo's protocol: sends the hash, then the text when the hash
   * is unknown. After PERSISTED_QUERY_NOT_SUPPORTED only texts are sent.
   */
  function createPersistence() {
    const hashes = new Map<string, string>()
    let isSupported = true

    return async (
      request: ShapedRequest,
      send: (request: ShapedRequest, body: string) => Promise<ParsedResponse>,
    ): Promise<ParsedResponse> => {
      if (!isSupported) return send(request, bodyOf(request, null))
      const sha256Hash = hashOf(request.query)
      const response = await send(request, bodyOf(request, sha256Hash, true))
      if (hasError(response.result, 'PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound')) {
        return send(request, bodyOf(request, sha256Hash))
      }
      if (!hasError(response.result, 'PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported')) return response
      isSupported = false
      return send(request, bodyOf(request, null))
    }

    function hashOf(query: string): string {
      const known = hashes.get(query)
      if (known !== undefined) return known
      const made = hash('sha256', query, 'hex')
      hashes.set(query, made)
      for (const oldest of hashes.keys()) {
        if (hashes.size <= MAX_HASHES) break
        hashes.delete(oldest)
      }
      return made
    }
  }
}

/** Whether the query was rejected for this reason. Subgraphs set a code, a message or both. */
const hasError = (result: ExecutionResult, code: string, message: string): boolean =>
  (result.errors ?? []).some((error) => error.extensions.code === code || error.message === message) && !result.data
