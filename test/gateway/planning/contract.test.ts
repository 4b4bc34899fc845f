import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse, printSchema } from 'graphql'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type CreateGatewayOptions, createGateway } from '../../../gateway/library/create-gateway.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { recordingLog } from '../support/graph.ts'

const HEAD = 'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@tag", "@inaccessible"])'
const SHOP = `
  type Query {
    product(id: ID!, draft: Boolean @tag(name: "internal")): Product @tag(name: "public")
    products(filter: Filter, order: Order): [Product!]! @tag(name: "public")
    report: Report @tag(name: "internal")
    found: Found @tag(name: "public")
  }
  type Product @key(fields: "id") { id: ID! @tag(name: "public") name: String @tag(name: "public") margin: Int @tag(name: "internal") weight: Int }
  type Report @tag(name: "internal") { total: Int product: Product }
  type Note @tag(name: "public") { text: String secret: String @tag(name: "internal") }
  union Found @tag(name: "public") = Product | Note
  input Filter { name: String margin: Int @tag(name: "internal") }
  enum Order { NAME MARGIN @tag(name: "internal") }
  scalar Unused
  type Orphan { a: Unused }
`
const REVIEWS = 'type Product @key(fields: "id") { id: ID! @tag(name: "public") stars: Int @tag(name: "public") }'

const PRODUCT = { __typename: 'Product', id: 'a', name: 'A', margin: 40, weight: 7 }
const shop = (sdl: string) =>
  buildSubgraphSchema([
    {
      typeDefs: parse(`${HEAD} ${sdl}`),
      resolvers: {
        Query: {
          product: (_: unknown, args: object) => ({ ...PRODUCT, name: JSON.stringify(args) }),
          products: () => [PRODUCT],
          found: () => ({ __typename: 'Note', text: 'Hello', secret: 'hunter2' }),
        },
        Product: { __resolveReference: () => PRODUCT },
      },
    } as never,
  ])
const reviews = buildSubgraphSchema([
  {
    typeDefs: parse(`${HEAD} ${REVIEWS}`),
    resolvers: { Product: { __resolveReference: () => ({ id: 'a', stars: 5 }) } },
  } as never,
])

async function aGateway(contract: CreateGatewayOptions['contract'], sdl = SHOP) {
  const supergraph = compose([
    { name: 'shop', typeDefs: parse(`${HEAD} ${sdl}`) },
    { name: 'reviews', typeDefs: parse(`${HEAD} ${REVIEWS}`) },
  ])
  const subgraphs = { shop: { schema: shop(sdl) }, reviews: { schema: reviews } }
  const gateway = await createGateway({ supergraph, subgraphs, log: recordingLog().log, ...(contract && { contract }) })
  onTestFinished(gateway.close)
  return { ask: (query: string) => gateway.execute({ query }), schema: printSchema(gateway.schema), gateway }
}

describe('a contract', () => {
  test('that excludes tags hides fields, types, arguments, input fields and enum values with them, and nothing else', async () => {
    const { schema, ask } = await aGateway({ excludeTags: ['internal'] })
    expect(schema).not.toMatch(/margin|MARGIN|draft|Report|report|secret/)
    expect(schema).toMatch(/weight: Int/)
    expect(schema).toMatch(/type Orphan/)
    expect(await ask('{ products(filter: { name: "A" }, order: NAME) { name weight stars } }')).toEqual({
      data: { products: [{ name: 'A', weight: 7, stars: 5 }] },
    })
    for (const query of [
      '{ products { margin } }',
      '{ product(id: "a", draft: true) { id } }',
      '{ report { total } }',
      '{ products(order: MARGIN) { id } }',
      '{ products(filter: { margin: 1 }) { id } }',
    ]) {
      expect(await ask(query), query).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] })
    }
  })

  test('that includes tags hides fields and unions without them; the tag of a type is that of its fields', async () => {
    const { schema, ask } = await aGateway({ includeTags: ['public'] })
    expect(schema).not.toMatch(/weight|margin: Int\n {2}weight|type Report|report/)
    expect(schema).toMatch(/type Note \{\n {2}text: String\n {2}secret: String/)
    expect(await ask('{ found { __typename ... on Note { text } } products { id stars } }')).toEqual({
      data: { found: { __typename: 'Note', text: 'Hello' }, products: [{ id: 'a', stars: 5 }] },
    })
    const { schema: without } = await aGateway(
      { includeTags: ['public'] },
      SHOP.replace('union Found @tag(name: "public")', 'union Found').replace(
        'found: Found @tag(name: "public")',
        'found: Found',
      ),
    )
    expect(without).not.toMatch(/union/)
  })

  test('hides what has tags of both lists', async () => {
    const { schema } = await aGateway({ includeTags: ['public'], excludeTags: ['internal'] })
    expect(schema).toMatch(/type Note \{\n {2}text: String\n\}/)
  })

  test('hides types that nothing leads to, when it is told to', async () => {
    const { schema } = await aGateway({ excludeTags: ['internal'], hideUnreachableTypes: true })
    expect(schema).not.toMatch(/Orphan|Unused/)
    expect(schema).toMatch(/input Filter/)
    expect(schema).toMatch(/enum Order/)
  })

  test('adds to what the supergraph hides itself', async () => {
    const sdl = SHOP.replace('weight: Int', 'weight: Int @inaccessible')
    const { schema } = await aGateway({ excludeTags: ['internal'] }, sdl)
    expect(schema).not.toMatch(/weight|margin/)
    expect(schema).toMatch(/stars/)
  })

  test('without it, everything is served', async () => {
    expect((await aGateway(undefined)).schema).toMatch(/margin: Int/)
  })

  test('holds for a supergraph that takes the place of another', async () => {
    const { gateway } = await aGateway({ excludeTags: ['internal'] })
    const next = compose([
      { name: 'shop', typeDefs: parse(`${HEAD} ${SHOP.replace('weight: Int', 'weight: Int cost: Int @tag(name: "internal")')}`) },
      { name: 'reviews', typeDefs: parse(`${HEAD} ${REVIEWS}`) },
    ])
    gateway.replaceSupergraph(next)
    expect(printSchema(gateway.schema)).not.toMatch(/cost|margin/)
  })
})

test.each<{ why: string; contract: NonNullable<CreateGatewayOptions['contract']>; sdl?: string; says: RegExp }>([
  {
    why: 'a tag that nothing has',
    contract: { excludeTags: ['intrenal'] },
    says: /^Expected "contract\.excludeTags" to be tags of the supergraph \(internal, public\), got "intrenal"\.$/,
  },
  {
    why: 'an enum of which nothing is left',
    contract: { excludeTags: ['internal'] },
    sdl: SHOP.replace('NAME MARGIN', 'MARGIN'),
    says: /^The contract leaves no valid schema: Type "Order" is in the API schema but all of its/,
  },
  {
    why: 'a field whose type is hidden',
    contract: { excludeTags: ['internal'] },
    sdl: SHOP.replace('report: Report @tag(name: "internal")', 'report: Report'),
    says: /^The contract leaves no valid schema: Type "Report" is @inaccessible but is referenced by "Query\.report"/,
  },
  {
    why: 'an object of which no field is left, and that a field leads to',
    contract: { includeTags: ['public'] },
    sdl: SHOP.replace('report: Report @tag(name: "internal")', 'report: Report @tag(name: "public")'),
    says: /^The contract leaves no valid schema: Type "Report" is @inaccessible but is referenced/,
  },
  {
    why: 'a required argument that is hidden',
    contract: { excludeTags: ['internal'] },
    sdl: SHOP.replace('draft: Boolean', 'draft: Boolean!'),
    says: /^The contract leaves no valid schema: Argument "Query\.product\(draft:\)" is @inaccessible but is a required argument/,
  },
  {
    why: 'no root field at all',
    contract: { excludeTags: ['public', 'internal'] },
    says: /^The contract leaves no valid schema: .*"Query"/,
  },
  { why: 'no tags', contract: {}, says: /^Expected "contract" to be an object with at least one tag/ },
  {
    why: 'a tag that is none',
    contract: { includeTags: ['a b'] },
    says: /^Expected "contract\.includeTags\[0\]" to be the name of a tag/,
  },
])('a contract with $why stops the start', async ({ contract, sdl, says }) => {
  await expect(aGateway(contract, sdl)).rejects.toThrow(says)
})
