import { ApolloGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from '@apollo/gateway'
import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { subgraphSchemas } from '../schemas.ts'

/** Apollo Server with Apollo Gateway, as their documentation sets them up. */
export async function start({ supergraphSdl, urls }) {
  const schemas = subgraphSchemas()
  const gateway = new ApolloGateway({
    supergraphSdl,
    buildService: ({ name, url }) =>
      urls ? new RemoteGraphQLDataSource({ url: urls[name] ?? url }) : new LocalGraphQLDataSource(schemas[name]),
  })
  const server = new ApolloServer({ gateway })
  const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } })
  return Number(new URL(url).port)
}
