import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { Caller } from '../../platform/http/caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import { createLog } from '../../platform/process/log.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { jwtGrants } from '../authorization/jwt-grants.ts'
import { createTokenVerifier } from '../authorization/token-verifier.ts'
import type { Invalidation } from '../caching/entity-cache-tags.ts'
import { followInvalidationEvents } from '../caching/follow-invalidation-events.ts'
import { openEntityCache } from '../caching/open-entity-cache.ts'
import type { Canary } from '../canary/canary.ts'
import type { GraphParts } from '../canary/open-canary.ts'
import { createEventSources } from '../event-sources/event-sources.ts'
import { assembleGateway, type Gateway } from '../gateway.ts'
import { checkLimitedSubgraphs } from '../limits/subgraph-limits.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { isSerializedResult } from '../operations/serialized-result.ts'
import {
  type GatewayOptions,
  gatewayOptionsShape,
  labelsByCaller,
  limitsOf,
  type ValidOptions,
} from '../options/gateway-options.ts'
import { hookStagesOf } from '../options/hook-options.ts'
import { tokenOptionsOf } from '../options/jwt-options.ts'
import { createSubgraphSources } from '../options/subgraph-sources.ts'
import { operationMiddlewareOf } from '../options/traffic-shaping.ts'
import { uploadReceiverOf } from '../options/upload-options.ts'
import { usageRecorderOf } from '../options/usage-options.ts'
import { chosen, fn, options, text, validateOptions } from '../options/validate-options.ts'
import { applyContract, contractError } from '../planning/contract.ts'
import type { Graph } from '../planning/hot-swap.ts'
import { createServedGraph, type ServedGraph } from '../planning/served-graph.ts'
import type { FollowedSupergraph } from '../planning/sources/follow-supergraph.ts'
import {
  type SupergraphSourceOptions,
  supergraphSourceOptions,
  type ValidSourceOptions,
} from '../planning/sources/source-options.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import { openShadow } from '../shadow/open-shadow.ts'
import type { ShadowReport } from '../shadow/shadow-traffic.ts'
import type { SubgraphLocation } from '../subgraph-client/link-pool.ts'
import type { Callbacks } from '../subgraph-client/upstream-callbacks.ts'
import { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from '../transports/fetch.ts'
import { parseBodyParams } from '../transports/request-params.ts'

/**
 * Options of `createGateway`: those of a configuration file, the supergraph, a logger, and
 * functions of the host.
 */
export type CreateGatewayOptions = GatewayOptions &
  Pick<FetchHandlerOptions, 'addressOf'> & {
    /**
     * SDL of a composed Federation 2 supergraph, or a source that is polled. Invalid supergraphs of
     * a source are logged, and the previous one stays.
     */
    readonly supergraph: string | SupergraphSourceOptions
    /**
     * Logger with pino's interface. Default: warnings and errors as JSON lines on standard output.
     */
    readonly log?: Logger
  }

export type { Canary, CanaryStatus } from '../canary/canary.ts'
export type {
  HookResult,
  Hooks,
  OperationCall,
  PlanCall,
  RequestCall,
  SubgraphRequestCall,
  SubgraphResponseCall,
  SubscriptionEventCall,
} from '../hooks/hooks.ts'
export type { ArrivedFile } from '../uploads/file-upload.ts'
export type { UsageBatch, UsageCount, UsageOperation } from '../usage/usage-batch.ts'
export type { GatewayOptions, SupergraphSourceOptions }

const createGatewayOptions = options({
  ...gatewayOptionsShape,
  supergraph: chosen((value) => typeof value !== 'object', text('the SDL of a federation 2 supergraph'), supergraphSourceOptions),
  addressOf: fn<NonNullable<FetchHandlerOptions['addressOf']>>().optional(),
  log: z.custom<Logger>((value) => typeof value === 'object' && value !== null, 'a log in the form of pino').optional(),
})

/** Parameters of a GraphQL request from a program. */
export type ExecuteParams = {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

/** Caller of an operation, and its cancellation. */
export type ExecuteContext = {
  /** Credentials for subgraphs: headers by lower-case name. Default: none. */
  readonly credentials?: Caller['credentials']
  /** Client address. Default: 0.0.0.0. */
  readonly address?: string
  /** Aborts the operation, except a mutation that has started. */
  readonly signal?: AbortSignal
}

/** A running gateway for a supergraph. */
export type FederatedGateway = {
  /** API schema of the current supergraph. */
  readonly schema: GraphQLSchema
  /** The gateway without transports, for `serveGateway` and custom transports. */
  readonly gateway: Gateway
  /** Handles a Fetch API request. May be detached from this object. */
  readonly fetch: FetchHandler
  /** Executes a query or mutation with the same limits as transports. Never rejects. */
  readonly execute: (params: ExecuteParams, context?: ExecuteContext) => Promise<ExecutionResult>
  /**
   * Replaces the supergraph; running operations finish on the previous one. Throws for an invalid
   * supergraph, without any change.
   */
  readonly replaceSupergraph: (supergraph: string) => void
  /**
   * Invalidates entities that were cached before this call. False: Redis is unavailable, and other
   * instances may not know; call again. No effect without an entity cache.
   */
  readonly invalidateEntities: (invalidations: readonly Invalidation[]) => Promise<boolean>
  /** Results of the `shadow` candidate so far; null without one. */
  readonly shadowReport: () => ShadowReport | null
  /** The candidate supergraph of `canary`; null without that option. */
  readonly canary: Canary | null
  /** Registry for the HTTP callback protocol; `serveGateway` receives the requests. */
  readonly callbacks: Callbacks
  /** Ends event streams and closes connections to subgraphs; resolves when all are closed. */
  readonly close: () => Promise<void>
}

/**
 * Creates a gateway for a supergraph, given as SDL or by a source. Rejects with an `OperatorError`
 * that describes the problem, such as an invalid supergraph or a subgraph without a usable URL.
 */
export async function createGateway(given: CreateGatewayOptions): Promise<FederatedGateway> {
  const { supergraph, addressOf, log = createLog('warn'), ...settings } = validateOptions(createGatewayOptions, given)
  const { contract } = settings
  const limits = limitsOf(settings)
  const verifier = settings.jwt ? createTokenVerifier(tokenOptionsOf(settings.jwt)) : null
  const findGrants = verifier && jwtGrants(verifier)
  const sources = createSubgraphSources(settings, log)
  const common = {
    limits,
    introspection: settings.introspection ?? true,
    uploads: uploadReceiverOf(settings.uploads),
    queryTraces: settings.queryTraces === 'off' ? null : (settings.queryTraces ?? null),
    ...(findGrants && { grantsOver: () => findGrants }),
    ...(settings.findOverrideLabels && { overrideLabels: labelsByCaller(settings.findOverrideLabels) }),
  }
  const { hooks, usage, entityCache, eventSources, shadow, close: closeOthers } = await openResources(settings, common, log)
  const middleware = operationMiddlewareOf(settings, verifier, hooks)
  const served = createServedGraph((sdl) => graphOf(sdl), log)
  const followed = await begin(supergraph, served, log).catch(async (error: unknown) => {
    await closeOthers()
    throw error
  })
  const { gateway } = served.current()
  const opened = await beginCanary().catch(async (error: unknown) => {
    await followed?.close()
    await gateway.close()
    await closeOthers()
    throw error
  })
  const handler = createFetchHandler(gateway, {
    ...(settings.batchLimit !== undefined && { batchLimit: settings.batchLimit }),
    ...(addressOf && { addressOf }),
  })

  return {
    gateway,
    get schema() {
      return gateway.schema
    },
    fetch: handler.fetch,
    execute: executeOn(gateway),
    replaceSupergraph: (sdl) => served.replace(sdl, graphOf(sdl)),
    callbacks: sources.callbacks,
    shadowReport: () => shadow?.report() ?? null,
    canary: opened?.canary ?? null,
    invalidateEntities: async (invalidations) => (await entityCache?.invalidate(invalidations)) ?? true,
    async close() {
      handler.close()
      await followed?.close()
      await opened?.close()
      await gateway.close()
      await closeOthers()
    },
  }

  async function beginCanary() {
    if (!settings.canary) return null
    const { openCanary } = await import('../canary/open-canary.ts')
    const deps = { served, graphOf, shared: sources, eventLinksOf: eventSources.linksOf, log, metrics: null }
    return openCanary({ ...settings, canary: settings.canary }, common, deps)
  }

  function graphOf(supergraphSdl: string, parts: GraphParts = { sources, shadow }): Graph {
    const locations = locationsIn(supergraphSdl)
    const names = locations.map(({ name }) => name)
    checkLimitedSubgraphs(limits, names, '"limits.subgraphs"')
    hooks?.checkSubgraphs(names)
    const { links, release } = parts.sources.take(locations, eventSources.linksOf(supergraphSdl))
    try {
      const assembled = assembleGateway({
        supergraphSdl: contract ? applyContract(supergraphSdl, contract) : supergraphSdl,
        ...common,
        warmsUp: true,
        links,
        log,
        middleware,
        hooks,
        shadow: parts.shadow,
        usage,
        responseCacheBytes: settings.responseCacheBytes ?? 0,
        entityCache,
        slowMilliseconds: settings.slowMilliseconds ?? 0,
      })
      return { gateway: assembled, release }
    } catch (error) {
      void release()
      if (error instanceof OperatorError) throw error
      throw contract ? contractError(error) : notASupergraph(error)
    }
  }
}

/** Serves the first supergraph; null when it is fixed SDL, not a source. */
async function begin(
  supergraph: string | ValidSourceOptions,
  served: ServedGraph<Graph>,
  log: Logger,
): Promise<FollowedSupergraph | null> {
  if (typeof supergraph !== 'string') {
    // Imported on demand: most gateways get SDL.
    const { followSource } = await import('../planning/sources/follow-source.ts')
    return followSource(supergraph, served.serve, log)
  }
  await served.serve(supergraph)
  return null
}

/** Executes operations of a program. */
const executeOn =
  (gateway: Gateway): FederatedGateway['execute'] =>
  async ({ query, variables, operationName }, context = {}) => {
    const parsed = parseBodyParams({ query, variables, operationName })
    if (parsed.kind === 'malformed') return { errors: [parsed.error] }
    const prepared = gateway.prepare(parsed.params)
    if (prepared.kind === 'rejected') return { errors: prepared.errors }
    const { credentials = {}, address = UNKNOWN_ADDRESS, signal = NEVER } = context
    const caller = { requestId: requestIdOf({ headers: {} }), address, credentials }
    const result = await prepared.run(parsed.params.variables, { caller, signal })
    // Programs read and change results as they like.
    return isSerializedResult(result) ? { ...result } : result
  }

/** Opens resources other than links. When one fails, those opened before it are closed. */
async function openResources(settings: ValidOptions, common: Parameters<typeof openShadow>[1], log: Logger) {
  const opened: { readonly close: () => Promise<void> }[] = []
  const close = async () => {
    await Promise.all(opened.map((resource) => resource.close()))
  }
  const closedAtEnd = <Opened extends (typeof opened)[number] | null>(resource: Opened): Opened => {
    if (resource) opened.push(resource)
    return resource
  }
  try {
    const hooks = closedAtEnd(hookStagesOf(settings, log))
    const usage = closedAtEnd(usageRecorderOf(settings.usage, log))
    const entityCache = closedAtEnd(settings.entityCache ? await openEntityCache(settings.entityCache, log) : null)
    const eventSources = closedAtEnd(await createEventSources(settings.eventSources ?? {}, log))
    const channels = settings.entityCache?.invalidationEvents ?? []
    if (entityCache) closedAtEnd(followInvalidationEvents(channels, eventSources.brokerOf, { cache: entityCache, log }))
    const shadow = closedAtEnd(openShadow(settings, common, { log, metrics: null, eventLinksOf: eventSources.linksOf }))
    return { hooks, usage, entityCache, eventSources, shadow, close }
  } catch (error) {
    await close()
    throw error
  }
}

const UNKNOWN_ADDRESS = '0.0.0.0'
const NEVER = new AbortController().signal

/** Names and URLs of a supergraph's subgraphs. Throws for invalid SDL. */
function locationsIn(supergraph: string): readonly SubgraphLocation[] {
  let locations: readonly SubgraphLocation[]
  try {
    locations = subgraphLocations(supergraph)
  } catch (error) {
    throw notASupergraph(error)
  }
  if (locations.length === 0) throw notASupergraph(new Error('it has no enum join__Graph with subgraphs'))
  return locations
}

function notASupergraph(error: unknown): OperatorError {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  return new OperatorError(`Expected "supergraph" to be the SDL of a federation 2 supergraph: ${line.replace(/\.$/, '')}.`, {
    cause: error,
  })
}
