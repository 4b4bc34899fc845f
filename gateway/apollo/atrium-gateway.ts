import type { GraphQLSchema } from 'graphql'
import { createLog } from '../../platform/process/log.ts'
import { assembleGateway } from '../gateway.ts'
import type { Limits } from '../limits/limits.ts'
import type { Graph } from '../planning/graph-generations.ts'
import { type HotSwappableGateway, hotSwappableGateway } from '../planning/hot-swap.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import { createLinkPool } from '../subgraph-client/link-pool.ts'
import { grantsByContext } from './context-grants.ts'
import { createDataSourceLink } from './data-source-link.ts'
import { createDataSources, defaultDataSource } from './data-sources.ts'
import type { ApolloExecutor, ApolloGatewayInterface, IncomingRequestContext, SupergraphHook } from './gateway-interface.ts'
import { createIncomingRequests } from './incoming-requests.ts'
import { type AtriumGatewayOptions, assertOptions, managerOf } from './options.ts'

export type { SupergraphSourceOptions } from '../planning/sources/source-options.ts'
export type * from './gateway-interface.ts'
export { IntrospectAndCompose } from './introspect-and-compose.ts'
export { LocalGraphQLDataSource } from './local-data-source.ts'
export type { AtriumGatewayOptions } from './options.ts'
export { RemoteGraphQLDataSource } from './remote-data-source.ts'
export { createSupergraphManager } from './supergraph-manager.ts'

/** Gateway for `new ApolloServer({ gateway })`. */
export type AtriumGateway = ApolloGatewayInterface & {
  /** Rejects unless every subgraph responds to `{ __typename }`. */
  readonly serviceHealthCheck: () => Promise<void>
}

type Listener = Parameters<ApolloGatewayInterface['onSchemaLoadOrUpdate']>[0]
/** The served supergraph and API schema, as Apollo Server receives them. */
type Loaded = { readonly sdl: string; readonly schema: GraphQLSchema }

const NO_LIMITS: Limits = { depth: 0, cost: 0 }

/**
 * Creates a drop-in replacement for `ApolloGateway`: `new ApolloServer({ gateway: atriumGateway({
 * supergraphSdl }) })`. Apollo Server still parses, validates and runs its plugins; planning,
 * execution and fetches are Atrium's. Throws for unknown options.
 */
export function atriumGateway(options: AtriumGatewayOptions): AtriumGateway {
  assertOptions(options)
  const { supergraphSdl, buildService = defaultDataSource, serviceHealthCheck = false, log = createLog('warn') } = options
  const limits = { ...NO_LIMITS, ...options.limits }
  const sources = createDataSources(buildService)
  const incoming = createIncomingRequests()
  const pool = createLinkPool(({ name, url }) => {
    const link = createDataSourceLink(name, sources.get({ name, url }), incoming.of)
    return { ...link, close: () => sources.close({ name, url }) }
  })
  const findGrants = grantsByContext(options.findGrants, incoming.of, log)
  const listeners = new Set<Listener>()
  let gateway: HotSwappableGateway | null = null
  let loaded: Loaded | null = null
  let loading: Promise<void> | null = null
  let cleanup: (() => Promise<void>) | undefined
  let isStopped = false

  return {
    onSchemaLoadOrUpdate(listener) {
      listeners.add(listener)
      // Replays the schema when a second server shares this gateway, or a server restarts.
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
      // Apollo Server does not call `stop` on a gateway whose `load` failed.
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

  async function execute(requestContext: IncomingRequestContext): ReturnType<ApolloExecutor> {
    if (!gateway || isStopped) throw new Error('Expected an operation before the gateway was stopped.')
    return incoming.execute(requestContext, gateway)
  }
}
