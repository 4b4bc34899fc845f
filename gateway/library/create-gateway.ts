import type { GraphQLSchema } from 'graphql'
import type { Logger } from 'pino'
import type { Caller } from '../../platform/http/caller.ts'
import { requestIdOf } from '../../platform/http/request-id.ts'
import { createLog } from '../../platform/process/log.ts'
import { OperatorError } from '../../platform/process/operator-error.ts'
import { type GatewayJwtOptions, grantsByJwt, jwtConfigOf } from '../authorization/variables.ts'
import { assembleGateway, type Gateway } from '../gateway.ts'
import { DEFAULT_LIMITS, type Limits } from '../limits/limits.ts'
import type { ExecutionResult } from '../operations/execution-result.ts'
import { type Graph, hotSwappableGateway } from '../planning/hot-swap.ts'
import { subgraphUrlProblem } from '../planning/subgraph-url.ts'
import { subgraphLocations } from '../planning/supergraph.ts'
import type { Link } from '../subgraph-client/link.ts'
import { createLinkPool, type SubgraphLocation } from '../subgraph-client/link-pool.ts'
import { createLocalLink } from '../subgraph-client/local-subgraph.ts'
import { createRemoteLink } from '../subgraph-client/remote-subgraph.ts'
import { createFetchHandler, type FetchHandler, type FetchHandlerOptions } from '../transports/fetch.ts'
import { parseBodyParams } from '../transports/request-params.ts'

/** A subgraph over HTTP. */
export type RemoteSubgraphOptions = {
  /** URL in place of the one in the supergraph; http or https, without credentials. */
  readonly url?: string
  /** Timeout of one fetch with its retries, in milliseconds. Default: 5000. */
  readonly timeoutMilliseconds?: number
}

/** A subgraph inside this process: no HTTP, no JSON. */
export type LocalSubgraphOptions = {
  /** Executable schema, as `buildSubgraphSchema` of @apollo/subgraph makes it. */
  readonly schema: GraphQLSchema
  /** Creates the context value of resolvers, once per client operation. Default: `{ caller }`. */
  readonly context?: (caller: Caller) => object
}

/** Options of `createGateway`. */
export type CreateGatewayOptions = FetchHandlerOptions & {
  /** SDL of a composed federation 2 supergraph. */
  readonly supergraph: string
  /** Subgraphs by their name in the supergraph; one that is absent is at the URL that it names. */
  readonly subgraphs?: Readonly<Record<string, RemoteSubgraphOptions | LocalSubgraphOptions>>
  /** Depth and cost of an operation; 0 switches one off. Default: depth 10, cost 1000. */
  readonly limits?: Partial<Limits>
  /** Whether clients may introspect the schema. Default: true. */
  readonly introspection?: boolean
  /** Size of the response cache in bytes; 0, the default, switches it off. */
  readonly responseCacheBytes?: number
  /** Operations that take at least so many milliseconds are logged; 0, the default, logs none. */
  readonly slowMilliseconds?: number
  /**
   * Verifies bearer tokens for `@authenticated`, `@requiresScopes` and `@policy`. Without it nobody
   * is authenticated, and guarded fields are refused.
   */
  readonly jwt?: GatewayJwtOptions
  /** Log in pino's form. Default: warnings and errors as JSON lines on standard output. */
  readonly log?: Logger
}

/** A GraphQL request of a program. */
export type ExecuteParams = {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly operationName?: string
}

/** Who executes an operation, and for how long. */
export type ExecuteContext = {
  /** Credentials for subgraphs; headers by name in lower case. Default: none. */
  readonly credentials?: Caller['credentials']
  /** Default: 0.0.0.0. */
  readonly address?: string
  /** Aborts the operation. A mutation that has begun goes on. */
  readonly signal?: AbortSignal
}

/** A gateway that serves a supergraph. */
export type FederatedGateway = {
  /** The API schema: what clients see of the present supergraph. */
  readonly schema: GraphQLSchema
  /** The engine, for `serveGateway` and for transports of one's own. */
  readonly gateway: Gateway
  /** Handles a request of the Fetch API. Needs no `this`. */
  readonly fetch: FetchHandler
  /** Executes a query or a mutation with the limits of every transport. Never rejects. */
  readonly execute: (params: ExecuteParams, context?: ExecuteContext) => Promise<ExecutionResult>
  /**
   * Serves another supergraph from now on; running operations finish on the one before. Throws, and
   * changes nothing, for one that cannot be served.
   */
  readonly replaceSupergraph: (supergraph: string) => void
  /** Ends event streams, closes connections to subgraphs, and resolves when all are closed. */
  readonly close: () => Promise<void>
}

/**
 * Creates a gateway for a composed supergraph. Rejects with an `OperatorError` whose message says
 * what is wrong, such as a text that is no supergraph or a subgraph without a usable URL.
 */
export async function createGateway(options: CreateGatewayOptions): Promise<FederatedGateway> {
  const { subgraphs = {}, log = createLog('warn') } = options
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits }
  const findGrants = options.jwt && grantsByJwt(jwtConfigOf(options.jwt))
  const pool = createLinkPool((location) => {
    const remote = remoteOptions(subgraphs, location.name)
    const { timeoutMilliseconds } = remote
    return createRemoteLink({ ...location, log, ...(timeoutMilliseconds !== undefined && { timeoutMilliseconds }) })
  })
  const locals = new Map<string, Link>()
  for (const [name, each] of Object.entries(subgraphs)) if ('schema' in each) locals.set(name, localLink(name, each))
  const gateway = hotSwappableGateway(graphOf(options.supergraph), log)
  const handler = createFetchHandler(gateway, options)

  return {
    gateway,
    get schema() {
      return gateway.schema
    },
    fetch: handler.fetch,
    execute,
    replaceSupergraph: (sdl) => gateway.swap(graphOf(sdl)),
    async close() {
      handler.close()
      await gateway.close()
    },
  }

  function graphOf(supergraphSdl: string): Graph {
    const locations = locationsOf(supergraphSdl, subgraphs)
    const isLocal = ({ name }: SubgraphLocation) => locals.has(name)
    const { links, release } = pool.take(locations.filter((location) => !isLocal(location)))
    try {
      const assembled = assembleGateway({
        supergraphSdl,
        links: [...links, ...locals.values()],
        limits,
        log,
        introspection: options.introspection ?? true,
        responseCacheBytes: options.responseCacheBytes ?? 0,
        slowMilliseconds: options.slowMilliseconds ?? 0,
        ...(findGrants && { grantsOver: () => findGrants }),
      })
      return { gateway: assembled, release }
    } catch (error) {
      void release()
      throw error instanceof OperatorError ? error : notASupergraph(error)
    }
  }

  async function execute(
    { query, variables, operationName }: ExecuteParams,
    context: ExecuteContext = {},
  ): Promise<ExecutionResult> {
    const parsed = parseBodyParams({ query, variables, operationName })
    if (parsed.kind === 'malformed') return { errors: [parsed.error] }
    const prepared = gateway.prepare(parsed.params)
    if (prepared.kind === 'rejected') return { errors: prepared.errors }
    const { credentials = {}, address = UNKNOWN_ADDRESS, signal = NEVER } = context
    const caller = { requestId: requestIdOf({ headers: {} }), address, credentials }
    return prepared.run(parsed.params.variables, { caller, signal })
  }
}

const UNKNOWN_ADDRESS = '0.0.0.0'
const NEVER = new AbortController().signal

type SubgraphOptions = CreateGatewayOptions['subgraphs'] & {}

function remoteOptions(subgraphs: SubgraphOptions, name: string): RemoteSubgraphOptions {
  const options = Object.hasOwn(subgraphs, name) ? subgraphs[name] : undefined
  return options && !('schema' in options) ? options : {}
}

const localLink = (name: string, { schema, context = (caller) => ({ caller }) }: LocalSubgraphOptions): Link =>
  createLocalLink({ name, schema, context, ready: async () => {}, close: async () => {} })

/** Where each subgraph is. Throws for an unknown name in `subgraphs`, and for an unusable URL. */
function locationsOf(supergraph: string, subgraphs: SubgraphOptions): readonly SubgraphLocation[] {
  let locations: readonly SubgraphLocation[]
  try {
    locations = subgraphLocations(supergraph)
  } catch (error) {
    throw notASupergraph(error)
  }
  if (locations.length === 0) throw notASupergraph(new Error('it has no enum join__Graph with subgraphs'))
  const names = locations.map(({ name }) => name)
  const unknown = Object.keys(subgraphs).find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw new OperatorError(`Expected "subgraphs" to have names of the supergraph (${names.join(', ')}), got "${unknown}".`)
  }
  return locations.map(({ name, url: composed }) => {
    const isLocal = Object.hasOwn(subgraphs, name) && 'schema' in (subgraphs[name] ?? {})
    const url = remoteOptions(subgraphs, name).url ?? composed
    const problem = isLocal ? null : subgraphUrlProblem(url)
    if (problem !== null) throw new OperatorError(`The subgraph "${name}" is at ${problem}`)
    return { name, url }
  })
}

function notASupergraph(error: unknown): OperatorError {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1)
  return new OperatorError(`Expected "supergraph" to be the SDL of a federation 2 supergraph: ${line.replace(/\.$/, '')}.`, {
    cause: error,
  })
}
