import { createRequire } from 'node:module'
import { buildSchema, parse, print, validate } from 'graphql'
import { expect, test, vi } from 'vitest'
import { createGateway } from '../../../gateway/library/create-gateway.ts'
import { warmUpQuery } from '../../../gateway/operations/warm-up.ts'
import { recordingLog, supergraphSdl } from '../support/graph.ts'

test('a gateway has planned that query when it is created, and starts also when it cannot be planned', async () => {
  const { QueryPlanner }: typeof import('@apollo/query-planner') = createRequire(import.meta.url)('@apollo/query-planner')
  const planning = vi.spyOn(QueryPlanner.prototype, 'buildQueryPlan')
  try {
    const supergraph = supergraphSdl({ shop: 'http://127.0.0.1:1/', review: 'http://127.0.0.1:1/' })
    const gateway = await createGateway({ supergraph, log: recordingLog().log })
    const planned = planning.mock.calls.map(([operation]) => print(parse(String(operation))))
    expect(planned).toEqual([print(parse(warmUpQuery(gateway.schema) ?? ''))])
    await gateway.close()
    planning.mockImplementationOnce(() => {
      throw new Error('Expected another query.')
    })
    await (await createGateway({ supergraph, log: recordingLog().log })).close()
    expect(planning).toHaveBeenCalledTimes(2)
  } finally {
    planning.mockRestore()
  }
})

test('a gateway warms up with a valid query of few fields, none of which needs an argument', () => {
  const many = Array.from({ length: 50 }, (_, at) => `f${at}: Int o${at}: Item`).join(' ')
  const schema = buildSchema(`
    type Query { byId(id: ID!): Item items(first: Int = 1): [Item!]! more: Item never: Item now: Int! }
    type Item { needs(text: String!): Int id: ID! next: Item ${many} }`)
  const text = warmUpQuery(schema) ?? ''
  expect(validate(schema, parse(text))).toEqual([])
  const item = '{ __typename next { __typename id } id }'
  expect(text).toBe(`{ items ${item} more ${item} }`)
})

test('types of an interface or a union, which may be hundreds, are no part of it', () => {
  const schema = buildSchema(`
    type Query { node: Node! kind: [Kind!] item: Item now: Int! }
    interface Node { id: ID! }
    union Kind = Item
    type Item implements Node { node: Node kind: Kind id: ID! }`)
  expect(warmUpQuery(schema)).toBe('{ item { __typename id } now }')
})

test('a schema whose fields all need arguments, or are of interfaces, has none', () => {
  expect(warmUpQuery(buildSchema('type Query { byId(id: ID!): Int }'))).toBe(null)
  expect(warmUpQuery(buildSchema('type Query { node: Node } interface Node { id: ID! }'))).toBe(null)
  expect(warmUpQuery(buildSchema('type Mutation { now: Int }'))).toBe(null)
})
