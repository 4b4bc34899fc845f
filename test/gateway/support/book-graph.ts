import { buildSubgraphSchema } from '@apollo/subgraph'
import type { FastifyInstance } from 'fastify'
import { parse } from 'graphql'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import type { Budget } from '../../../gateway/limits/budget.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { createMetrics, type Metrics } from '../../../gateway/observability/metrics.ts'
import type { TrustedDocuments } from '../../../gateway/operations/trusted-documents.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { serveGraphql } from '../../../gateway/transports/http.ts'
import { type ChangeListeners, changeListeners } from '../../../platform/events/change-listeners.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { createHttpServer } from '../../../platform/http/server.ts'
import { composeOnce } from './compose.ts'
import { recordingLog } from './graph.ts'

const HEAD = `
  extend schema
    @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@tag", "@composeDirective"])
    @link(url: "https://atrium.example/cacheControl/v1.0", import: ["@cacheControl"])
    @composeDirective(name: "@cacheControl")
  directive @cacheControl(maxAge: Int, scope: cacheControl__Scope, inheritMaxAge: Boolean) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  enum cacheControl__Scope { PUBLIC PRIVATE }
`
const BOOKS_SDL = `${HEAD}
  type Query {
    book(id: ID!): Book
    books(named: Names): [Book!]!
    shelf: Shelf
    media: [Medium!]!
    mixed: [Thing!]! @cacheControl(maxAge: 40)
    count: Int!
    motto: String @cacheControl(maxAge: 300)
    mine: String @cacheControl(maxAge: 60, scope: PRIVATE)
    seen: Book @cacheControl(maxAge: 60) @tag(name: "viewer")
    later: Book
    broken: Book
    half: Shelf @cacheControl(maxAge: 60)
    none: Nothing
  }
  type Mutation { rename(id: ID!, name: String!): Book remove(id: ID!): ID! slowly(id: ID!, name: String!): ID! }
  input Names { any: [String!], not: String }
  type Book implements Medium @key(fields: "id") @cacheControl(maxAge: 60) { id: ID! name: String! author: Author pages: Pages related: [Medium!]! brief: Int @cacheControl(maxAge: 20) }
  type Author @cacheControl(inheritMaxAge: true) { name: String! shelf: Shelf @cacheControl(inheritMaxAge: true) }
  type Pages { count: Int! }
  type Shelf { books: [Book!]! label: String }
  type Film implements Medium @cacheControl(maxAge: 30) { id: ID! name: String! related: [Medium!]! }
  type Nothing { nothing: Int }
  interface Medium @cacheControl(maxAge: 100) { id: ID! name: String! related: [Medium!]! }
  union Thing = Book | Secret
  type Secret @cacheControl(scope: PRIVATE) { text: String }
`
const RATINGS_SDL = `${HEAD}
  type Query { best: Book }
  type Book @key(fields: "id") @cacheControl(maxAge: 60) { id: ID! rating: Int @cacheControl(maxAge: 10) }
`

export const librarySupergraph = (urls: { books?: string; ratings?: string } = {}): string =>
  composeOnce([
    { name: 'books', typeDefs: parse(BOOKS_SDL), ...(urls.books && { url: urls.books }) },
    { name: 'ratings', typeDefs: parse(RATINGS_SDL), ...(urls.ratings && { url: urls.ratings }) },
  ])

/**
 * A graph with hints behind a real server. `asked` counts what its subgraphs were really asked, by
 * field.
 */
export type Library = {
  readonly gateway: Gateway
  readonly metrics: Metrics
  readonly app: FastifyInstance
  readonly base: string
  readonly fetchCounts: Record<string, number>
  /** Names of the books by id, as they are now. */
  readonly names: Map<string, string>
  /** Of the books subgraph, and of the ratings. */
  readonly changed: { readonly books: ChangeListeners['notify']; readonly ratings: ChangeListeners['notify'] }
  /** Lets `later` and `slowly` go on. */
  readonly release: () => void
  /** How many wait for that. */
  readonly waiting: () => number
}

type Book = { readonly id: string }

export async function openLibrary({
  bytes = 1_000_000,
  batchLimit = 0,
  budget,
  persisted,
}: {
  readonly bytes?: number
  readonly batchLimit?: number
  readonly budget?: Budget
  readonly persisted?: TrustedDocuments
} = {}): Promise<Library> {
  const fetchCounts: Record<string, number> = {}
  const names = new Map([
    ['a', 'Atlas'],
    ['b', `Broad ${'and long '.repeat(200)}`],
  ])
  const [books, ratings] = [changeListeners(), changeListeners()]
  const waiters: (() => void)[] = []
  const counted = <Result>(name: string, result: Result): Result => {
    fetchCounts[name] = (fetchCounts[name] ?? 0) + 1
    return result
  }
  const found = (id: string) => (names.has(id) ? { __typename: 'Book', id } : null)
  const released = () => new Promise<void>((resolve) => waiters.push(resolve))

  const context = (caller: Caller) => ({ caller })
  const parts: readonly Subgraph[] = [
    {
      name: 'books',
      schema: buildSubgraphSchema([
        {
          typeDefs: parse(BOOKS_SDL),
          resolvers: {
            Query: {
              book: (_: unknown, { id }: Book) => counted('book', found(id)),
              books: (_: unknown, args: object) => counted(`books ${JSON.stringify(args)}`, [...names.keys()].map(found)),
              motto: () => counted('motto', 'Read.'),
              mine: (_: unknown, __: unknown, { caller }: { caller: Caller }) =>
                counted('mine', caller.credentials.authorization ?? 'nobody'),
              seen: () => counted('seen', found('a')),
              later: async () => {
                const book = counted('later', { id: 'a', name: names.get('a') })
                await released()
                return book
              },
              broken: () => {
                throw new Error('password=hunter2')
              },
              half: () => ({ books: [found('a')], label: new Error('torn') }),
              count: () => names.size,
            },
            Mutation: {
              rename: (_: unknown, { id, name }: { id: string; name: string }) => {
                names.set(id, name)
                return found(id)
              },
              remove: (_: unknown, { id }: Book) => {
                names.delete(id)
                return id
              },
              slowly: async (_: unknown, { id, name }: { id: string; name: string }) => {
                await released()
                names.set(id, name)
                return id
              },
            },
            Book: {
              __resolveReference: ({ id }: Book) => found(id),
              name: ({ id, name }: { id: string; name?: string }) => name ?? names.get(id),
            },
          } as never,
        },
      ]),
      context,
      onChange: books.onChange,
      ready: async () => {},
      close: async () => {},
    },
    {
      name: 'ratings',
      schema: buildSubgraphSchema([
        {
          typeDefs: parse(RATINGS_SDL),
          resolvers: {
            Query: { best: () => counted('best', found('a')) },
            Book: { __resolveReference: (book: Book) => book, rating: () => counted('rating', 5) },
          } as never,
        },
      ]),
      context,
      onChange: ratings.onChange,
      ready: async () => {},
      close: async () => {},
    },
  ]
  const { log } = recordingLog()
  const metrics = createMetrics()
  const gateway = await startGateway({
    supergraphSdl: librarySupergraph(),
    links: parts.map(createLocalLink),
    limits: DEFAULT_LIMITS,
    log,
    metrics,
    responseCacheBytes: bytes,
    ...(budget && { budget }),
    ...(persisted && { trustedDocuments: persisted }),
  })
  const app = createHttpServer({ log })
  await serveGraphql(app, gateway, { batchLimit })
  const base = await app.listen({ port: 0, host: '127.0.0.1' })
  return {
    gateway,
    metrics,
    app,
    base,
    fetchCounts,
    names,
    changed: { books: books.notify, ratings: ratings.notify },
    release() {
      for (const go of waiters.splice(0)) go()
    },
    waiting: () => waiters.length,
  }
}
