import { runInThisContext } from 'node:vm'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { buildSchema, type ExecutionResult, execute, type GraphQLObjectType, getVariableValues, Kind, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { compileOperation } from '../../gateway/executor/graphql/compile-operation.ts'
import { visibleArguments } from '../../gateway/executor/graphql/resolver-arity.ts'
import { compileCoercion } from '../../gateway/operations/variables.ts'

describe('a resolver is given every argument that it can see', () => {
  const ALL = 4
  /** As it is written: what formats our own code would write it otherwise. */
  const written = (text: string) => runInThisContext(text)
  const bound = ((...all: unknown[]) => all).bind(null)
  class Holder {
    method(_source: unknown, { id }: { id: string }) {
      return id
    }
  }
  test.each<[why: string, resolver: (...all: never[]) => unknown, visible: number]>([
    ['none', () => 1, 0],
    ['one, without parentheses', written('source => source.id'), 1],
    ['two, taken apart', ({ id }: { id: string }, { first }: { first: number }) => [id, first], 2],
    ['all four', (_: unknown, _given: unknown, _context: unknown, info: unknown) => info, ALL],
    ['a method', new Holder().method, 2],
    ['an asynchronous function', async (source: unknown) => source, 1],
    [
      'a function with a name',
      function named(_source: unknown, _given: unknown, context: unknown) {
        return context
      },
      3,
    ],
    ['a default', (_source: unknown, _given = {}, _context = {}, info = {}) => info, ALL],
    ['a default inside', ({ id = 1 }: { id?: number }) => id, ALL],
    ['a rest', (source: unknown, ...others: unknown[]) => [source, others], ALL],
    ['arguments', written('(function (source) { return arguments[3] })'), ALL],
    ['arguments by another spelling', written('(function (source) { return \\u0061rguments[3] })'), ALL],
    ['eval', written('(function (source) { return eval("argu" + "ments")[3] })'), ALL],
    ['a bound function', bound, ALL],
    [
      'a computed name',
      {
        ['na' + 'me'](source: unknown) {
          return source
        },
      }.name as never,
      ALL,
    ],
    ['a comment among them', written('(source /* , rest */, given) => given'), ALL],
  ])('%s', (_, resolver, visible) => {
    expect(visibleArguments(resolver)).toBe(visible)
  })
})

describe('variables become what graphql-js makes of them', () => {
  const schema = buildSchema('input Page { first: Int = 5 } enum Order { UP } scalar Any type Query { a: Int }')
  const typed = (types: string) => {
    const [operation] = parse(`query (${types}) { a }`).definitions
    return operation?.kind === Kind.OPERATION_DEFINITION ? (operation.variableDefinitions ?? []) : []
  }
  const VALUES = [
    undefined, null, '', 'text', 0, 1.5, 2 ** 31, Number.NaN, true, [], ['a'], [1, null], [[1]], { first: 1 }, {}, 'UP', new Date(0),
  ] // biome-ignore format: a table
  const TYPES = [
    'String',
    'ID',
    'Int',
    'Float',
    'Boolean',
    'Page',
    'Order',
    'Any',
    '[Int]',
    '[Int!]',
    '[[Int]]',
    '[Any!]',
    'None',
    'Query',
  ]

  test.each(TYPES.flatMap((type) => [type, `${type}!`]))('%s', (type) => {
    const definitions = [typed(`$v: ${type}`), ...(type.endsWith('!') || type === 'None' ? [] : [typed(`$v: ${type} = null`)])]
    for (const each of definitions) {
      const coerce = compileCoercion(schema, each, { maxErrors: 5 })
      for (const given of [{}, { other: 1 }, ...VALUES.map((v) => ({ v }))]) {
        expect(coerce(given)).toEqual(getVariableValues(schema, each, given, { maxErrors: 5 }))
      }
    }
  })

  test('a list that resolvers change is not the one that was given', () => {
    const list = [1, 2]
    expect(compileCoercion(schema, typed('$v: [Int!]!'), { maxErrors: 5 })({ v: list }).coerced?.v).not.toBe(list)
  })
})

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

  test('a program that finds entities itself is asked', async () => {
    const own = buildSubgraphSchema([{ typeDefs, resolvers: {} }] as never)
    const query = own.getQueryType() as GraphQLObjectType
    const field = query.getFields()._entities
    if (field) field.resolve = () => [{ __typename: 'B', id: 'own' }]
    const answer = await compileOperation(own, DOCUMENT, undefined)({ contextValue: null, variableValues: { all: [] } })
    expect(plain(answer).data).toEqual({ _entities: [{ __typename: 'B', id: 'own' }] })
  })
})
