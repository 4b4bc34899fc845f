import { type ExecutionResult, GraphQLError } from 'graphql'
import type { Caller } from '../../platform/http/caller.ts'
import { SubgraphError } from '../subgraph-client/error-masking.ts'
import { visibleError } from '../subgraph-client/http-messages.ts'
import type { ClosableLink } from '../subgraph-client/link-pool.ts'
import { createLocalLink } from '../subgraph-client/local-subgraph.ts'
import type { IncomingRequestContext, SubgraphDataSource, SubgraphGraphQLResponse } from './gateway-interface.ts'
import { LocalGraphQLDataSource } from './local-data-source.ts'

/** Finds the Apollo Server request that a caller belongs to. */
export type FindIncoming = (caller: Caller) => IncomingRequestContext

/** Link that fetches through a data source. Errors keep message and code, and name the subgraph. */
export function createDataSourceLink(name: string, source: SubgraphDataSource, findIncoming: FindIncoming): ClosableLink {
  const close = async () => source.close?.()
  if (source instanceof LocalGraphQLDataSource) {
    const context = (caller: Caller) => findIncoming(caller).context
    const link = createLocalLink({ name, schema: source.schema, context, ready: async () => {}, close })
    return {
      ...link,
      close,
      async execute(request, requestContext) {
        const [planNode] = request.planNodes ?? []
        const endFetch = planNode && requestContext.planTrace?.beginFetch(planNode)
        const result = await link.execute(request, requestContext)
        endFetch?.(undefined)
        return result
      },
    }
  }
  return {
    name,
    close,
    async execute({ query, variables, operationName, planNodes: [planNode] = [] }, { caller, signal, planTrace }) {
      signal.throwIfAborted()
      const incoming = findIncoming(caller)
      const endFetch = planNode && planTrace?.beginFetch(planNode)
      const response = await processed(
        source.process({
          kind: 'incoming operation',
          request: {
            query,
            variables: { ...variables },
            ...(operationName !== undefined && { operationName }),
            ...(endFetch && { http: { method: 'POST', url: '', headers: new Headers(INCLUDE_TRACE) } }),
          },
          incomingRequestContext: incoming,
          context: incoming.context,
          signal,
        }),
      )
      endFetch?.(response.extensions)
      reportErrorPaths(incoming, name, response)
      return resultOf(name, response)
    },
  }
}

/** Requests resolver traces (ftv1) from a subgraph of Apollo Server. */
const INCLUDE_TRACE = { 'apollo-federation-include-trace': 'ftv1' }

/** A thrown GraphQLError with a code is for clients, like an error in a response. */
async function processed(processing: Promise<SubgraphGraphQLResponse>): Promise<SubgraphGraphQLResponse> {
  try {
    return await processing
  } catch (error) {
    if (!(error instanceof GraphQLError) || error.extensions.code === undefined) throw error
    return { data: null, errors: [error.toJSON()] }
  }
}

function resultOf(name: string, { data, errors = [] }: SubgraphGraphQLResponse): ExecutionResult {
  if ((data === undefined || data === null) && errors.length === 0) {
    throw new SubgraphError('INVALID_SUBGRAPH_ANSWER', `Expected data or errors from the ${name} service.`)
  }
  const visible = errors
    .map(visibleError)
    .map(({ message, path, extensions }) => new GraphQLError(message, { path, extensions: { ...extensions, serviceName: name } }))
  return { data: data ?? null, ...(visible.length > 0 && { errors: visible }) }
}

/** Reports errors by subgraph to Apollo's usage reporting; traces contain them already. */
function reportErrorPaths(
  { metrics }: IncomingRequestContext,
  subgraph: string,
  { errors = [], extensions }: SubgraphGraphQLResponse,
): void {
  if (errors.length === 0 || extensions?.ftv1) return
  metrics.nonFtv1ErrorPaths ??= []
  metrics.nonFtv1ErrorPaths.push(...errors.map(({ path }) => ({ subgraph, path })))
}
