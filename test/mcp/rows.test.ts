import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSchema, isScalarType, parse } from 'graphql'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { apiSchemaOf } from '../../gateway/planning/composition.ts'
import { answerAt, answerSchema, expectedFailureIn } from '../../mcp/answer.ts'
import { variablesSchema } from '../../mcp/arguments.ts'
import { conciseSchema, outlineSchema } from '../../mcp/concise-schema.ts'
import { faultsOf } from '../../mcp/faults.ts'
import { scalarArgument } from '../../mcp/scalars.ts'
import { jsonSchema, operationTool } from '../../mcp/tool.ts'

const schema = buildSchema(`
  enum Colour { "As the sea." DEEP_BLUE  "As grass." GREEN }
  input Size { "Metres." width: Int!  height: Int = 2 }
  interface Thing { "What it is called." name: String! }
  type Boat implements Thing { name: String! colour: Colour! crew: [String!]! }
  type Tree implements Thing { name: String! age: Int }
  type ThingEdge { node: Thing!  cursor: String! }
  type ThingConnection { "The things." edges: [ThingEdge!]! }
  type Painted { boat: Boat! }
  type Refused { message: String! }
  union PaintPayload = Painted | Refused
  type Query { things("Which colour to look for." colour: Colour, "How large." size: Size, first: Int = 5): ThingConnection! }
  type Mutation { paint(id: ID!, "The new colour." colour: Colour!): PaintPayload! }
`)
const spelling = (_: string, value: string) => value.toLowerCase()

const things = parse(`query FindThings($colour: Colour, $size: Size, $first: Int! = 5) {
  things(colour: $colour, size: $size, first: $first) { all: edges { node { __typename name ... on Boat { colour } ... on Tree { age } } } }
}`)
const paint = parse(
  'mutation PaintBoat($id: ID!, $colour: Colour!) { result: paint(id: $id, colour: $colour) { ... on Painted { boat { name colour } } ... on Refused { message } } }',
)

test('arguments are the variables: required, default and meaning as the document and the schema have them', () => {
  const bounds = { first: { description: 'How many.', min: 1, max: 9 } }
  const accepts = variablesSchema(things, schema, spelling, bounds)
  const { properties, required } = jsonSchema(accepts, 'input') as unknown as {
    properties: Record<string, object>
    required?: string[]
  }
  expect(required).toBeUndefined()
  expect(properties.first).toEqual({ type: 'integer', minimum: 1, maximum: 9, default: 5, description: 'How many.' })
  expect(properties.colour).toEqual({
    anyOf: [{ type: 'string', enum: ['deep_blue', 'green'] }, { type: 'null' }],
    description: 'Which colour to look for. `deep_blue`: As the sea. `green`: As grass.',
  })
  expect(properties.size).toMatchObject({
    anyOf: [
      { type: 'object', required: ['width'], properties: { width: { description: 'Metres.' }, height: { default: 2 } } },
      { type: 'null' },
    ],
  })
  expect(accepts.parse({ colour: 'deep_blue', size: { width: 3 } })).toEqual({
    colour: 'DEEP_BLUE',
    size: { width: 3 },
    first: 5,
  })
  // Absent and null are two things to the graph.
  expect(accepts.parse({ colour: null })).toEqual({ colour: null, first: 5 })
})

test('every invalid argument is reported at once, by its path', () => {
  const accepts = variablesSchema(things, schema, spelling, {})
  const given = { colour: 'red', size: { width: 'x', depth: 1 }, first: null }
  const { error } = accepts.safeParse(given)
  expect(error && faultsOf(error, given, Object.keys(accepts.shape))).toEqual([
    'Expected `colour` to be one of deep_blue, green, got "red".',
    'Expected `size.width` to be a whole number from -2147483648 to 2147483647, got "x".',
    'Expected no `depth`: `size` has no such field.',
    'Expected `first` to be a whole number from -2147483648 to 2147483647, got null.',
  ])
})

test('lists of tools have what a model needs to call them: no bounds that say nothing, and of results the keys', () => {
  const bounds = { colour: { description: 'A colour.', namesSuffice: true }, first: { min: 1, max: 9 } } as const
  expect(conciseSchema(jsonSchema(variablesSchema(things, schema, spelling, bounds), 'input'))).toEqual({
    type: 'object',
    properties: {
      colour: { type: ['string', 'null'], enum: ['deep_blue', 'green', null], description: 'A colour.' },
      size: {
        type: ['object', 'null'],
        properties: {
          width: { type: 'integer', description: 'Metres.' },
          height: { type: ['integer', 'null'], default: 2 },
        },
        required: ['width'],
        description: 'How large.',
      },
      first: { type: 'integer', minimum: 1, maximum: 9, default: 5 },
    },
  })
  const answer = z.object({
    name: z.string().describe('Its name.'),
    age: z.int32().nullable(),
    tags: z.array(z.string()),
    boat: z.object({ crew: z.string() }).nullable(),
    either: z.union([z.object({ one: z.string() }), z.string()]),
  })
  expect(outlineSchema(jsonSchema(answer, 'output'))).toEqual({
    type: 'object',
    properties: {
      name: {},
      age: { type: ['integer', 'null'] },
      tags: { type: 'array' },
      boat: { type: ['object', 'null'] },
      either: { type: ['object', 'string'] },
    },
  })
})

test('an answer is the selection: nodes in place of edges, enums as tools spell them, no other fields', () => {
  const returns = answerSchema(things, schema, spelling, ['things'])
  const nodes = [
    { __typename: 'Tree', name: 'Oak', age: null },
    { __typename: 'Boat', name: 'Ann', colour: 'DEEP_BLUE' },
  ]
  expect(returns.parse({ all: nodes.map((node) => ({ node })) })).toEqual({
    all: [
      { name: 'Oak', age: null },
      { name: 'Ann', colour: 'deep_blue' },
    ],
  })
  expect(jsonSchema(returns, 'output')).toMatchObject({
    properties: {
      all: {
        description: 'The things.',
        items: { anyOf: [{ properties: { name: { description: 'What it is called.' } } }, {}] },
      },
    },
  })
})

test('an expected failure is the message of the union member', () => {
  const path = ['result', 'boat'] as const
  expect(jsonSchema(answerSchema(paint, schema, spelling, path), 'output')).toMatchObject({ required: ['name', 'colour'] })
  expect(answerAt({ result: { message: 'Wet paint.' } }, path)).toBeNull()
  expect(expectedFailureIn({ result: { message: 'Wet paint.' } }, path)).toBe('Wet paint.')
  expect(expectedFailureIn({ result: null }, path)).toBeNull()
  expect(answerAt({ result: { boat: { name: 'Ann' } } }, path)).toEqual({ name: 'Ann' })
})

test('a tool that writes must declare its effect', () => {
  const row = { run: paint as never, title: 'Paint', description: 'Paints a boat.', answer: ['result', 'boat'] } as const
  expect(() => operationTool(row)).toThrow('Expected the row of paint_boat, which is a mutation, to have an effect.')
  expect(() => answerSchema(paint, schema, spelling, ['result', 'tree'])).toThrow('to select "tree"')
})

test('every scalar of the graph can be an argument', () => {
  const graph = buildSchema(apiSchemaOf(readFileSync(join(import.meta.dirname, '../../schema/supergraph.graphql'), 'utf8')))
  for (const { name } of Object.values(graph.getTypeMap()).filter(isScalarType))
    expect(() => scalarArgument(name, {}), name).not.toThrow()
})
