import { createServer } from 'node:http'
import { createSchema, createYoga } from 'graphql-yoga'
import { MONOLITH } from '../shop.ts'

/** GraphQL Yoga with everything in one schema: no gateway at all. */
export async function start() {
  const schema = createSchema({ typeDefs: MONOLITH.types, resolvers: MONOLITH.resolvers })
  const yoga = createYoga({ schema, graphqlEndpoint: '/', logging: false, landingPage: false, graphiql: false })
  const server = createServer(yoga)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server.address().port
}
