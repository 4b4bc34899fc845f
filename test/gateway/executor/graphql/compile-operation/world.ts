import {
  buildSchema,
  type GraphQLEnumType,
  GraphQLError,
  type GraphQLFieldResolver,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLScalarType,
  type GraphQLSchema,
  Kind,
  valueFromASTUntyped,
} from 'graphql'
import { ticks } from './random.ts'

/** Every way a type can wrap another that matters to nulls. */
const WRAPPERS = {
  n: 'T',
  r: 'T!',
  ln: '[T]',
  lr: '[T!]',
  rln: '[T]!',
  rlr: '[T!]!',
  lln: '[[T]]',
  lrlr: '[[T!]!]',
  rlrlr: '[[T!]!]!',
}
export const wrappers = Object.keys(WRAPPERS)
const wrapped = (prefix: string, type: string) =>
  Object.entries(WRAPPERS)
    .map(([name, wrapper]) => `${prefix}_${name}: ${wrapper.replace('T', type)}`)
    .join('\n')

export const SDL = `
  enum Color { RED GREEN BLUE }
  "A number of milliseconds; a Date inside."
  scalar Moment
  "Refuses odd numbers, whichever way they come."
  scalar Even
  "Serialises to what it is given, be it nothing."
  scalar Bare
  scalar Json
  input Point { x: Int! y: Int = 5 label: String tags: [String!] = ["a"] inner: Point color: Color moment: Moment }
  input Either @oneOf { a: Int b: String }
  interface Animal { name: String friend: Animal friends: [Animal!] }
  type Dog implements Animal { name: String friend: Animal friends: [Animal!] barks: Boolean secret: String! }
  type Cat implements Animal { name: String friend: Animal friends: [Animal!] meows: Boolean secret: String! }
  type Fish { name: String fins: Int! }
  type Rock { name: String }
  union Pet = Dog | Cat | Fish
  "Its types are told by isTypeOf: at once for circles, later for squares."
  interface Shape { area: Float }
  type Circle implements Shape { area: Float radius: Float }
  type Square implements Shape { area: Float side: Float! }
  type Strict { name: String }
  type LaterStrict { name: String }
  type Box {
    ${wrapped('s', 'String')}
    ${wrapped('b', 'Box')}
    ${wrapped('a', 'Animal')}
    id: ID  int: Int  float: Float  boolean: Boolean  color: Color  moment: Moment  even: Even  bare: Bare  json: Json
    constructor: String  toString: String  hasOwnProperty: String  valueOf: Box
    withArguments(a: Int = 1, b: String): String
    counted(number: Int! = 1): String
    seen: String
    mutable(list: [Int!], point: Point, number: Int = 1): String
  }
  type Query {
    box: Box  boxRequired: Box!  boxes: [Box!]
    animal: Animal  animals: [Animal!]  pet: Pet  pets: [Pet]  shape: Shape  shapes: [Shape!]
    strict: Strict  laterStrict: LaterStrict  stricts: [Strict!]
    arguments(
      int: Int  intRequired: Int! = 7  float: Float  string: String = "default"  boolean: Boolean  id: ID
      color: Color = GREEN  colors: [Color!]  list: [Int]  listRequired: [Int!]! = [1]  nested: [[Int!]]
      point: Point  points: [Point!]  defaulted: Point = { x: 1 }  either: Either
      moment: Moment  even: Even  json: Json
    ): String
    required(int: Int!): String
    mutable(list: [Int!], point: Point, number: Int = 1): String
    info(a: Int): String
    this: String
    context: String
    undefinedResolver: String
  }
  type Mutation {
    add(number: Int!): Int!
    addLater(number: Int!): Int!
    addOrNull(number: Int!): Int
    fail(later: Boolean): Int
    failRequired(later: Boolean): Int!
    box: Box
  }
  type Subscription { box(id: Int): Box }
`

/** What a resolver may do instead of bringing a value, at once and later. */
export const FAULTS: Readonly<Record<string, () => unknown>> = {
  'a value': () => undefined,
  null: () => null,
  'throws an error': () => {
    throw new Error('thrown')
  },
  'throws a text': () => {
    throw 'text'
  },
  'throws an error with extensions': () => {
    throw new GraphQLError('with extensions', { extensions: { code: 'SOME_CODE' } })
  },
  'returns an error': () => new Error('returned'),
}

const plain = (value: unknown): string =>
  JSON.stringify(value, (_, inner) => (inner === undefined ? 'undefined' : inner)) ?? 'undefined'

/** Does what a resolver may do with what it is given. */
const mutable: GraphQLFieldResolver<unknown, unknown> = (_, values) => {
  const before = plain(values)
  values.number = 100
  values.list?.push(100)
  if (values.point) values.point.label = 'changed'
  values.more = true
  return before
}

function resolvers(): Record<string, Record<string, GraphQLFieldResolver<unknown, { count: number; name?: string }>>> {
  return {
    Query: {
      arguments: (_, values) => plain(values),
      required: (_, values) => plain(values),
      mutable,
      info: (_, __, ___, info: GraphQLResolveInfo) => plain(summary(info)),
      context: (_, __, context) => plain(context),
      undefinedResolver: () => undefined,
    },
    Box: { mutable, seen: (_, __, ___, { path }) => plain(path) },
    Mutation: {
      add: (_, { number }, context) => raised(context, number),
      addLater: async (_, { number }, context) => {
        const before = context.count
        await ticks(3)
        context.count = before + number
        return context.count
      },
      addOrNull: async (_, { number }, context) => {
        await ticks(1)
        if (number < 0) return null
        return raised(context, number)
      },
      fail: (_, { later }) => refused(later),
      failRequired: (_, { later }) => refused(later),
    },
  }
}

function raised(context: { count: number }, number: number): number {
  context.count += number
  return context.count
}

function refused(later: boolean | null): unknown {
  if (later) return ticks(2).then(() => refused(false))
  throw new Error('failed')
}

/** All that info says, in a form that can be compared. */
function summary({
  fieldName,
  fieldNodes,
  returnType,
  parentType,
  path,
  schema,
  fragments,
  rootValue,
  operation,
  variableValues,
  ...rest
}: GraphQLResolveInfo) {
  return {
    fieldName,
    places: fieldNodes.map(({ kind, alias }) => [kind, alias?.value]),
    types: [String(returnType), String(parentType)],
    path,
    schema: schema.getQueryType()?.name,
    fragments: Object.keys(fragments),
    root: typeof rootValue,
    operation: [operation.kind, operation.name?.value],
    variableValues,
    rest,
  }
}

/** The schema with its resolvers, which keep nothing from one run to the next. */
export function worldSchema(): GraphQLSchema {
  const schema = buildSchema(SDL)
  const types = schema.getTypeMap()
  for (const [name, fields] of Object.entries(resolvers())) {
    for (const [field, resolve] of Object.entries(fields)) {
      const definition = (types[name] as GraphQLObjectType).getFields()[field]
      if (!definition) throw new Error(`There is no field ${name}.${field}.`)
      definition.resolve = resolve as GraphQLFieldResolver<unknown, unknown>
    }
  }
  Object.assign(types.Moment as GraphQLScalarType, {
    serialize: (value: unknown) => (value instanceof Date ? value.getTime() : fails(`Expected a Date, got ${value}.`)),
    parseValue: (value: unknown) => (typeof value === 'number' ? new Date(value) : fails('Expected a number.')),
    parseLiteral: (node: { kind: string; value: string }) =>
      node.kind === Kind.INT ? new Date(Number(node.value)) : fails('Expected a number.'),
  })
  const even = (value: unknown) => (Number(value) % 2 === 0 ? value : fails('odd'))
  Object.assign(types.Even as GraphQLScalarType, {
    serialize: even,
    parseValue: even,
    parseLiteral: (node: { value: string }) => (Number(node.value) % 2 === 0 ? Number(node.value) : undefined),
  })
  Object.assign(types.Json as GraphQLScalarType, { parseLiteral: valueFromASTUntyped })
  // As the enum type of a program may: values inside that differ from the names outside.
  const colors = types.Color as GraphQLEnumType
  for (const value of colors.getValues()) value.value = value.name === 'GREEN' ? 2 : value.name === 'BLUE' ? null : value.name
  const animal = types.Animal as GraphQLInterfaceType
  animal.resolveType = (value) => {
    const { says } = value as { says?: () => unknown }
    return (says ? says() : (value as { __typename: string }).__typename) as string
  }
  const is = (name: string) => (value: unknown) => (value as { is?: string }).is === name
  Object.assign(types.Circle as GraphQLObjectType, { isTypeOf: is('circle') })
  Object.assign(types.Square as GraphQLObjectType, {
    isTypeOf: async (value: unknown) => {
      if ((value as { is?: string }).is === 'broken') throw new Error('cannot tell')
      return is('square')(value)
    },
  })
  Object.assign(types.Strict as GraphQLObjectType, { isTypeOf: is('strict') })
  Object.assign(types.LaterStrict as GraphQLObjectType, { isTypeOf: async (value: unknown) => is('strict')(value) })
  return schema
}

function fails(message: string): never {
  throw new TypeError(message)
}
