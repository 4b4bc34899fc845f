import { buildSubgraphSchema } from '@apollo/subgraph'
import { type GraphQLFieldResolver, parse } from 'graphql'
import { afterEach, describe, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../gateway/gateway.ts'
import { DEFAULT_LIMITS } from '../../gateway/limits/limits.ts'
import { compose } from '../../gateway/planning/composition.ts'
import { createLocalLink } from '../../gateway/subgraph-client/local-subgraph.ts'
import { ask, recordingLog } from './support/graph.ts'

/** Themes of federation that planners or executors are known to get wrong, on graphs of our own. */

type Row = Record<string, unknown>
type Resolvers = Record<string, Record<string, GraphQLFieldResolver<never, never> | ((reference: never) => unknown)>>
type Part = { readonly name: string; readonly sdl: string; readonly resolvers: Resolvers }

const LINK = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.5",
  import: ["@key", "@requires", "@external", "@interfaceObject"])`

let gateway: Gateway | undefined
afterEach(() => gateway?.close())

async function gatewayOf(parts: readonly Part[]): Promise<Gateway> {
  const subgraphs = parts.map(({ name, sdl, resolvers }) => ({ name, typeDefs: parse(`${LINK}${sdl}`), resolvers }))
  gateway = await startGateway({
    supergraphSdl: compose(subgraphs),
    links: subgraphs.map(({ name, typeDefs, resolvers }) =>
      createLocalLink({
        name,
        // Resolvers of these tests have rows of their own types.
        schema: buildSubgraphSchema([{ typeDefs, resolvers: resolvers as never }]),
        context: () => ({}),
        ready: async () => {},
        close: async () => {},
      }),
    ),
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
  })
  return gateway
}

test('an entity is represented by a key that the subgraph can resolve', async () => {
  const size = { width: 'w1', height: 'h1', depth: 'd1' }
  const references: Row[] = []
  const box = await gatewayOf([
    {
      name: 'labels',
      sdl: `
        type Box @key(fields: "id") @key(fields: "size { width height }", resolvable: false) @key(fields: "id size { height depth }", resolvable: false) { id: ID! size: Size! label: String! }
        type Size { width: ID! height: ID! depth: ID! }`,
      resolvers: { Box: { __resolveReference: ({ id }: Row) => ({ id, size, label: `label of ${id}` }) } },
    },
    {
      name: 'shelves',
      sdl: `
        type Query { shelf: Shelf }
        type Shelf { boxes: [Box!]! }
        type Box @key(fields: "size { width height }", resolvable: false) @key(fields: "id size { height depth }") {
          id: ID! size: Size! label: String! @external
          sticker: String! @requires(fields: "label")
        }
        type Size { width: ID! height: ID! depth: ID! }`,
      resolvers: {
        Query: { shelf: () => ({ boxes: [{ id: '1', size }] }) },
        Box: {
          __resolveReference(reference: Row) {
            references.push(reference)
            return reference
          },
          sticker: ({ label }: Row) => `sticker: ${label}`,
        },
      },
    },
  ])
  expect(await ask(box, '{ shelf { boxes { id sticker } } }')).toEqual({
    data: { shelf: { boxes: [{ id: '1', sticker: 'sticker: label of 1' }] } },
  })
  expect(references).toMatchObject([{ id: '1', size: { height: 'h1', depth: 'd1' }, label: 'label of 1' }])
})

describe('fields that require one field with different arguments', () => {
  const PRODUCTS = [
    { upc: 'p1', price: 11 },
    { upc: 'p2', price: 22 },
  ]
  const inCurrency = ({ price }: { price: number }, { currency }: { currency: string }) =>
    currency === 'USD' ? price : price * 2
  const shop = () =>
    gatewayOf([
      {
        name: 'shipping',
        sdl: `
          type Product @key(fields: "upc") {
            upc: String! price(currency: String!): Int @external category: Category @external
            dollars: Int @requires(fields: "price(currency: \\"USD\\")")
            alsoDollars: Int @requires(fields: "price(currency: \\"USD\\")")
            euros: Int @requires(fields: "price(currency: \\"EUR\\")")
            dear: Boolean @requires(fields: "category { average(currency: \\"USD\\") }")
          }
          type Category @external { average(currency: String!): Int }`,
        resolvers: {
          Product: {
            __resolveReference: (reference: Row) => reference,
            dollars: ({ price }: Row) => price,
            alsoDollars: ({ price }: Row) => price,
            euros: ({ price }: Row) => price,
            dear: ({ category }: { category: { average: number } }) => category.average > 11,
          },
        },
      },
      {
        name: 'catalogue',
        sdl: `
          type Query { products: [Product] }
          type Product @key(fields: "upc") { upc: String! price(currency: String!): Int category: Category }
          type Category { average(currency: String!): Int }`,
        resolvers: {
          Query: { products: () => PRODUCTS },
          Product: {
            __resolveReference: ({ upc }: Row) => PRODUCTS.find((product) => product.upc === upc),
            price: inCurrency as never,
            category: (product: Row) => product,
          },
          Category: { average: inCurrency as never },
        },
      },
    ])
  test('are right together', async () => {
    expect(await ask(await shop(), '{ products { upc dollars dear euros } }')).toEqual({
      data: {
        products: [
          { upc: 'p1', dollars: 11, dear: false, euros: 22 },
          { upc: 'p2', dollars: 22, dear: true, euros: 44 },
        ],
      },
    })
  })

  test('are right apart, with equal arguments, and beside the same field with arguments of the client', async () => {
    const graph = await shop()
    expect(await ask(graph, '{ products { euros price(currency: "USD") } }')).toEqual({
      data: {
        products: [
          { euros: 22, price: 11 },
          { euros: 44, price: 22 },
        ],
      },
    })
    expect(
      await ask(graph, '{ products { dollars alsoDollars price(currency: "EUR") category { average(currency: "EUR") } dear } }'),
    ).toEqual({
      data: {
        products: [
          { dollars: 11, alsoDollars: 11, price: 22, category: { average: 22 }, dear: false },
          { dollars: 22, alsoDollars: 22, price: 44, category: { average: 44 }, dear: true },
        ],
      },
    })
    expect(await ask(graph, '{ one: products { dollars } other: products { euros } }')).toEqual({
      data: { one: [{ dollars: 11 }, { dollars: 22 }], other: [{ euros: 22 }, { euros: 44 }] },
    })
  })
})

describe('a root field that no subgraph resolves', () => {
  const nodes = () =>
    gatewayOf([
      {
        name: 'interfaces',
        sdl: 'type Query { node: Node plain: Int } interface Node { id: ID! }',
        resolvers: { Query: { node: () => ({ id: 'n1' }), plain: () => 1 } },
      },
      {
        name: 'objects',
        sdl: `
          type Query { known: Node }
          type Node @key(fields: "id", resolvable: false) @interfaceObject { id: ID! extra: String! }`,
        resolvers: { Query: { known: () => ({ id: 'n1', extra: 'more' }) } },
      },
    ])
  const REFUSED = {
    data: null,
    errors: [{ message: 'No subgraph resolves Query.node with these fields.', extensions: { code: 'UNRESOLVABLE_OPERATION' } }],
  }

  test('is an error, not null without one', async () => {
    const graph = await nodes()
    expect(await ask(graph, '{ node { extra } }')).toEqual(REFUSED)
    expect(await ask(graph, 'query { plain ...more } fragment more on Query { node { extra } }')).toEqual(REFUSED)
  })

  test('does not hinder what is resolved, meta fields, and what a condition excludes', async () => {
    const graph = await nodes()
    expect(await ask(graph, '{ known { id extra } __typename }')).toEqual({
      data: { known: { id: 'n1', extra: 'more' }, __typename: 'Query' },
    })
    expect(await ask(graph, '{ __typename }')).toEqual({ data: { __typename: 'Query' } })
    expect(await ask(graph, '{ plain node @skip(if: true) { extra } }')).toEqual({ data: { plain: 1 } })
    expect(await ask(graph, 'query ($no: Boolean!) { plain node @include(if: $no) { id } }', { no: false })).toEqual({
      data: { plain: 1 },
    })
  })
})

test('a supergraph of federation 1, with core and join v0.1, is served', async () => {
  const supergraphSdl = `
    schema @core(feature: "https://specs.apollo.dev/core/v0.2") @core(feature: "https://specs.apollo.dev/join/v0.1", for: EXECUTION) { query: Query }
    directive @core(feature: String!, as: String, for: core__Purpose) repeatable on SCHEMA
    directive @join__field(graph: join__Graph, provides: join__FieldSet, requires: join__FieldSet) on FIELD_DEFINITION
    directive @join__graph(name: String!, url: String!) on ENUM_VALUE
    directive @join__owner(graph: join__Graph!) on INTERFACE | OBJECT
    directive @join__type(graph: join__Graph!, key: join__FieldSet) repeatable on INTERFACE | OBJECT
    enum core__Purpose { EXECUTION SECURITY }
    scalar join__FieldSet
    enum join__Graph { GOODS @join__graph(name: "goods", url: "http://goods/") STOCK @join__graph(name: "stock", url: "http://stock/") }
    type Query { goods: [Good!]! @join__field(graph: GOODS) }
    type Good @join__owner(graph: GOODS) @join__type(graph: GOODS, key: "id") @join__type(graph: STOCK, key: "id") {
      id: ID! @join__field(graph: GOODS)
      price: Int @join__field(graph: GOODS)
      fee: String @join__field(graph: STOCK, requires: "price")
    }`
  const parts: readonly Part[] = [
    {
      name: 'goods',
      sdl: 'type Query { goods: [Good!]! } type Good @key(fields: "id") { id: ID! price: Int }',
      resolvers: { Query: { goods: () => [{ id: '1', price: 5 }] } },
    },
    {
      name: 'stock',
      sdl: `extend type Good @key(fields: "id") { id: ID! @external price: Int @external fee: String @requires(fields: "price") }`,
      resolvers: { Good: { __resolveReference: (reference: Row) => reference, fee: ({ price }: Row) => `fee for ${price}` } },
    },
  ]
  gateway = await startGateway({
    supergraphSdl,
    links: parts.map(({ name, sdl, resolvers }) =>
      createLocalLink({
        name,
        schema: buildSubgraphSchema([{ typeDefs: parse(sdl), resolvers: resolvers as never }]),
        context: () => ({}),
        ready: async () => {},
        close: async () => {},
      }),
    ),
    limits: DEFAULT_LIMITS,
    log: recordingLog().log,
  })
  expect(await ask(gateway, '{ goods { id fee } }')).toEqual({ data: { goods: [{ id: '1', fee: 'fee for 5' }] } })
})
