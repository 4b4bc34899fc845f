import type { ApolloServerOptionsWithGateway, BaseContext } from '@apollo/server'

/** What `new ApolloServer({ gateway })` takes. */
export type ApolloGatewayInterface = ApolloServerOptionsWithGateway<BaseContext>['gateway']

type LoadResult = Awaited<ReturnType<ApolloGatewayInterface['load']>>
/** Executes one operation for Apollo Server. */
export type ApolloExecutor = LoadResult['executor'] & {}
/** One client operation, as Apollo Server hands it over; `context` is the `contextValue`. */
export type IncomingRequestContext = Parameters<ApolloExecutor>[0]
/** A request to a subgraph. */
export type SubgraphGraphQLRequest = IncomingRequestContext['request']
/** A response of a subgraph. */
export type SubgraphGraphQLResponse = NonNullable<IncomingRequestContext['response']>

/** Name and URL of a subgraph. */
export type ServiceEndpoint = { readonly name: string; readonly url?: string }

/** One fetch, or the request for a subgraph's SDL, or a health check. */
export type DataSourceProcessOptions = {
  readonly request: SubgraphGraphQLRequest
  /** Aborts with the operation; Apollo's own data sources ignore it. */
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
 * Fetches from one subgraph. Data sources of @apollo/gateway have this form too: its `kind` is an
 * enum with the same values.
 */
export type SubgraphDataSource = {
  // A method, so that parameters are bivariant: Apollo's classes name narrower types.
  process(options: DataSourceProcessOptions): Promise<SubgraphGraphQLResponse>
  /** Closes connections; absent where there are none. */
  close?(): Promise<void>
}

/** What a supergraph manager is given to work with. */
export type SupergraphManagerOptions = {
  /** Serves another supergraph from now on. Throws, and changes nothing, for an invalid one. */
  readonly update: (supergraphSdl: string) => void
  /** Rejects unless every subgraph of this supergraph responds. */
  readonly healthCheck: (supergraphSdl: string) => Promise<void>
  /** The data source of a subgraph, by `buildService`. */
  readonly getDataSource: (service: ServiceEndpoint) => SubgraphDataSource
}

/** Loads the first supergraph; may update it until `cleanup` is called. */
export type SupergraphHook = (
  options: SupergraphManagerOptions,
) => Promise<{ readonly supergraphSdl: string; readonly cleanup?: () => Promise<void> }>

/** A supergraph manager, such as `IntrospectAndCompose` of this package or of @apollo/gateway. */
export type SupergraphManager = { initialize(options: SupergraphManagerOptions): ReturnType<SupergraphHook> }
