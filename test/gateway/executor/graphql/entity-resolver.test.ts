import { buildSubgraphSchema } from '@apollo/subgraph'
import { type ExecutionResult, execute, type GraphQLObjectType, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { compileOperation } from '../../../../gateway/executor/graphql/compile-operation.ts'

describe('entities are what the library of subgraphs finds', () => {
  const DOCUMENT = parse(
    'query ($all: [_Any!]!) { _entities(representations: $all) { __typename ... on A { id name } ... on B { id } } }',
  )
  const typeDefs = parse(`
    extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
    type A @key(fields: "id") { id: ID! name: String } type B @key(fields: "id") { id: ID! }
    interface Named @key(fields: "id") { id: ID! } type C implements Named @key(fields: "id") { id: ID! } type Query { a: A }
  `)
  const found: Readonly<Record<string, () => unknown>> = {
    plain: () => ({ id: '1', name: 'one' }),
    late: async () => ({ id: '1', name: 'one' }),
    frozen: () => Object.freeze({ id: '1', name: 'one' }),
    other: () => ({ __typename: 'B', id: '1', name: 'one' }),
    typed: () => ({ __typename: 'A', id: '1' }),
    none: () => null,
    undefined: () => undefined,
    text: () => 'text',
    error: () => new Error('returned'),
    rejected: async () => {
      throw new Error('rejected')
    },
    thrown: () => {
      throw new Error('thrown')
    },
  }
  const schema = buildSubgraphSchema([
    {
      typeDefs,
      resolvers: {
        A: { __resolveReference: ({ id }: { id: string }) => found[id]?.() },
        Named: { __resolveType: () => 'C', __resolveReference: ({ id }: { id: string }) => ({ id }) },
      },
    },
  ] as never)
  const run = compileOperation(schema, DOCUMENT, undefined)
  const plain = (result: ExecutionResult) => JSON.parse(JSON.stringify(result))

  const cases = [
    ...Object.keys(found).map((id) => [{ __typename: 'A', id }]),
    [
      { __typename: 'A', id: 'plain' },
      { __typename: 'A', id: 'rejected' },
      { __typename: 'B', id: '2' },
    ],
    [{ __typename: 'Named', id: '3' }],
    [{ __typename: 'None', id: '3' }],
    [],
  ]
  test.each(cases.map((all) => [JSON.stringify(all), all] as const))('%s', async (_, all) => {
    const expected = await execute({ schema, document: DOCUMENT, variableValues: { all } })
    expect(plain(await run({ contextValue: null, variableValues: { all } }))).toEqual(plain(expected))
  })

  test('without waiting, where nothing makes them wait', () => {
    const answer = run({ contextValue: null, variableValues: { all: [{ __typename: 'A', id: 'plain' }] } })
    expect(answer).toEqual({ data: { _entities: [{ __typename: 'A', id: '1', name: 'one' }] } })
  })

  test('a custom _entities resolver is called', async () => {
    const own = buildSubgraphSchema([{ typeDefs, resolvers: {} }] as never)
    const query = own.getQueryType() as GraphQLObjectType
    const field = query.getFields()._entities
    if (field) field.resolve = () => [{ __typename: 'B', id: 'own' }]
    const answer = await compileOperation(own, DOCUMENT, undefined)({ contextValue: null, variableValues: { all: [] } })
    expect(plain(answer).data).toEqual({ _entities: [{ __typename: 'B', id: 'own' }] })
  })
})
