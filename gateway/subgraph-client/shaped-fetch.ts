import { hash } from 'node:crypto'
import type { ExecutionResult } from 'graphql'
import type { ApplyRequestRules } from '../headers/request-rules.ts'
import type { ApplyResponseRules } from '../headers/response-rules.ts'
import { parseGraphQLResponse } from './http-messages.ts'
import type { RequestContext, SubgraphRequest } from './link.ts'
import { createRequestBatching } from './request-batching.ts'
import { createExtensionSigner, createHeaderSigner, type SigningOptions } from './request-signing.ts'
import type { ConnectionOptions, RetryingFetch } from './retrying-fetch.ts'
import type { ParsedResponse } from './subgraph-response.ts'

/** What options ask of the requests to one subgraph. */
export type TrafficShaping = {
  readonly connections: ConnectionOptions
  /** Writes headers of requests; null: no rules. */
  readonly applyRequestRules: ApplyRequestRules | null
  /** Whether equal queries of one operation that are in flight are sent once. */
  readonly isDeduplicated: boolean
  /** Attempts after the first. */
  readonly maxRetries: number
  /** Sends requests in another way than as one JSON body; null: it does not. */
  readonly createFetch: CreateShapedFetch | null
  /** Stops following files. */
  readonly close: () => Promise<void>
}

/** One request, before it has a body. */
export type ShapedRequest = {
  readonly query: string
  readonly operationName: SubgraphRequest['operationName']
  readonly variables: Readonly<Record<string, unknown>>
  /** The same as JSON. */
  readonly values: string
  readonly headers: Record<string, string>
  readonly context: RequestContext
  readonly retries: number
}

export type ShapedFetch = (request: ShapedRequest) => Promise<ParsedResponse>

export type CreateShapedFetch = (link: {
  readonly name: string
  readonly url: string
  readonly fetch: RetryingFetch['fetch']
}) => ShapedFetch

export type ShapedFetchOptions = {
  readonly signing: SigningOptions | null
  /** Most queries in one request; null: no batches. */
  readonly maxBatchOperations: number | null
  /** Whether the hash of a query is sent in place of its text. */
  readonly isPersisted: boolean
  readonly applyResponseRules: ApplyResponseRules | null
}

/** Hashes of texts; as many as a link keeps encoded texts. */
const MAX_HASHES = 5_000

/** Signs, batches, persists and reads headers of responses; null where no option asks for it. */
export function createShapedFetch(options: ShapedFetchOptions): CreateShapedFetch | null {
  const { signing, maxBatchOperations, isPersisted, applyResponseRules } = options
  if (!signing && maxBatchOperations === null && !isPersisted && !applyResponseRules) return null
  const signHeaders = signing && createHeaderSigner(signing)
  const signExtension = signing && createExtensionSigner(signing)

  return ({ name, url, fetch }) => {
    const batched = maxBatchOperations === null ? null : createRequestBatching({}, name, maxBatchOperations)
    const persisted = isPersisted ? createPersistence() : null

    return (request) => (persisted ? persisted(request, sendBody) : sendBody(request, bodyOf(request, null)))

    /** Sends one body, alone or in a batch. */
    async function sendBody(request: ShapedRequest, body: string): Promise<ParsedResponse> {
      const { context, retries } = request
      const alone = () => sendSigned(request, body, parseGraphQLResponse)
      // Only what may be retried may be sent with others: a list fails as a whole.
      if (batched === null || retries === 0) return alone()
      return batched(body, context, { alone, together: (list, parse) => sendSigned(request, list, parse) })
    }

    async function sendSigned<Result>(
      { headers, context, retries }: ShapedRequest,
      body: string,
      parse: (text: string) => Result | null,
    ): Promise<ParsedResponse<Result>> {
      const signed = signHeaders ? { ...headers, ...(await signHeaders({ url, headers, body })) } : headers
      const response = await fetch({ body, headers: signed, signal: context.signal, retries, parse })
      if (applyResponseRules && context.responseHeaders) applyResponseRules(context.responseHeaders, response.headers)
      return response
    }
  }

  /** The JSON body; with a hash as of a persisted query, and without the text where `isTextless`. */
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
   * Automatic persisted queries, by Apollo's protocol: the hash first, and the text when the
   * subgraph does not know it. A subgraph that does not support them gets texts from then on.
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

/** Whether the query was not executed, for this reason. Subgraphs set a code, a message or both. */
const hasError = ({ data, errors = [] }: ExecutionResult, code: string, message: string): boolean =>
  !data && errors.some((error) => error.extensions.code === code || error.message === message)
