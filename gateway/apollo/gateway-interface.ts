import type { ApolloServerOptionsWithGateway, BaseContext } from '@apollo/server'

/** Type of `gateway` in the options of Apollo Server. */
export type ApolloGatewayInterface = ApolloServerOptionsWithGateway<BaseContext>['gateway']

type LoadResult = Awaited<ReturnType<ApolloGatewayInterface['load']>>
/** Executes one operation for Apollo Server. */
export type ApolloExecutor = LoadResult['executor'] & {}
/** Request of one client operation in Apollo Server; `context` is the `contextValue`. */
export type IncomingRequestContext = Parameters<ApolloExecutor>[0]
/** A request to a subgraph. */
export type SubgraphGraphQLRequest = IncomingRequestContext['request']
/** A response of a subgraph. */
export type SubgraphGraphQLResponse = NonNullable<IncomingRequestContext['response']>

/** Name and URL of a subgraph. */
export type ServiceEndpoint = { readonly name: string; readonly url?: string }

/** A fetch, a request for a subgraph's SDL, or a health check. */
export type DataSourceProcessOptions = {
  readonly request: SubgraphGraphQLRequest
  /** Aborted with the operation; Apollo's own data sources ignore it. */
  readonly signal?: AbortSignal
} & (
  | {
      readonly kind: 'incoming operation'
      readonly incomingRequestContext: IncomingRequestContext
      readonly context: IncomingRequestContext['context']
    }
  | { readonly kind: 'health check' | 'loading schema'; readonly context: IncomingRequestContext['context'] }
)

/**
 * Fetches from one subgraph. Compatible with data sources of @apollo/gateway, whose `kind` is an
 * enum with the same values.
 */
export type SubgraphDataSource = {
  // Declared as a method for bivariant parameters, because Apollo's classes declare narrower types.
  process(options: DataSourceProcessOptions): Promise<SubgraphGraphQLResponse>
  /** Closes connections; absent for data sources without connections. */
  close?(): Promise<void>
}

/** Functions that a supergraph manager gets. */
export type SupergraphManagerOptions = {
  /** Replaces the served supergraph. Throws for an invalid one, without any change. */
  readonly update: (supergraphSdl: string) => void
  /** Rejects unless every subgraph of this supergraph responds. */
  readonly healthCheck: (supergraphSdl: string) => Promise<void>
  /** Data source of a subgraph, created with `buildService`. */
  readonly getDataSource: (service: ServiceEndpoint) => SubgraphDataSource
}

/** Loads the first supergraph; may call `update` until `cleanup`. */
export type SupergraphHook = (
  options: SupergraphManagerOptions,
) => Promise<{ readonly supergraphSdl: string; readonly cleanup?: () => Promise<void> }>

/** A supergraph manager, such as `IntrospectAndCompose` of this package or of @apollo/gateway. */
export type SupergraphManager = { initialize(options: SupergraphManagerOptions): ReturnType<SupergraphHook> }
