import { ApolloServer } from '@apollo/server'
import { startStandaloneServer } from '@apollo/server/standalone'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { atriumGateway, IntrospectAndCompose, RemoteGraphQLDataSource } from '@atrium/gateway/apollo'
import { parse } from 'graphql'

const LINK = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])'
const PRODUCTS = [
  { id: '1', name: 'Jug' },
  { id: '2', name: 'Bowl' },
]
const REVIEWS = [{ text: 'Pours well.', product: { id: '1' } }]

/** What a request carries through Apollo Server. */
type Context = { readonly authorization?: string | undefined }

type Resolvers = Readonly<Record<string, Readonly<Record<string, (...parameters: never[]) => unknown>>>>

/** A subgraph as it is anywhere: Apollo Server at a port of its own. Resolves with its URL. */
async function startSubgraph(typeDefs: string, resolvers: Resolvers): Promise<string> {
  const schema = buildSubgraphSchema([{ typeDefs: parse(LINK + typeDefs), resolvers: resolvers as never }])
  const server = new ApolloServer<Context>({ schema })
  const context = async ({ req }: { req: { headers: Context } }) => ({ authorization: req.headers.authorization })
  const { url } = await startStandaloneServer(server, { listen: { port: 0, host: '127.0.0.1' }, context })
  return url
}

const products = await startSubgraph(
  `type Query { products: [Product!]! caller: String }
   type Product @key(fields: "id") { id: ID! name: String! }`,
  {
    Query: { products: () => PRODUCTS, caller: (_: unknown, __: unknown, { authorization }: Context) => authorization },
    Product: { __resolveReference: ({ id }: { id: string }) => PRODUCTS.find((product) => product.id === id) },
  },
)
const reviews = await startSubgraph(
  `type Query { reviews: [Review!]! }
   type Review { text: String! product: Product! }
   type Product @key(fields: "id") { id: ID! reviews: [Review!]! }`,
  {
    Query: { reviews: () => REVIEWS },
    Product: { reviews: ({ id }: { id: string }) => REVIEWS.filter(({ product }) => product.id === id) },
  },
)

/** Headers of clients reach a subgraph where a data source says so. */
class AuthenticatedDataSource extends RemoteGraphQLDataSource {
  override willSendRequest({ request, context }: Parameters<NonNullable<RemoteGraphQLDataSource['willSendRequest']>>[0]) {
    if (context.authorization) request.http?.headers.set('authorization', context.authorization)
  }
}

// Before: new ApolloGateway({ … }) with the same options, and everything from '@apollo/gateway'.
const gateway = atriumGateway({
  supergraphSdl: new IntrospectAndCompose({
    subgraphs: [
      { name: 'products', url: products },
      { name: 'reviews', url: reviews },
    ],
    pollIntervalInMs: 10_000,
  }),
  buildService: ({ name, url }) => new AuthenticatedDataSource({ name, url }),
  limits: { depth: 10, cost: 1_000 },
})

const server = new ApolloServer<Context>({ gateway })
const { url } = await startStandaloneServer(server, {
  listen: { port: Number(process.env.PORT ?? 4100), host: '127.0.0.1' },
  context: async ({ req }) => ({ authorization: req.headers.authorization }),
})
console.log(`Apollo Server with Atrium's gateway: ${url}`)
