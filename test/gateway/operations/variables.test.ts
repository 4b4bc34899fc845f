import { buildSchema, getVariableValues, Kind, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { compileCoercion } from '../../../gateway/operations/variables.ts'

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
