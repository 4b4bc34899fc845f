import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../../platform/http/caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import { createLog } from '../../platform/process/log.ts'
import { assembleGateway } from '../gateway.ts'
import type { Limits } from '../limits/limits.ts'
import { type Graph, type HotSwappableGateway, hotSwappableGateway } from '../planning/hot-swap.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import { createLinkPool } from '../subgraph-client/link-pool.ts'
import { type FindContextGrants, grantsByContext } from './context-grants.ts'
import { createDataSourceLink } from './data-source-link.ts'
import { type BuildService, createDataSources, defaultDataSource } from './data-sources.ts'
import type {
  ApolloExecutor,
  ApolloGatewayInterface,
  IncomingRequestContext,
  SupergraphHook,
  SupergraphManager,
} from './gateway-interface.ts'

import { createQueryPlanTrace } from './query-plan-trace.ts'

export type { SupergraphSourceOptions } from '../planning/sources/source-options.ts'
export type * from './gateway-interface.ts'
export { IntrospectAndCompose } from './introspect-and-compose.ts'
export { LocalGraphQLDataSource } from './local-data-source.ts'
export { RemoteGraphQLDataSource } from './remote-data-source.ts'
export { createSupergraphManager } from './supergraph-manager.ts'

/** Options of `atriumGateway`, by the names of `new ApolloGateway(…)`. */
export type AtriumGatewayOptions = {
  /** A composed supergraph, a manager such as `IntrospectAndCompose`, or a function like one. */
  readonly supergraphSdl: string | SupergraphManager | SupergraphHook
  /** Creates the data source of a subgraph. Default: `new RemoteGraphQLDataSource({ url })`. */
  readonly buildService?: BuildService
  /** Whether every subgraph must respond before the first supergraph is served. Default: false. */
  readonly serviceHealthCheck?: boolean
  /** Depth and cost of an operation. Default: 0 and 0, no limits, as in Apollo Gateway. */
  readonly limits?: Partial<Limits>
  /**
   * What the caller of a context value holds, for `@authenticated`, `@requiresScopes` and
   * `@policy`. What it throws refuses every guarded field. Default: nothing, so that guarded
   * fields are refused.
   */
  readonly findGrants?: FindContextGrants
  /** Log in pino's form. Default: warnings and errors as JSON lines on standard output. */
  readonly log?: Logger
}

/** The gateway of an Apollo Server. */
export type AtriumGateway = ApolloGatewayInterface & {
  /** Rejects unless every subgraph responds to `{ __typename }`. */
  readonly serviceHealthCheck: () => Promise<void>
}

type Listener = Parameters<ApolloGatewayInterface['onSchemaLoadOrUpdate']>[0]
/** The served graph: its SDL and schema, as Apollo Server gets them. */
type Loaded = { readonly sdl: string; readonly schema: GraphQLSchema }

const NO_LIMITS: Limits = { depth: 0, cost: 0 }

/**
 * Creates a drop-in replacement of `ApolloGateway`: `new ApolloServer({ gateway: atriumGateway({
 * supergraphSdl }) })`. Apollo Server parses, validates and runs its plugins as before; planning,
 * execution and fetches are Atrium's. Throws for options that it does not know.
 */
export function atriumGateway(options: AtriumGatewayOptions): AtriumGateway {
  assertOptions(options)
  const { supergraphSdl, buildService = defaultDataSource, serviceHealthCheck = false, log = createLog('warn') } = options
  const limits = { ...NO_LIMITS, ...options.limits }
  const sources = createDataSources(buildService)
  const incoming = new WeakMap<Caller, IncomingRequestContext>()
  const pool = createLinkPool(({ name, url }) => {
    const link = createDataSourceLink(name, sources.get({ name, url }), incomingOf)
    return { ...link, close: () => sources.close({ name, url }) }
  })
  const findGrants = grantsByContext(options.findGrants, incomingOf, log)
  const listeners = new Set<Listener>()
  let gateway: HotSwappableGateway | null = null
  let loaded: Loaded | null = null
  let loading: Promise<void> | null = null
  let cleanup: (() => Promise<void>) | undefined
  let isStopped = false

  return {
    onSchemaLoadOrUpdate(listener) {
      listeners.add(listener)
      // A second server shares this gateway, or restarts.
      if (loaded) listener({ apiSchema: loaded.schema, coreSupergraphSdl: loaded.sdl })
      return () => void listeners.delete(listener)
    },
    async load() {
      loading ??= load()
      await loading
      return { executor: execute }
    },
    async stop() {
      isStopped = true
      await cleanup?.()
      await gateway?.close()
      await sources.closeAll()
    },
    serviceHealthCheck: () => sources.checkHealth(loaded?.sdl ?? ''),
  }

  async function load(): Promise<void> {
    const initialize = managerOf(supergraphSdl)
    const initial = await initialize({ update, healthCheck: sources.checkHealth, getDataSource: sources.get })
    cleanup = initial.cleanup
    try {
      await start(initial)
    } catch (error) {
      // Apollo Server does not stop what it could not start.
      await cleanup?.()
      throw error
    }
  }

  async function start(initial: Awaited<ReturnType<SupergraphHook>>): Promise<void> {
    if (typeof initial.supergraphSdl !== 'string' || initial.supergraphSdl === '') {
      throw new Error('Expected the supergraph manager to return { supergraphSdl }.')
    }
    if (serviceHealthCheck) await sources.checkHealth(initial.supergraphSdl)
    update(initial.supergraphSdl)
  }

  function update(sdl: string): void {
    if (isStopped) throw new Error('Expected no update of a gateway that was stopped.')
    if (sdl === loaded?.sdl) return
    const graph = graphOf(sdl)
    if (gateway) gateway.swap(graph)
    else gateway = hotSwappableGateway(graph, log)
    loaded = { sdl, schema: graph.gateway.schema }
    for (const listener of listeners) {
      try {
        listener({ apiSchema: loaded.schema, coreSupergraphSdl: sdl })
      } catch (error) {
        log.error({ err: error }, 'a listener of schema updates failed')
      }
    }
  }

  function graphOf(sdl: string): Graph {
    const { links, release } = pool.take(subgraphLocations(sdl))
    try {
      return { gateway: assembleGateway({ supergraphSdl: sdl, links, limits, log, grantsOver: () => findGrants }), release }
    } catch (error) {
      void release()
      throw error
    }
  }

  function incomingOf(caller: Caller): IncomingRequestContext {
    const found = incoming.get(caller)
    if (!found) throw new Error('Expected an operation of Apollo Server.')
    return found
  }

  async function execute(requestContext: IncomingRequestContext): ReturnType<ApolloExecutor> {
    if (!gateway || isStopped) throw new Error('Expected an operation before the gateway was stopped.')
    const { source, request } = requestContext
    const prepared = gateway.prepareText(source, request.operationName ?? undefined)
    if (prepared.kind === 'rejected') return { errors: prepared.errors.map(toGraphQLError) }
    const caller: Caller = { requestId: requestIdOf({ headers: {} }), address: UNKNOWN_ADDRESS, credentials: {} }
    incoming.set(caller, requestContext)
    const trace = requestContext.metrics.captureTraces ? createQueryPlanTrace(requestContext) : null
    const { data, errors, extensions } = await prepared.run(request.variables ?? {}, {
      caller,
      signal: NEVER,
      ...(trace && { planTrace: trace.planTrace }),
    })
    if (trace) trace.report()
    return {
      // The library's types name values `any`, and want them writable.
      ...(data !== undefined && { data: data as Record<string, unknown> | null }),
      ...(errors && { errors: errors.map(toGraphQLError) }),
      ...(extensions && { extensions: extensions as Record<string, unknown> }),
    }
  }
}

const NEVER = new AbortController().signal
const UNKNOWN_ADDRESS = '0.0.0.0'

const toGraphQLError = ({ message, path, extensions }: GraphQLFormattedError): GraphQLError =>
  new GraphQLError(message, { path, extensions })

function managerOf(supergraphSdl: AtriumGatewayOptions['supergraphSdl']): SupergraphHook {
  if (typeof supergraphSdl === 'string') return async () => ({ supergraphSdl })
  return typeof supergraphSdl === 'function' ? supergraphSdl : (options) => supergraphSdl.initialize(options)
}

const UPLINK = "use supergraphSdl: createSupergraphManager({ type: 'uplink', graphRef, apiKey, urls })"

/** Options of `ApolloGateway` that have no meaning here, with what takes their place. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['serviceList', 'use supergraphSdl: new IntrospectAndCompose({ subgraphs })'],
  ['localServiceList', 'use supergraphSdl with the SDL that compose(…) of @atrium/gateway/composition returns'],
  ['uplinkEndpoints', UPLINK],
  ['schemaConfigDeliveryEndpoint', UPLINK],
  ['experimental_updateServiceDefinitions', 'use a supergraph manager as supergraphSdl'],
  ['experimental_updateSupergraphSdl', 'use a supergraph manager as supergraphSdl'],
  ['fetcher', 'fetches go through undici; override process() of a data source instead'],
])

function assertOptions(options: AtriumGatewayOptions): void {
  for (const [name, instead] of UNSUPPORTED) {
    if (Object.hasOwn(options, name)) throw new Error(`Expected no option "${name}": ${instead}.`)
  }
  const { supergraphSdl } = options
  const isManager = typeof supergraphSdl === 'object' && supergraphSdl !== null && typeof supergraphSdl.initialize === 'function'
  if (typeof supergraphSdl === 'string' || typeof supergraphSdl === 'function' || isManager) return
  throw new Error(
    'Expected "supergraphSdl" to be SDL, a supergraph manager or a function; of Apollo GraphOS, createSupergraphManager({ type: "uplink", … }).',
  )
}
