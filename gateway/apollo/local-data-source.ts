import { type GraphQLSchema, graphql } from 'graphql'
import type { DataSourceProcessOptions, SubgraphDataSource, SubgraphGraphQLResponse } from './gateway-interface.ts'

/**
 * Data source of a subgraph in this process; resolvers get Apollo's `contextValue`. The gateway
 * executes compiled operations on its schema; `process` is used by supergraph managers only.
 */
export class LocalGraphQLDataSource implements SubgraphDataSource {
  readonly schema: GraphQLSchema

  constructor(schema: GraphQLSchema) {
    this.schema = schema
  }

  async process({ request, context }: DataSourceProcessOptions): Promise<SubgraphGraphQLResponse> {
    const { data, errors } = await graphql({
      schema: this.schema,
      source: request.query ?? '',
      variableValues: request.variables,
      operationName: request.operationName,
      contextValue: context,
    })
    return { ...(data !== undefined && { data }), ...(errors && { errors: errors.map((error) => error.toJSON()) }) }
  }
}
