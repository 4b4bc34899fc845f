import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { CircuitState } from '../platform/outbound/circuit-breaker.ts'
import { authorizationOf, type FindGrants, NO_GRANTS } from './authorization/authorization.ts'
import { createOperationCache, NO_OPERATION_CACHE } from './caching/caching.ts'
import type { EntityCache } from './caching/entity-cache.ts'
import { followEntityChanges } from './caching/follow-entity-changes.ts'
import { type ResponseCache, responseCache } from './caching/response-cache.ts'
import { viewerFields } from './caching/viewer-fields.ts'
import { createClient, FACADES, type GatewayClient } from './client.ts'
import { type ExecutorDeps, planOperation } from './executor/executor.ts'
import type { HookStages } from './hooks/hook-stages.ts'
import { hookLink } from './hooks/hooked-link.ts'
import type { Budget } from './limits/budget.ts'
import { readCostWeights } from './limits/cost-weights.ts'
import type { Limits } from './limits/limits.ts'
import { type SubscriptionSlots, subscriptionSlots } from './limits/subscription-slots.ts'
import type { OperationMiddleware } from './middleware/operation-middleware.ts'
import type { Metrics } from './observability/metrics.ts'
import { createQueryTraces, type QueryTraceReaders, traceRequests } from './observability/query-trace.ts'
import { createSlowLog, type SlowLog } from './observability/slow-log.ts'
import type { Tracing } from './observability/tracing.ts'
import { createDocumentCache, validateOperation } from './operations/document-cache.ts'
import { createPersistedDocuments } from './operations/persisted-documents.ts'
import { createOperationPreparation, observer } from './operations/prepare-operation.ts'
import { costOnly, type PreparedOperation } from './operations/prepared-operation.ts'
import type { SharedDocuments } from './operations/redis-documents.ts'
import type { TrustedDocuments } from './operations/trusted-documents.ts'
import { warmUpQuery } from './operations/warm-up.ts'
import { type FindOverrideLabels, overrideLabelsIn } from './planning/override-labels.ts'
import { EMPTY_PLAN_STORE, type PlanStore } from './planning/plan-store.ts'
import { type ParsedSupergraph, parseSupergraph, type Supergraph } from './planning/supergraph.ts'
import type { ShadowTraffic } from './shadow/shadow-traffic.ts'
import { maskErrors } from './subgraph-client/error-masking.ts'
import type { Link } from './subgraph-client/link.ts'
import type { GraphQLParams } from './transports/request-params.ts'
import { uploadLink } from './uploads/upload-link.ts'
import type { UploadReceiver } from './uploads/upload-receiver.ts'
import type { UsageRecorder } from './usage/usage-recorder.ts'

/** A federated graph with its operations, limits and metrics. */
export type Gateway = {
  /** API schema, as clients see it. */
  readonly schema: GraphQLSchema
  /** Runs operations of facades, without limits. */
  readonly client: GatewayClient
  /**
   * Parses, validates, checks and plans a client operation, once per text and operation name. Never
   * throws.
   */
  readonly prepareText: (text: string, operationName: string | undefined) => PreparedOperation
  /** Like `prepareText`, by text or persisted document id. Called by all transports. */
  readonly prepare: (params: GraphQLParams) => PreparedOperation
  readonly limits: Limits
  /** Takes multipart requests with files; null where they are refused. */
  readonly uploads: UploadReceiver | null
  /** Whether operations need the headers of the requests that they came in. */
  readonly readsClientHeaders: boolean
  /** Who may read query traces; null: nobody. */
  readonly queryTraces: 'everyone' | 'token' | null
  /** Number of running subscriptions. */
  readonly subscriptions: () => number
  /** Memory of subscriptions. */
  readonly slots: Pick<SubscriptionSlots, 'memory'>
  /** Calls `listener` after each hot swap; never when the graph is fixed. */
  readonly onSwap: (listener: () => void) => void
  /** The response cache. */
  readonly cache: Pick<ResponseCache, 'bytes' | 'entries'>
  /** Circuit breaker states, for subgraphs that have one. */
  readonly circuits: () => readonly { readonly name: string; readonly state: CircuitState }[]
  readonly close: () => Promise<void>
}

export type StartGatewayOptions = {
  readonly supergraphSdl: string
  /** The supergraph of `supergraphSdl`, which gateways of a process may share; absent: read here. */
  readonly supergraph?: () => ParsedSupergraph
  readonly links: readonly Link[]
  readonly limits: Limits
  /** Cost budget of a client per minute; null: unlimited. */
  readonly budget?: Budget | null
  /** Subscription slots of the process; default: for this gateway, with default limits. */
  readonly slots?: SubscriptionSlots
  readonly log: Logger
  readonly metrics?: Metrics | null
  readonly tracing?: Tracing | null
  /** Threshold of the slow operation log in ms; 0 disables it. */
  readonly slowMilliseconds?: number
  /** Size of the response cache; 0 disables it. */
  readonly responseCacheBytes?: number
  /** Entity cache, which replaces the response cache and survives hot swaps; null for none. */
  readonly entityCache?: EntityCache | null
  /** Whether clients may use introspection. Trusted documents always may. */
  readonly introspection?: boolean
  readonly trustedDocuments?: TrustedDocuments
  /** Shares automatic persisted queries with other gateways; null: not shared. */
  readonly sharedDocuments?: SharedDocuments | null
  /** Stored plans of facade operations for this supergraph. */
  readonly plans?: PlanStore
  /** Processing around client operations; null for none. */
  readonly middleware?: OperationMiddleware | null
  /** Operator hooks; null for none. `middleware` must be created with the same hooks. */
  readonly hooks?: HookStages | null
  /**
   * Creates the function that finds a caller's grants, over the links. Default: no grants, so that
   * guarded fields are refused.
   */
  readonly grantsOver?: (links: ReadonlyMap<string, Link>) => FindGrants
  /** Takes multipart requests with files; null: they are refused. */
  readonly uploads?: UploadReceiver | null
  /** Runs a part of the queries on a candidate supergraph as well; null: none. */
  readonly shadow?: ShadowTraffic | null
  /** Who may read query traces; null: nobody. */
  readonly queryTraces?: QueryTraceReaders | null
  /** Records usage by client and operation; null for none. */
  readonly usage?: UsageRecorder | null
  /**
   * Whether it plans a query before it is returned, so that the first document of a client does not
   * wait for what planning makes once. Default: false.
   */
  readonly warmsUp?: boolean
  /** Finds active `@override` labels of a request, in addition to `percent(x)`; absent: none. */
  readonly overrideLabels?: FindOverrideLabels
}

/** Like `assembleGateway`, but rejects instead of throwing. */
export const startGateway = async (options: StartGatewayOptions): Promise<Gateway> => assembleGateway(options)

/**
 * Creates a gateway over links. Throws for an invalid supergraph, for a subgraph without a link,
 * and for a trusted document that is invalid.
 */
export function assembleGateway(options: StartGatewayOptions): Gateway {
  const { links, limits, log, metrics = null, tracing = null, introspection = true, sharedDocuments = null } = options
  const { slots = subscriptionSlots(), plans = EMPTY_PLAN_STORE, grantsOver = () => () => NO_GRANTS } = options
  const { middleware = null, hooks = null, entityCache = null, budget = null, slowMilliseconds = 0, uploads = null } = options
  const { trustedDocuments = { documents: [], isOnly: false } } = options
  const { supergraph, document } = options.supergraph?.() ?? parseSupergraph(options.supergraphSdl, { isKnown: !plans.isEmpty })
  const traces = createQueryTraces(options.queryTraces ?? null)
  const slow = slowMilliseconds > 0 ? createSlowLog(slowMilliseconds, log) : null
  const viewer = viewerFields(document)
  const cacheOf = entityCache?.forGraph(document, supergraph, viewer)
  const linksByName = observedLinks(links, supergraph, { slow, tracing, metrics, log, cacheOf, hooks, uploads, traces })
  const authorization = authorizationOf(document, supergraph, grantsOver(linksByName))
  const needed = new Set(supergraph.fieldSets.names.values())
  const overrides = overrideLabelsIn(document, { find: options.overrideLabels ?? null, needed, log })
  const deps: ExecutorDeps = { supergraph, links: linksByName, metrics, authorization, overrides }
  const cache = responseCache({
    maxBytes: options.responseCacheBytes ?? 0,
    ...(metrics && { count: metrics.responseCacheLookup }),
  })
  // With an entity cache, responses are not cached: ages would add up, and invalidations by key or
  // tag would not reach cached responses.
  const vary = middleware?.vary ?? []
  // Hooks that change fetches make results specific to a caller.
  const isCached = !entityCache && !hooks?.changesFetches
  if (hooks?.changesFetches && (entityCache || (options.responseCacheBytes ?? 0) > 0)) {
    log.warn('hooks of fetches switch off the response cache, and the entity cache of their subgraphs')
  }
  const caching = !isCached ? NO_OPERATION_CACHE : createOperationCache({ supergraph, document, viewer, links, cache, vary })
  const stopFollowing = entityCache && followEntityChanges(links, entityCache)
  const rules = { schema: supergraph.api, weights: readCostWeights(document, limits.weights), limits, introspection }
  const { usage, observe, observeFacade } = observersOf(options.usage ?? null, supergraph.api, { metrics, tracing, slow })
  const preparation = {
    deps,
    viewer,
    caching,
    limits,
    weights: rules.weights,
    budget,
    slots,
    introspection,
    observe,
    usage,
    log,
    hooks,
    tracing,
    shadow: options.shadow ?? null,
  }
  const { prepareOperation: prepareInner, subscriptions } = createOperationPreparation(preparation)
  const prepareOperation: typeof prepareInner = (validation, characters) => {
    const prepared = prepareInner(validation, characters)
    if (prepared.kind !== 'executable' || validation.kind !== 'valid') return prepared
    const wrapped = middleware?.wrap(prepared, validation.validated) ?? prepared
    return traces?.wrap(wrapped) ?? wrapped
  }

  let misses = 0
  const cachedDocument = createDocumentCache((text, operationName) => {
    misses++
    return prepareOperation(validateOperation(text, operationName, rules), text.length)
  })
  const prepareText = (text: string, operationName: string | undefined) => {
    const missesBefore = misses
    const prepared = cachedDocument(text, operationName)
    metrics?.planCacheLookup(misses === missesBefore)
    return prepared
  }
  const prepareTrusted = (text: string, operationName: string | undefined) =>
    prepareOperation(validateOperation(text, operationName, { ...rules, introspection: true }), text.length)
  const persisted = createPersistedDocuments(trustedDocuments, prepareText, prepareTrusted, sharedDocuments)
  const countRejected = rejectionCounter(metrics)
  if (options.warmsUp) warmUp(rules, deps)

  return {
    schema: supergraph.api,
    client: createClient(
      deps,
      log,
      (operation, run) => observeFacade(operation, caching.invalidateAfter(operation, run), (result) => result, null),
      plans,
    ),
    prepareText: (text, operationName) => countRejected(prepareText(text, operationName)),
    prepare: (params) =>
      params.isCostOnly ? costOnly(countRejected(persisted.prepare(params))) : countRejected(persisted.prepare(params)),
    limits,
    uploads,
    readsClientHeaders: middleware !== null,
    queryTraces: traces?.readers ?? null,
    subscriptions,
    slots,
    onSwap: () => {},
    cache,
    circuits: () => links.flatMap(({ name, circuitState }) => (circuitState ? [{ name, state: circuitState() }] : [])),
    close: async () => {
      supergraph.close()
      persisted.close()
      caching.close()
      stopFollowing?.()
    },
  }
}

/** Prepares a query as those of clients, and drops it. */
function warmUp(rules: Parameters<typeof validateOperation>[2], deps: ExecutorDeps): void {
  const text = warmUpQuery(rules.schema)
  if (text === null) return
  try {
    const validation = validateOperation(text, undefined, rules)
    if (validation.kind === 'valid') planOperation(validation.validated, deps)
  } catch {
    // Whoever sends such a document learns why it cannot be planned.
  }
}

/** Counts rejected operations. */
const rejectionCounter =
  (metrics: Metrics | null) =>
  (prepared: PreparedOperation): PreparedOperation => {
    if (prepared.kind === 'rejected') metrics?.operationRefused(prepared.operation)
    return prepared
  }

/** Observers of client and facade operations: timing, traces, logs and metrics. */
function observersOf(
  recorder: UsageRecorder | null,
  api: GraphQLSchema,
  observed: Omit<Parameters<typeof observer>[0], 'usage'>,
) {
  const usage = recorder?.forGraph(api) ?? null
  return {
    usage,
    observe: observer({ ...observed, usage }),
    observeFacade: observer({ ...observed, usage: recorder?.forGraph(api, FACADES) ?? null }),
  }
}

/** Links by name with tracing, metrics and error masking. Throws for a subgraph without a link. */
function observedLinks(
  links: readonly Link[],
  supergraph: Supergraph,
  {
    slow,
    tracing,
    metrics,
    log,
    cacheOf,
    hooks,
    uploads,
    traces,
  }: {
    readonly slow: SlowLog | null
    readonly tracing: Tracing | null
    readonly metrics: Metrics | null
    readonly log: Logger
    readonly cacheOf: ReturnType<EntityCache['forGraph']> | undefined
    readonly hooks: HookStages | null
    readonly uploads: UploadReceiver | null
    readonly traces: ReturnType<typeof createQueryTraces>
  },
): ReadonlyMap<string, Link> {
  const observed = new Map<string, Link>()
  for (const link of links) {
    const timed = slow?.timeLink(link) ?? link
    const requested = traces ? traceRequests(timed) : timed
    const traced = tracing?.traceLink(requested) ?? requested
    const masked = maskErrors(metrics?.measureLink(traced) ?? traced, log)
    // Hooks see masked errors, and are masked themselves.
    const cached = cacheOf ? { ...masked, cacheEntities: cacheOf(masked.name) } : masked
    const hooked = hooks?.changesFetchesOf(link.name) ? maskErrors(hookLink(masked, hooks), log) : cached
    // The last: a fetch has its files from its first hook on.
    observed.set(masked.name, uploads ? uploadLink(hooked) : hooked)
  }
  for (const name of supergraph.subgraphs) {
    if (!observed.has(name)) throw new Error(`Expected a link to subgraph "${name}", got none.`)
  }
  return observed
}
