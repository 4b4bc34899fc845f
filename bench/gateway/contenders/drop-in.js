import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import pino from 'pino'
import { atriumGateway, LocalGraphQLDataSource, RemoteGraphQLDataSource } from '../../../gateway/apollo/atrium-gateway.ts'
import { subgraphSchemas } from '../schemas.ts'

/** Apollo Server with Atrium's gateway in place of Apollo Gateway: what `stock.js` is, but for that. */
export async function start({ supergraphSdl, urls }) {
  const schemas = subgraphSchemas()
  const gateway = atriumGateway({
    supergraphSdl,
    log: pino({ level: 'warn' }),
    buildService: ({ name, url }) =>
      urls ? new RemoteGraphQLDataSource({ url: urls[name] ?? url }) : new LocalGraphQLDataSource(schemas[name]),
  })
  const server = new ApolloServer({ gateway })
  const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' } })
  return Number(new URL(url).port)
}
