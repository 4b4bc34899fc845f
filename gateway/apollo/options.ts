import type { Logger } from 'pino'
import type { Limits } from '../limits/limits.ts'
import type { FindContextGrants } from './context-grants.ts'
import type { BuildService } from './data-sources.ts'
import type { SupergraphHook, SupergraphManager } from './gateway-interface.ts'

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

/** The hook that loads the supergraph. */
export function managerOf(supergraphSdl: AtriumGatewayOptions['supergraphSdl']): SupergraphHook {
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

/** Throws for options that are unknown or do not say where the supergraph comes from. */
export function assertOptions(options: AtriumGatewayOptions): void {
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
