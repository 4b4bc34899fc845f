import type { Logger } from 'pino'
import type { TokenVerifier } from '../authorization/token-verifier.ts'
import { clientHeadersOf } from '../headers/client-headers.ts'
import type { RequestRule, ResponseRule } from '../headers/header-options.ts'
import { compileRequestRules } from '../headers/request-rules.ts'
import { compileResponseRules } from '../headers/response-rules.ts'
import type { HookStages } from '../hooks/hook-stages.ts'
import { createOperationMiddleware, type OperationMiddleware } from '../middleware/operation-middleware.ts'
import { MAX_RETRIES } from '../subgraph-client/retries.ts'
import { FETCH_TIMEOUT_MS } from '../subgraph-client/retrying-fetch.ts'
import { createShapedFetch, type TrafficShaping } from '../subgraph-client/shaped-fetch.ts'
import type { SharedConnections } from '../subgraph-client/shared-connections.ts'
import { createTlsConnector, type TlsOptions } from '../subgraph-client/tls-connector.ts'
import type { ValidOptions } from './gateway-options.ts'
import type { ValidSubgraphOptions } from './subgraph-options.ts'

type Settings = { readonly [Name in 'subgraphs' | 'allSubgraphs']?: ValidOptions[Name] }

/** Effective options of one subgraph: its own, else those of `allSubgraphs`. */
export function remoteOptionsOf({ subgraphs = {}, allSubgraphs = {} }: Settings, name: string): ValidSubgraphOptions {
  const given = Object.hasOwn(subgraphs, name) ? subgraphs[name] : undefined
  const own: ValidSubgraphOptions = given && !('schema' in given) ? given : {}
  const rules = <Rule>(direction: (options: ValidSubgraphOptions) => readonly Rule[] | undefined): Rule[] => [
    ...(direction(allSubgraphs) ?? []),
    ...(direction(own) ?? []),
  ]
  return {
    ...allSubgraphs,
    ...own,
    headers: {
      request: rules<RequestRule>(({ headers }) => headers?.request),
      response: rules<ResponseRule>(({ headers }) => headers?.response),
    },
  }
}

/**
 * Request options of a subgraph; `shared` has its TLS files. Throws for unusable certificate files.
 */
export function trafficShapingOf(
  name: string,
  options: ValidSubgraphOptions,
  log: Logger,
  shared?: SharedConnections,
): TrafficShaping {
  const { headers, signing, tls, connections = {}, retries = {}, timeoutMilliseconds = FETCH_TIMEOUT_MS } = options
  const connectTimeoutMs = connections.connectTimeoutMilliseconds
  const allowH2 = connections.http2 ?? false
  const open = (files: TlsOptions) =>
    createTlsConnector(name, files, { connectTimeoutMs: connectTimeoutMs ?? Math.min(2_000, timeoutMilliseconds), allowH2, log })
  const connector = tls && (shared ? shared.connector(name, () => open(tls)) : open(tls))
  const applyResponseRules = compileResponseRules(headers?.response ?? [])
  return {
    connections: {
      connectTimeoutMs,
      headersTimeoutMs: connections.headersTimeoutMilliseconds,
      bodyTimeoutMs: connections.bodyTimeoutMilliseconds,
      maxConnections: connections.maxConnections,
      pipelining: connections.pipelining,
      keepAliveMs: connections.keepAliveMilliseconds,
      allowH2: connections.http2,
      connector,
      retryBudget: retries.budget,
      shared,
    },
    applyRequestRules: compileRequestRules(headers?.request ?? [], name),
    isDeduplicated: options.deduplication ?? true,
    mergesFetches: options.mergeFetches ?? true,
    maxRetries: retries.maxRetries ?? MAX_RETRIES,
    isSigned: signing !== undefined,
    applyResponseRules,
    createFetch: createShapedFetch({
      signing: signing ?? null,
      maxBatchOperations: options.batching?.maxOperations ?? null,
      isPersisted: options.persistedQueries ?? false,
      applyResponseRules,
    }),
    close: async () => connector?.close(),
  }
}

/** Processing around every operation by these options; null for none. */
export function operationMiddlewareOf(
  settings: Settings,
  verifier: TokenVerifier | null,
  hooks: HookStages | null = null,
): OperationMiddleware | null {
  const { subgraphs = {}, allSubgraphs = {} } = settings
  const all = [allSubgraphs, ...Object.values(subgraphs).flatMap((each) => ('schema' in each ? [] : [each]))]
  const request = all.flatMap(({ headers }) => headers?.request ?? [])
  return createOperationMiddleware({
    clientHeaders: clientHeadersOf(request),
    collectsHeaders: all.some(({ headers }) => (headers?.response?.length ?? 0) > 0),
    verifier,
    hooks,
    readsClaims: request.some((rule) => 'claim' in rule) || hooks?.has('operation') === true,
    readsAddress: request.some((rule) => 'context' in rule && rule.context === 'address'),
  })
}
