/**
 * The graph on stock Apollo Server and Apollo Gateway, for comparison. Only `ENGINE=apollo` imports
 * this module and its development dependencies.
 */
import { createRequire } from 'node:module'
import { ApolloGateway } from '@apollo/gateway'
import { ApolloServer, HeaderMap } from '@apollo/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ConstArgumentNode, GraphQLError, Kind, parse, print, type ValidationRule, visit } from 'graphql'
import { getComplexity } from 'graphql-query-complexity'
import type { Logger } from 'pino'
import { readCostWeights } from '../gateway/limits/cost-weights.ts'
import type { Limits } from '../gateway/limits/limits.ts'
import { maskErrors } from '../gateway/subgraph-client/error-masking.ts'
import type { Link, RequestContext } from '../gateway/subgraph-client/link.ts'
import { callerOf, disconnectSignal } from '../platform/http/request-caller.ts'
import { complexityEstimator } from './apollo-cost.ts'

/** The package has no types, and its default export exists only for `require`. */
const depthLimit: (depth: number) => ValidationRule = createRequire(import.meta.url)('graphql-depth-limit')

/** Options of the comparison server. */
export type ApolloEngineOptions = {
  readonly supergraphSdl: string
  readonly links: readonly Link[]
  readonly limits: Limits
  readonly introspection: boolean
  /**
   * Whether batched requests (JSON arrays) are accepted; Apollo Server does not limit their length.
   */
  readonly takesBatches?: boolean
  readonly log: Logger
}

/** Apollo Server and Apollo Gateway over the same subgraphs. */
export type ApolloEngine = {
  /** Registers `/graphql` over HTTP; subscriptions are not supported. */
  readonly serve: (app: FastifyInstance) => void
  readonly close: () => Promise<void>
}

/** Starts Apollo Server with Apollo Gateway, graphql-depth-limit and graphql-query-complexity. */
export async function startApolloEngine(options: ApolloEngineOptions): Promise<ApolloEngine> {
  const { supergraphSdl, limits, log } = options
  const links = new Map(options.links.map((link) => [link.name, maskErrors(link, log)]))
  const logger = { debug() {}, info() {}, warn: (text: string) => log.warn(text), error: (text: string) => log.error(text) }
  const gateway = new ApolloGateway({
    supergraphSdl: withoutAuthorization(supergraphSdl),
    logger,
    buildService: ({ name }) => dataSourceOf(name, links),
  })
  const server = new ApolloServer<RequestContext>({
    gateway,
    logger,
    introspection: options.introspection,
    allowBatchedHttpRequests: options.takesBatches ?? false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    validationRules: limits.depth > 0 ? [depthLimit(limits.depth)] : [],
    plugins: limits.cost > 0 ? [complexityPlugin(supergraphSdl, limits)] : [],
  })
  await server.start()
  return {
    serve: (app) =>
      void app.route({ method: ['GET', 'POST'], url: '/graphql', handler: (request, reply) => answer(server, request, reply) }),
    close: () => server.stop(),
  }
}

const AUTHORIZATION = /^(?:authenticated|requiresScopes|policy)$/
const AUTHORIZATION_SPEC = /^https:\/\/specs\.apollo\.dev\/(?:authenticated|requiresScopes|policy)\//

/**
 * Removes authorization directives: Apollo Gateway rejects supergraphs that have them, because it
 * does not enforce them. The subgraphs of this installation enforce them again.
 */
function withoutAuthorization(supergraphSdl: string): string {
  const isSpec = (argument: ConstArgumentNode) =>
    argument.value.kind === Kind.STRING && AUTHORIZATION_SPEC.test(argument.value.value)
  return print(
    visit(parse(supergraphSdl, { noLocation: true }), {
      Directive({ name, arguments: values = [] }) {
        const isLink = name.value === 'link' && values.some((value) => isSpec(value as ConstArgumentNode)) // of SDL
        return isLink || AUTHORIZATION.test(name.value) ? null : undefined
      },
      DirectiveDefinition: ({ name }) => (AUTHORIZATION.test(name.value) ? null : undefined),
    }),
  )
}

function dataSourceOf(name: string, links: ReadonlyMap<string, Link>) {
  const link = links.get(name)
  if (!link) throw new Error(`Expected a link to subgraph "${name}".`)
  return {
    async process({
      request,
      context,
    }: {
      request: { query?: string; variables?: object; operationName?: string }
      context: object
    }) {
      const { query = '', variables = {}, operationName } = request
      const { data, errors } = await link.execute(
        { query, variables: { ...variables }, operationName },
        context as RequestContext, // the context value below
      )
      return { data: data ?? null, ...(errors && { errors: errors.map((error) => error.toJSON()) }) }
    },
  }
}

function complexityPlugin(supergraphSdl: string, limits: Limits) {
  const estimators = [complexityEstimator(readCostWeights(parse(supergraphSdl, { noLocation: true }), limits.weights))]
  return {
    requestDidStart: async () => ({
      async didResolveOperation({ schema, document, operation, request }: ResolvedOperation) {
        const isIntrospection = operation?.selectionSet.selections.every(
          (selection) => selection.kind === Kind.FIELD && selection.name.value.startsWith('__'),
        )
        if (isIntrospection) return
        // Passes only the requested operation: the library sums all operations of a document.
        const definitions = document.definitions.filter((each) => each.kind === Kind.FRAGMENT_DEFINITION || each === operation)
        const query = { kind: Kind.DOCUMENT, definitions } as const
        let cost: number
        try {
          cost = Math.ceil(getComplexity({ schema, query, variables: request.variables ?? {}, estimators }))
        } catch {
          // Invalid variables: the executor reports them with its own error.
          return
        }
        if (cost <= limits.cost) return
        throw new GraphQLError(`Expected a cost of at most ${limits.cost}, got ${cost}.`, {
          extensions: { code: 'COST_LIMIT_EXCEEDED', cost, limit: limits.cost, http: { status: 400 } },
        })
      },
    }),
  }
}

type ResolvedOperation = Parameters<
  NonNullable<import('@apollo/server').GraphQLRequestListener<RequestContext>['didResolveOperation']>
>[0]

async function answer(server: ApolloServer<RequestContext>, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const headers = new HeaderMap()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, [value].flat().join(', '))
  const response = await server.executeHTTPGraphQLRequest({
    httpGraphQLRequest: {
      method: request.method,
      headers,
      search: new URL(request.url, 'http://localhost').search,
      body: request.body,
    },
    context: async () => ({ caller: callerOf(request), signal: disconnectSignal(reply) }),
  })
  for (const [name, value] of response.headers) reply.header(name, value)
  let text = ''
  if (response.body.kind === 'complete') text = response.body.string
  else for await (const chunk of response.body.asyncIterator) text += chunk
  return reply.code(response.status ?? 200).send(text)
}
