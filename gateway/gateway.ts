import { type GraphQLSchema, parse } from 'graphql'
import type { Logger } from 'pino'
import type { CircuitState } from '../platform/outbound/circuit-breaker.ts'
import { authorizationOf, type FindGrants, NO_GRANTS } from './authorization/authorization.ts'
import { createOperationCache, NO_OPERATION_CACHE } from './caching/caching.ts'
import type { EntityCache } from './caching/entity-cache.ts'
import { followEntityChanges } from './caching/follow-entity-changes.ts'
import { type ResponseCache, responseCache } from './caching/response-cache.ts'
import { viewerFields } from './caching/viewer-fields.ts'
import { createClient, type GatewayClient } from './client.ts'
import type { OperationExchange } from './exchange/operation-exchange.ts'
import type { ExecutorDeps } from './executor/executor.ts'
import type { HookStages } from './hooks/hook-stages.ts'
import { hookLink } from './hooks/hooked-link.ts'
import type { Budget } from './limits/budget.ts'
import { readCostWeights } from './limits/cost-weights.ts'
import type { Limits } from './limits/limits.ts'
import { type SubscriptionSlots, subscriptionSlots } from './limits/subscription-slots.ts'
import type { Metrics } from './observability/metrics.ts'
import { createSlowLog, type SlowLog } from './observability/slow-log.ts'
import type { Tracing } from './observability/tracing.ts'
import { createDocumentCache, validateOperation } from './operations/document-cache.ts'
import { createPersistedDocuments } from './operations/persisted-documents.ts'
import { createOperationPreparation, observer } from './operations/prepare-operation.ts'
import type { PreparedOperation } from './operations/prepared-operation.ts'
import type { SharedDocuments } from './operations/redis-documents.ts'
import type { TrustedDocuments } from './operations/trusted-documents.ts'
import { type FindOverrideLabels, overrideLabelsIn } from './planning/override-labels.ts'
import { EMPTY_PLAN_STORE, type PlanStore } from './planning/plan-store.ts'
import { readSupergraph, type Supergraph } from './planning/supergraph.ts'
import type { ShadowTraffic } from './shadow/shadow-traffic.ts'
import { maskErrors } from './subgraph-client/error-masking.ts'
import type { Link } from './subgraph-client/link.ts'
import type { GraphQLParams } from './transports/request-params.ts'
import type { UsageRecorder } from './usage/usage-recorder.ts'

/** A federated graph that is ready to serve. */
export type Gateway = {
  /** The API schema: what clients see. */
  readonly schema: GraphQLSchema
  /** Runs the operations of facades, without limits. */
  readonly client: GatewayClient
  /**
   * Prepares an operation of a client: parses, validates, limits and plans it once per text and
   * operation name. Never throws.
   */
  readonly prepareText: (text: string, operationName: string | undefined) => PreparedOperation
  /**
   * Like `prepareText`, by text or by the identifier of a persisted document. All transports call
   * it.
   */
  readonly prepare: (params: GraphQLParams) => PreparedOperation
  readonly limits: Limits
  /** Whether operations need the headers of the requests that they came in. */
  readonly readsClientHeaders: boolean
  /** Subscriptions that run now. */
  readonly subscriptions: () => number
  /** Memory that they are counted with. */
  readonly slots: Pick<SubscriptionSlots, 'memory'>
  /** Calls `listener` after each replacement of the graph; never, where it cannot be replaced. */
  readonly onSwap: (listener: () => void) => void
  /** The response cache. */
  readonly cache: Pick<ResponseCache, 'bytes' | 'entries'>
  /** Circuit breakers of the subgraphs that have one. */
  readonly circuits: () => readonly { readonly name: string; readonly state: CircuitState }[]
  readonly close: () => Promise<void>
}

export type StartGatewayOptions = {
  readonly supergraphSdl: string
  readonly links: readonly Link[]
  readonly limits: Limits
  /** Cost that a client may spend per minute; null: unlimited. */
  readonly budget?: Budget | null
  /**
   * Subscription slots of the whole process; by default of this gateway alone, with the default
   * limits.
   */
  readonly slots?: SubscriptionSlots
  readonly log: Logger
  readonly metrics?: Metrics | null
  readonly tracing?: Tracing | null
  /** Operations that take at least this long are logged; 0 logs none. */
  readonly slowMilliseconds?: number
  /** Size of the response cache; 0 switches it off. */
  readonly responseCacheBytes?: number
  /**
   * Entities of subgraphs that are cached one by one, in place of responses, for all graphs that
   * follow each other; null: none.
   */
  readonly entityCache?: EntityCache | null
  /** Whether clients may introspect the schema. Trusted documents always may. */
  readonly introspection?: boolean
  readonly trustedDocuments?: TrustedDocuments
  /** Shares documents that clients register by hash with other gateways; null: not shared. */
  readonly sharedDocuments?: SharedDocuments | null
  /** Stored plans of the operations of facades, for this supergraph. */
  readonly plans?: PlanStore
  /** What happens around every operation of clients; null: nothing. */
  readonly exchange?: OperationExchange | null
  /** Hooks of the operator; null: none. `exchange` is made with them as well. */
  readonly hooks?: HookStages | null
  /**
   * Creates, over the links, the lookup of a caller's grants; by default no caller has grants, so
   * guarded fields are refused.
   */
  readonly grantsOver?: (links: ReadonlyMap<string, Link>) => FindGrants
  /** Runs a part of the queries on a candidate supergraph as well; null: none. */
  readonly shadow?: ShadowTraffic | null
  /** Counts which client uses which operation; null: nothing is counted. */
  readonly usage?: UsageRecorder | null
  /** Active labels of `@override(label:)` per request, beside `percent(x)`; absent: none. */
  readonly overrideLabels?: FindOverrideLabels
}

/** `assembleGateway`, with what it throws as a rejection. */
export const startGateway = async (options: StartGatewayOptions): Promise<Gateway> => assembleGateway(options)

/**
 * Assembles a gateway over its links. Throws when the supergraph cannot be read, when it names a
 * subgraph without a link, and when a trusted document cannot run on it.
 */
export function assembleGateway(options: StartGatewayOptions): Gateway {
  const { links, limits, log, metrics = null, tracing = null, introspection = true, sharedDocuments = null } = options
  const { slots = subscriptionSlots(), plans = EMPTY_PLAN_STORE, grantsOver = () => () => NO_GRANTS } = options
  const { exchange = null, hooks = null, entityCache = null, budget = null, slowMilliseconds = 0 } = options
  const { trustedDocuments = { documents: [], isOnly: false } } = options
  const document = parse(options.supergraphSdl, { noLocation: true })
  const supergraph = readSupergraph(document, { isKnown: !plans.isEmpty })
  const slow = slowMilliseconds > 0 ? createSlowLog(slowMilliseconds, log) : null
  const viewer = viewerFields(document)
  const cacheOf = entityCache?.forGraph(document, supergraph, viewer)
  const linksByName = observedLinks(links, supergraph, { slow, tracing, metrics, log, cacheOf, hooks })
  const authorization = authorizationOf(document, supergraph, grantsOver(linksByName))
  const needed = new Set(supergraph.fieldSets.names.values())
  const overrides = overrideLabelsIn(document, { find: options.overrideLabels ?? null, needed, log })
  const deps: ExecutorDeps = { supergraph, links: linksByName, metrics, authorization, overrides }
  const cache = responseCache({
    maxBytes: options.responseCacheBytes ?? 0,
    ...(metrics && { count: metrics.responseCacheLookup }),
  })
  // Both together would add the age of entities to that of answers, and invalidation of a key or a
  // tag does not reach answers.
  const vary = exchange?.vary ?? []
  // Where hooks change what subgraphs are asked or answer, a result is for one caller.
  const isCached = !entityCache && !hooks?.changesFetches
  if (hooks?.changesFetches && (entityCache || (options.responseCacheBytes ?? 0) > 0)) {
    log.warn('hooks of fetches switch off the response cache and the entity cache')
  }
  const caching = !isCached ? NO_OPERATION_CACHE : createOperationCache({ supergraph, document, viewer, links, cache, vary })
  const stopFollowing = entityCache && followEntityChanges(links, entityCache)
  const rules = { schema: supergraph.api, weights: readCostWeights(document, limits.weights), limits, introspection }
  const { usage, observe, observeFacade } = observersOf(options.usage ?? null, supergraph.api, { metrics, tracing, slow })
  const preparation = {
    deps,
    document,
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
    shadow: options.shadow ?? null,
  }
  const { prepareOperation: prepareInner, subscriptions } = createOperationPreparation(preparation)
  const prepareOperation: typeof prepareInner = (validation, characters) => {
    const prepared = prepareInner(validation, characters)
    if (prepared.kind !== 'executable' || validation.kind !== 'valid') return prepared
    return exchange?.wrap(prepared, validation.validated) ?? prepared
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
  const countRejected = (prepared: PreparedOperation): PreparedOperation => {
    if (prepared.kind === 'rejected') metrics?.operationRefused(prepared.operation)
    return prepared
  }

  return {
    schema: supergraph.api,
    client: createClient(
      deps,
      log,
      (operation, run) => observeFacade(operation, caching.invalidateAfter(operation, run), (result) => result, null),
      plans,
    ),
    prepareText: (text, operationName) => countRejected(prepareText(text, operationName)),
    prepare: (params) => countRejected(persisted.prepare(params)),
    limits,
    readsClientHeaders: exchange !== null,
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

/** The client of operations that facades of this installation run for callers without a name. */
const FACADES = { name: 'atrium', version: '' }

/** How operations of clients and of facades are timed, traced, logged and counted. */
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

/**
 * The links by name, timed, traced, measured and with masked errors. Throws for a subgraph without
 * a link.
 */
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
  }: {
    readonly slow: SlowLog | null
    readonly tracing: Tracing | null
    readonly metrics: Metrics | null
    readonly log: Logger
    readonly cacheOf: ReturnType<EntityCache['forGraph']> | undefined
    readonly hooks: HookStages | null
  },
): ReadonlyMap<string, Link> {
  const observed = new Map<string, Link>()
  for (const link of links) {
    const timed = slow?.timeLink(link) ?? link
    const traced = tracing?.traceLink(timed) ?? timed
    const masked = maskErrors(metrics?.measureLink(traced) ?? traced, log)
    // Hooks see masked errors, and are masked themselves.
    if (hooks?.changesFetches) observed.set(masked.name, maskErrors(hookLink(masked, hooks), log))
    else observed.set(masked.name, cacheOf ? { ...masked, cacheEntities: cacheOf(masked.name) } : masked)
  }
  for (const name of supergraph.subgraphs) {
    if (!observed.has(name)) throw new Error(`Expected a link to subgraph "${name}", got none.`)
  }
  return observed
}
