import type { Logger } from 'pino'
import type { Limits } from '../limits/limits.ts'
import type { FindContextGrants } from './context-grants.ts'
import type { BuildService } from './data-sources.ts'
import type { SupergraphHook, SupergraphManager } from './gateway-interface.ts'

/** Options of `atriumGateway`, with the names of `new ApolloGateway(…)`. */
export type AtriumGatewayOptions = {
  /**
   * A composed supergraph, a manager such as `IntrospectAndCompose`, or a function with its
   * interface.
   */
  readonly supergraphSdl: string | SupergraphManager | SupergraphHook
  /** Creates the data source of a subgraph. Default: `new RemoteGraphQLDataSource({ url })`. */
  readonly buildService?: BuildService
  /** Whether the first supergraph is served only when all subgraphs respond. Default: false. */
  readonly serviceHealthCheck?: boolean
  /**
   * Limits of depth and cost of an operation. Default: 0 (unlimited) for both, as in Apollo
   * Gateway.
   */
  readonly limits?: Partial<Limits>
  /**
   * Grants of a `contextValue`, for `@authenticated`, `@requiresScopes` and `@policy`. When it
   * throws, every guarded field is refused. Default: no grants.
   */
  readonly findGrants?: FindContextGrants
  /**
   * Logger with pino's interface. Default: warnings and errors as JSON lines on standard output.
   */
  readonly log?: Logger
}

/** Converts the option to a function that loads the supergraph. */
export function managerOf(supergraphSdl: AtriumGatewayOptions['supergraphSdl']): SupergraphHook {
  if (typeof supergraphSdl === 'string') return async () => ({ supergraphSdl })
  return typeof supergraphSdl === 'function' ? supergraphSdl : (options) => supergraphSdl.initialize(options)
}

const UPLINK = "use supergraphSdl: createSupergraphManager({ type: 'uplink', graphRef, apiKey, urls })"

/** Unsupported options of `ApolloGateway`, with their replacement. */
const UNSUPPORTED: ReadonlyMap<string, string> = new Map([
  ['serviceList', 'use supergraphSdl: new IntrospectAndCompose({ subgraphs })'],
  ['localServiceList', 'use supergraphSdl with the SDL that compose(…) of @atrium/gateway/composition returns'],
  ['uplinkEndpoints', UPLINK],
  ['schemaConfigDeliveryEndpoint', UPLINK],
  ['experimental_updateServiceDefinitions', 'use a supergraph manager as supergraphSdl'],
  ['experimental_updateSupergraphSdl', 'use a supergraph manager as supergraphSdl'],
  ['fetcher', 'fetches go through undici; override process() of a data source instead'],
])

/** Throws for unknown options, and when no supergraph is given. */
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
