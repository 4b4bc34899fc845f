import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { GraphQLError, type GraphQLSchema, parse } from 'graphql'
import { type Logger, pino } from 'pino'
import { storeGrants } from '../../../composition/store-grants.ts'
import { type Gateway, startGateway } from '../../../gateway/gateway.ts'
import type { Budget } from '../../../gateway/limits/budget.ts'
import type { Limits } from '../../../gateway/limits/limits.ts'
import { DEFAULT_LIMITS } from '../../../gateway/limits/limits.ts'
import { SubgraphError } from '../../../gateway/subgraph-client/error-masking.ts'
import type { RequestContext } from '../../../gateway/subgraph-client/link.ts'
import { createLocalLink } from '../../../gateway/subgraph-client/local-subgraph.ts'
import { rateLimited } from '../../../platform/graphql/errors.ts'
import type { Subgraph } from '../../../platform/graphql/subgraph.ts'
import type { Caller } from '../../../platform/http/caller.ts'
import { composeOnce } from './compose.ts'

export const SHOP_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@cost", "@listSize", "@tag"])
  type Query {
    product(id: ID!): Product
    counted: Int @tag(name: "once")
    products(first: Int = 10, filter: Filter): ProductConnection! @listSize(slicingArguments: ["first"], sizedFields: ["edges"], requireOneSlicingArgument: false)
    dear(first: Int): [Product!]! @cost(weight: 5) @listSize(slicingArguments: ["first"], requireOneSlicingArgument: false)
    wholes: [Product!]!
    things(limit: Int): [Thing!]!
    echo(representations: [String!], flag: Boolean = true, matrix: [[Int]]): String
    slow: String
    broken: String
    refused: String
    tooOften(seconds: Int!): String
    promised: String!
    caller: String
  }
  type Mutation { rename(id: ID!, name: String!): Product }
  input Filter { name: String, inner: Filter }
  union Thing = Product | Note
  type Note { text: String! }
  type ProductConnection { edges: [ProductEdge!]! totalCount: Int! }
  type ProductEdge { node: Product! }
  type Product @key(fields: "id") { id: ID! name: String! parent: Product children(first: Int): [Product!]! }
`

export const REVIEW_SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  type Query { latestReview: Review }
  type Review { text: String! about: Product }
  type Product @key(fields: "id") { id: ID! reviews(contains: String): [Review!]! rating: Float }
`

type ProductModel = { readonly id: string; readonly name: string }
const PRODUCTS: readonly ProductModel[] = ['a', 'b', 'c'].map((id) => ({ id, name: `Product ${id}` }))
const byId = (id: string) => PRODUCTS.find((product) => product.id === id) ?? null

/** Contexts made so far, by subgraph: one per client operation is what loaders need. */
export type Counted = Subgraph & { readonly contexts: () => number }

const subgraphOf = (name: string, schema: GraphQLSchema): Counted => {
  let made = 0
  return {
    name,
    schema,
    context: (caller) => {
      made++
      return { caller }
    },
    contexts: () => made,
    ready: async () => {},
    close: async () => {},
  }
}

export const shopSubgraph = (): Counted =>
  subgraphOf(
    'shop',
    buildSubgraphSchema([
      {
        typeDefs: parse(SHOP_SDL),
        resolvers: {
          Query: {
            product: (_: unknown, { id }: { id: string }) => byId(id),
            products: (_: unknown, { first }: { first: number }) => ({
              edges: PRODUCTS.slice(0, first).map((node) => ({ node })),
              totalCount: PRODUCTS.length,
            }),
            dear: () => PRODUCTS,
            wholes: () => PRODUCTS,
            things: () => [
              { __typename: 'Note', text: 'hello' },
              { __typename: 'Product', ...PRODUCTS[0] },
            ],
            echo: (_: unknown, args: object) => JSON.stringify(args),
            slow: () => new Promise((resolve) => setTimeout(resolve, 60_000, 'late').unref()),
            broken: () => {
              throw new Error('password=hunter2')
            },
            tooOften: (_: unknown, { seconds }: { seconds: number }) => {
              throw rateLimited('questions', seconds)
            },
            refused: () => {
              throw new GraphQLError('Expected a nicer question.', { extensions: { code: 'NOT_NICE' } })
            },
            promised: () => null,
            caller: (_: unknown, __: unknown, { caller }: { caller: Caller }) => JSON.stringify(caller),
          },
          Mutation: { rename: (_: unknown, { id, name }: ProductModel) => ({ ...byId(id), name }) },
          Product: {
            __resolveReference: ({ id }: { id: string }) => byId(id),
            parent: ({ id }: ProductModel) => (id === 'a' ? null : PRODUCTS[0]),
            children: () => [],
          },
        },
      },
    ]),
  )

export const reviewSubgraph = (): Counted =>
  subgraphOf(
    'review',
    buildSubgraphSchema([
      {
        typeDefs: parse(REVIEW_SDL),
        resolvers: {
          Query: { latestReview: () => ({ text: 'Fine.', about: { id: 'b' } }) },
          Product: {
            reviews: ({ id }: ProductModel, { contains }: { contains?: string }) =>
              [`Good ${id}`, `Bad ${id}`]
                .filter((text) => text.includes(contains ?? ''))
                .map((text) => ({ text, about: { id } })),
            rating: ({ id }: ProductModel) => (id === 'c' ? 0 : 4.5),
          },
        },
      },
    ]),
  )

export const supergraphSdl = (urls: { shop?: string; review?: string } = {}): string =>
  composeOnce([
    { name: 'shop', typeDefs: parse(SHOP_SDL), ...(urls.shop && { url: urls.shop }) },
    { name: 'review', typeDefs: parse(REVIEW_SDL), ...(urls.review && { url: urls.review }) },
  ])

/** A log that keeps its lines, as parsed JSON. */
export function recordingLog(): { log: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = []
  return { log: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) }), lines }
}

export const CALLER: Caller = { requestId: 'r-1', address: '127.0.0.1', credentials: {} }
export const requestContext = (): RequestContext => ({ caller: CALLER, signal: new AbortController().signal })

export type LocalGraph = { gateway: Gateway; shop: Counted; review: Counted; lines: Record<string, unknown>[] }

/** Both subgraphs in this process. */
export async function localGraph(limits: Limits = DEFAULT_LIMITS, budget: Budget | null = null): Promise<LocalGraph> {
  const [shop, review, { log, lines }] = [shopSubgraph(), reviewSubgraph(), recordingLog()]
  const gateway = await startGateway({
    supergraphSdl: supergraphSdl(),
    links: [shop, review].map(createLocalLink),
    limits,
    budget,
    log,
  })
  return { gateway, shop, review, lines }
}

/** What the gateway answers to an operation from outside. */
export async function ask(gateway: Gateway, query: string, variables: Record<string, unknown> = {}, operationName?: string) {
  const prepared = gateway.prepareText(query, operationName)
  const answer = prepared.kind === 'rejected' ? { errors: prepared.errors } : await prepared.run(variables, requestContext())
  // As a client sees it: no prototypes, nothing undefined.
  return JSON.parse(JSON.stringify(answer)) as {
    data?: Record<string, unknown> | null
    errors?: { message: string; path?: unknown[]; extensions: Record<string, unknown> }[]
  }
}

/** The whole graph, whose subgraphs do not answer. */
export async function directoryWithoutData() {
  const execute = () => Promise.reject(new SubgraphError('SUBGRAPH_UNAVAILABLE', 'The directory is not here.'))
  const supergraphSdl = readFileSync(join(import.meta.dirname, '../../../schema/supergraph.graphql'), 'utf8')
  return {
    gateway: await startGateway({
      supergraphSdl,
      grantsOver: storeGrants,
      links: ['directory', 'social', 'store', 'trust'].map((name) => ({ name, execute, subscribe: execute })),
      limits: DEFAULT_LIMITS,
      log: recordingLog().log,
    }),
  }
}
