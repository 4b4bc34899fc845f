/**
 * Standalone gateway: serves the supergraph in SUPERGRAPH_FILE (`--supergraph`) or of another
 * source at /graphql, with hot swaps. Subgraphs are remote; no database is needed. Logs are JSON
 * lines on standard output; messages for people go to standard error.
 */
import type { Logger } from 'pino'
import { ownValue } from '../../platform/collections/lookup-table.ts'
import { type Config, describeConfig, readConfig } from '../../platform/config/config.ts'
import { freePort, isLoopbackHost, listen, listenOptionsFromConfig, localUrl } from '../../platform/http/listen.ts'
import { createHttpServer } from '../../platform/http/server.ts'
import { type Defer, runProgram } from '../../platform/process/lifecycle.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { releaseGarbage } from '../../platform/process/release-garbage.ts'
import { jwtGrants } from '../authorization/jwt-grants.ts'
import { createTokenVerifier } from '../authorization/token-verifier.ts'
import { jwtOptionsOf } from '../authorization/variables.ts'
import type { EntityCache } from '../caching/entity-cache.ts'
import { serveInvalidations } from '../caching/entity-cache-endpoint.ts'
import { followInvalidationEvents } from '../caching/follow-invalidation-events.ts'
import { openEntityCache } from '../caching/open-entity-cache.ts'
import type { Canary } from '../canary/canary.ts'
import type { GraphParts, openCanary as OpenCanary } from '../canary/open-canary.ts'
import { createEventSources, type EventSources } from '../event-sources/event-sources.ts'
import { isExplorerInstalled, serveExplorer } from '../explorer/serve.ts'
import { type Gateway, startGateway } from '../gateway.ts'
import type { HookStages } from '../hooks/hook-stages.ts'
import { type Limits, limitsFromConfig } from '../limits/limits.ts'
import { budgetFromConfig } from '../limits/redis-budget.ts'
import { checkLimitedSubgraphs } from '../limits/subgraph-limits.ts'
import { subscriptionLimitsOf, subscriptionSlots } from '../limits/subscription-slots.ts'
import { createMetrics, type Metrics } from '../observability/metrics.ts'
import { scrapingConfig, serveMetrics } from '../observability/metrics-endpoint.ts'
import { queryTraceReadersOf } from '../observability/query-trace.ts'
import { createExportedLog, startMetricsExport } from '../observability/telemetry-config.ts'
import { configuredTracing } from '../observability/tracing-config.ts'
import { sharedDocumentsFromConfig } from '../operations/redis-documents.ts'
import { trustedDocumentsFromConfig } from '../operations/trusted-documents.ts'
import { labelsByCaller, type ValidOptions } from '../options/gateway-options.ts'
import { hookStagesOf } from '../options/hook-options.ts'
import { tokenOptionsOf } from '../options/jwt-options.ts'
import { createSubgraphSources, type SubgraphSources } from '../options/subgraph-sources.ts'
import { operationMiddlewareOf } from '../options/traffic-shaping.ts'
import { usageRecorderOf } from '../options/usage-options.ts'
import { applyContract, contractError } from '../planning/contract.ts'
import type { Graph } from '../planning/hot-swap.ts'
import { createServedGraph, type ServedGraph } from '../planning/served-graph.ts'
import { followFile } from '../planning/sources/follow-file.ts'
import type { FollowedSupergraph } from '../planning/sources/follow-supergraph.ts'
import type { ValidSourceOptions } from '../planning/sources/source-options.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import { openShadow } from '../shadow/open-shadow.ts'
import { serveShadowReport } from '../shadow/shadow-endpoint.ts'
import type { ShadowTraffic } from '../shadow/shadow-traffic.ts'
import { checkReachability, respondsToGraphql } from '../subgraph-client/health.ts'
import type { SubgraphLocation } from '../subgraph-client/link-pool.ts'
import { serveCallbacks } from '../transports/callback-endpoint.ts'
import { serveGraphql } from '../transports/http.ts'
import { serveWebSockets } from '../transports/websocket.ts'
import { uploadsFromConfig } from '../uploads/upload-config.ts'
import { variables } from './config.ts'
import { type LoadedConfig, loadConfigFile, mergeSettings } from './config-file.ts'
import { FLAGS_HELP, parseCommandLine } from './flags.ts'
import { printDefaults } from './print-defaults.ts'
import { supergraphOriginFromConfig } from './source-variables.ts'

/** A graph with the URLs of its subgraphs. */
type LocatedGraph = Graph & { readonly locations: readonly SubgraphLocation[] }

await runProgram(async (defer, end) => {
  const { isHelp, isPrintDefaults, configFile, env } = parseCommandLine(process.argv.slice(2), variables)
  if (isHelp) {
    console.log(`Serves a federation 2 supergraph at /graphql.\n\n${FLAGS_HELP}\n\n${describeConfig(variables)}`)
    return end()
  }
  if (isPrintDefaults) {
    console.log(printDefaults())
    return end()
  }
  const file = await loadConfigFile(configFile, process.cwd())
  const config = readConfig(variables, mergeSettings(file.env, process.env, env))
  const log = await createExportedLog(config, defer)
  const { subject, options: source } = supergraphOriginFromConfig(config, file.supergraph ?? undefined)

  const metrics = config.METRICS ? createMetrics({ ofProcess: true }) : null
  const tracing = await configuredTracing(config)
  if (tracing) defer(tracing.close)
  const slots = subscriptionSlots(subscriptionLimitsOf(config), metrics?.subscriptionRefused)
  const persisted = trustedDocumentsFromConfig(config)
  const { budget, documents, entityCache } = await openStores(config, file.options, { log, metrics, defer })
  // Shared by all graphs of hot swaps, because it caches tokens and keys.
  const jwt = jwtOptionsOf(config, file.options.jwt)
  const verifier = jwt ? createTokenVerifier(tokenOptionsOf(jwt)) : null
  const findGrants = verifier && jwtGrants(verifier)
  const timeouts = { timeoutMilliseconds: config.SUBGRAPH_TIMEOUT_MILLISECONDS }
  const subgraphOptions = { ...file.options, allSubgraphs: { ...file.options.allSubgraphs, ...timeouts } }
  const { contract } = file.options
  const limits = { ...limitsFromConfig(config), ...costLimitsOf(file.options, config) }
  const hooks = hookStagesOf(file.options, log, metrics)
  const usage = usageRecorderOf(file.options.usage, log)
  defer(async () => void (await Promise.all([hooks?.close(), usage?.close()])))
  const middleware = operationMiddlewareOf(file.options, verifier, hooks)
  const sources = createSubgraphSources(subgraphOptions, log)
  const eventSources = await createEventSources(file.options.eventSources ?? {}, log)
  defer(eventSources.close)
  followInvalidations(entityCache, file.options, eventSources.brokerOf, { log, defer })
  const overrideLabels = overrideLabelsOf(file.options, config)
  const common = {
    limits,
    introspection: config.INTROSPECTION,
    uploads: uploadsFromConfig(config),
    queryTraces: queryTraceReadersOf(traceSettingsOf(config, file.options), isDevelopment(config)),
    ...(findGrants && { grantsOver: () => findGrants }),
    ...(overrideLabels && { overrideLabels }),
  }
  const shadow = openShadow(subgraphOptions, common, { log, metrics, eventLinksOf: eventSources.linksOf })
  defer(async () => shadow?.close())
  const served = createServedGraph((sdl) => graphOf(sdl), log)
  const followed =
    source.type === 'file'
      ? await followFile(source.path, served.serve, log, subject)
      : await followSource(source, served.serve, log)
  const { gateway } = served.current()
  defer(gateway.close)
  defer(followed.close)
  process.on('SIGHUP', followed.reload)
  const canaryDeps = { served, graphOf, shared: sources, eventLinksOf: eventSources.linksOf, log, metrics }
  const canary = await beginCanary(subgraphOptions, common, canaryDeps, defer)

  await serveRequests({ config, log, metrics, gateway, served, sources, entityCache, shadow, canary, defer })

  /**
   * Creates a graph. Rejects with a Refusal for an invalid supergraph, or when a trusted document
   * is invalid for it.
   */
  async function graphOf(supergraphSdl: string, parts: GraphParts = { sources, shadow }): Promise<LocatedGraph> {
    const composed = locationsOf(subject, supergraphSdl)
    checkSubgraphNames(composed, limits, hooks)
    const { links, locations, release } = takeLinks(parts.sources, subject, composed, eventSources.linksOf(supergraphSdl))
    try {
      const gateway = await startGateway({
        supergraphSdl: contract ? applyContract(supergraphSdl, contract) : supergraphSdl,
        ...common,
        warmsUp: true,
        links,
        middleware,
        hooks,
        shadow: parts.shadow,
        usage,
        budget,
        slots,
        log,
        metrics,
        tracing,
        slowMilliseconds: config.SLOW_OPERATION_MILLISECONDS,
        responseCacheBytes: config.RESPONSE_CACHE_BYTES,
        entityCache,
        trustedDocuments: persisted,
        sharedDocuments: documents,
      })
      return { gateway, release, locations }
    } catch (error) {
      await release()
      throw error instanceof OperatorError ? error : contract ? contractError(error) : broken(subject, error)
    }
  }
})

/** Settings of query traces; the variable overrides the token of the configuration file. */
function traceSettingsOf({ QUERY_TRACES, QUERY_TRACE_TOKEN }: Config<typeof variables>, { queryTraces }: ValidOptions) {
  const token = typeof queryTraces === 'object' ? queryTraces.token : undefined
  return { QUERY_TRACES, QUERY_TRACE_TOKEN: QUERY_TRACE_TOKEN ?? token }
}

function isDevelopment({ HOST, TRUSTED_PROXIES }: Pick<Config<typeof variables>, 'HOST' | 'TRUSTED_PROXIES'>): boolean {
  // A proxy on this machine serves others.
  return process.env.NODE_ENV === 'development' && isLoopbackHost(HOST) && TRUSTED_PROXIES === undefined
}

/** Opens what all graphs share with other copies. */
async function openStores(
  config: Config<typeof variables>,
  { entityCache: cacheOptions }: ValidOptions,
  { log, metrics, defer }: { readonly log: Logger; readonly metrics: Metrics | null; readonly defer: Defer },
) {
  const budget = await budgetFromConfig(config, log)
  defer(async () => budget?.close())
  const documents = await sharedDocumentsFromConfig(config, log)
  defer(async () => documents?.close())
  const { ENTITY_CACHE_BYTES: maxBytes, ENTITY_CACHE_REDIS_URL: redisUrl } = config
  const entityCache = await openEntityCache({ ...cacheOptions, maxBytes, redisUrl }, log, metrics)
  defer(async () => entityCache?.close())
  return { budget, documents, entityCache }
}

/** Invalidates entities by messages of brokers, if there is a cache. */
function followInvalidations(
  cache: EntityCache | null,
  { entityCache: { invalidationEvents = [] } = {} }: ValidOptions,
  brokerOf: EventSources['brokerOf'],
  { log, defer }: { readonly log: Logger; readonly defer: Defer },
): void {
  if (cache) defer(followInvalidationEvents(invalidationEvents, brokerOf, { cache, log }).close)
}

/** Starts the candidate supergraph of the configuration file; null without one. */
async function beginCanary(
  settings: ValidOptions,
  common: Parameters<typeof openShadow>[1],
  deps: Parameters<typeof OpenCanary<LocatedGraph>>[2],
  defer: Defer,
): Promise<Canary | null> {
  const { canary } = settings
  if (!canary) return null
  // Imported on demand: most gateways have no candidate.
  const { openCanary } = await import('../canary/open-canary.ts')
  const opened = await openCanary({ ...settings, canary }, common, deps)
  defer(opened.close)
  return opened.canary
}

/** Throws for options of a subgraph that the supergraph lacks, which would have no effect. */
function checkSubgraphNames(locations: readonly SubgraphLocation[], limits: Limits, hooks: HookStages | null): void {
  const names = locations.map(({ name }) => name)
  checkLimitedSubgraphs(limits, names, '"limits.subgraphs" (SUBGRAPH_COST_LIMITS)')
  hooks?.checkSubgraphs(names)
}

/** What limits say beside depth and cost. Costs are those of the variable, modes those of the file. */
function costLimitsOf(
  { limits: { costMode, subgraphs, allSubgraphs } = {} }: ValidOptions,
  { SUBGRAPH_COST_LIMITS: costs }: { readonly SUBGRAPH_COST_LIMITS?: ReadonlyMap<string, number> | undefined },
): Partial<Limits> {
  const names = new Set([...Object.keys(subgraphs ?? {}), ...(costs?.keys() ?? [])])
  const limited = [...names].map((name) => {
    const cost = costs?.get(name)
    return [name, { costMode: ownValue(subgraphs ?? {}, name)?.costMode, ...(cost !== undefined && { cost }) }] as const
  })
  return {
    ...(costMode && { costMode }),
    ...((costs || subgraphs) && { subgraphs: Object.fromEntries(limited) }),
    ...(allSubgraphs && { allSubgraphs }),
  }
}

/** Serves requests until the process ends. */
async function serveRequests({
  config,
  log,
  metrics,
  gateway,
  served,
  sources,
  entityCache,
  shadow,
  canary,
  defer,
}: {
  readonly config: Config<typeof variables>
  readonly log: Logger
  readonly metrics: Metrics | null
  readonly gateway: Gateway
  readonly served: ServedGraph<LocatedGraph>
  readonly sources: SubgraphSources
  readonly entityCache: EntityCache | null
  readonly shadow: ShadowTraffic | null
  readonly canary: Canary | null
  readonly defer: Defer
}): Promise<void> {
  const isProxy = config.TRUSTED_PROXIES
  const check = (signal: AbortSignal) => checkReachability(served.current().graph.locations, respondsToGraphql, signal)
  const checks = [{ name: 'subgraphs', check }]
  const app = createHttpServer({ log, checks, metrics, isProxy, loadLimit: config.LOAD_LIMIT })
  const explorer = config.EXPLORER && isExplorerInstalled() && { page: await serveExplorer(app, { traces: gateway.queryTraces }) }
  await serveGraphql(app, gateway, { ...explorer, batchLimit: config.BATCH_LIMIT })
  const sockets = serveWebSockets(app, gateway, { isProxy })
  serveCallbacks(app, sources.callbacks)
  if (entityCache && config.ENTITY_CACHE_TOKEN !== undefined) serveInvalidations(app, entityCache, config.ENTITY_CACHE_TOKEN)
  if (shadow && config.SHADOW_TOKEN !== undefined) serveShadowReport(app, shadow.report, config.SHADOW_TOKEN)
  if (canary && config.CANARY_TOKEN !== undefined) {
    const { serveCanary } = await import('../canary/canary-endpoint.ts')
    serveCanary(app, canary, config.CANARY_TOKEN)
  }
  if (metrics) {
    const open = { sockets: sockets.count, gateway, listeners: () => 0 }
    await serveMetrics(app, metrics, open, { ...scrapingConfig(config), log, defer })
  }
  await startMetricsExport(config, metrics, { log, defer })
  const port = config.PORT || (await freePort(config.HOST))
  // Collects garbage of the start now, so that no request has to wait for it.
  releaseGarbage()
  await listen(app, listenOptionsFromConfig(config, port), defer)
  console.error(`The gateway is ready: ${localUrl(config.HOST, port)}/graphql`)
}

/** Finds `@override` labels: a function of the configuration file, or a fixed set. */
function overrideLabelsOf(
  { findOverrideLabels }: LoadedConfig['options'],
  { OVERRIDE_LABELS: labels }: { readonly OVERRIDE_LABELS?: readonly string[] | undefined },
) {
  return findOverrideLabels ? labelsByCaller(findOverrideLabels) : labels && (() => labels)
}

/** Follows a source other than a file; imported on demand, because most gateways read a file. */
async function followSource(
  options: ValidSourceOptions,
  serve: (sdl: string) => Promise<void>,
  log: Logger,
): Promise<FollowedSupergraph> {
  const sources = await import('../planning/sources/follow-source.ts')
  return sources.followSource(options, serve, log)
}

function locationsOf(subject: string, sdl: string): readonly SubgraphLocation[] {
  let locations: ReturnType<typeof subgraphLocations>
  try {
    locations = subgraphLocations(sdl)
  } catch (error) {
    throw broken(subject, error)
  }
  if (locations.length === 0) throw broken(subject, new Error('it has no enum join__Graph with subgraphs'))
  return locations
}

function takeLinks(
  sources: SubgraphSources,
  subject: string,
  locations: readonly SubgraphLocation[],
  others: Parameters<SubgraphSources['take']>[1],
): ReturnType<SubgraphSources['take']> {
  try {
    return sources.take(locations, others)
  } catch (error) {
    throw error instanceof OperatorError ? new OperatorError(`${subject}: ${error.message}`) : error
  }
}

function broken(subject: string, error: unknown): OperatorError {
  return new OperatorError(`${subject} is not a federation 2 supergraph: ${firstLine(error)}.`)
}

function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  return line.replace(/\.$/, '')
}
