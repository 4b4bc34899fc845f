import { GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import type { Table } from '../small-graph.ts'

const json = () =>
  new GraphQLScalarType({
    name: 'Json',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (node: ValueNode) => valueFromASTUntyped(node),
  })
/** Days as numbers inside, as text outside. */
const day = () =>
  new GraphQLScalarType({
    name: 'Day',
    serialize: (value) => `day ${value}`,
    parseValue: (value) => Number(String(value).slice(4)),
    parseLiteral: (node) => (node.kind === Kind.STRING ? Number(node.value.slice(4)) : Number.NaN),
  })

/**
 * Frozen, because an executor that writes into what a subgraph keeps would change the next answer.
 */
const FROZEN = Object.freeze({
  deep: Object.freeze([1, null, Object.freeze({ __typename: 'Thing', id: 'x' })]),
  zero: 0,
  constructor: 'c',
})

/** Leaves of every kind, arguments of every kind, and what clients must not see. */
const values: Table = {
  graph: 'values',
  subgraphs: {
    left: {
      sdl: `
        type Query {
          things: [Thing!]! echo(given: Given, list: [[Int]], json: Json, day: Day, color: Color, id: ID, float: Float): String
          colors: [Color] color: Color! json: Json jsons: [Json!] day: Day big: Float ids: [ID!]! hidden: Secret @inaccessible open: [Open] search: [Found] spare: Spare
        }
        type Thing @key(fields: "id") { id: ID! json: Json color: Color day: Day name: String flag: Boolean float: Float int: Int self: Thing secret: String @inaccessible }
        scalar Json
        scalar Day
        enum Color { RED GREEN GHOST @inaccessible }
        input Given { a: Int = 7 b: [Given!] c: Color = RED d: String e: Given f: Boolean! = true }
        type Secret @inaccessible { x: Int }
        union Found = Thing | Secret2
        type Secret2 @inaccessible { y: Int }
        interface Open { id: ID! }
        type Shown implements Open { id: ID! }
        type Hid implements Open @inaccessible { id: ID! }
        type Spare { x: Int @inaccessible y: Int }
      `,
      resolvers: {
        Json: json(),
        Day: day(),
        Query: {
          things: () => [
            { id: '1', json: FROZEN, color: 'RED', day: 1, name: '', flag: false, float: 0.5, int: 0 },
            { id: '2', json: 0, color: 'GHOST', day: null, name: '__proto__', flag: null, float: -0.25, int: -2147483648 },
            { id: '3', json: false, color: null, day: 0, name: '\u2028"', flag: true, float: 1e21, int: 2147483647 },
          ],
          echo: (_: unknown, given: object) => JSON.stringify(given),
          colors: () => ['RED', 'GHOST', null, 'GREEN'],
          color: () => 'GHOST',
          json: () => FROZEN,
          jsons: () => [[], '', { __proto__: null, a: 1 }],
          day: () => 3,
          big: () => 12345678901234567000,
          ids: () => [1, 'a', 0],
          hidden: () => ({ x: 1 }),
          open: () => [{ __typename: 'Shown', id: 's' }, { __typename: 'Hid', id: 'h' }, null],
          search: () => [
            { __typename: 'Thing', id: '1' },
            { __typename: 'Secret2', y: 1 },
          ],
          spare: () => ({ x: 1, y: 2 }),
        },
        Thing: { self: (thing: object) => thing, __resolveReference: ({ id }: { id: string }) => ({ id, name: `again ${id}` }) },
      },
    },
    right: {
      sdl: `
        type Query { findings(of: [ID!]): [Thing] }
        type Thing @key(fields: "id") { id: ID! json: Json @external color: Color @external day: Day @external more: Json seen: String @requires(fields: "json color day") tint(of: Color = GREEN): Color at(day: Day): Day echo(given: Given, json: Json, list: [[Int]]): String }
        scalar Json
        scalar Day
        enum Color { RED GREEN }
        input Given { a: Int = 7 b: [Given!] c: Color = RED d: String e: Given f: Boolean! = true }
      `,
      resolvers: {
        Json: json(),
        Day: day(),
        Query: { findings: (_: unknown, { of }: { of?: string[] }) => (of ?? ['1', '404']).map((id) => ({ id })) },
        Thing: {
          more: ({ id }: { id: string }) => (id === '1' ? FROZEN : id === '2' ? 0 : []),
          seen: ({ json: seen, color, day: on }: { json?: unknown; color?: unknown; day?: unknown }) =>
            JSON.stringify({ seen, color, on }),
          tint: (_: unknown, { of }: { of: string }) => of,
          at: (_: unknown, { day: on }: { day?: number }) => on ?? null,
          echo: (_: unknown, given: object) => JSON.stringify(given),
        },
      },
    },
  },
  cases: [
    { name: 'leaves of every kind', query: '{ things { json day name flag float int more } day big ids json jsons }' },
    { name: 'a custom scalar that looks like an entity', query: '{ json things { json more self { json more } } }' },
    {
      name: 'an enum value that clients do not know',
      query: '{ colors things { color } }',
      data: { colors: ['RED', null, null, 'GREEN'], things: [{ color: 'RED' }, { color: null }, { color: null }] },
    },
    { name: 'an enum value that clients do not know, where null is not allowed', query: '{ color day }' },
    { name: 'an enum value that clients do not know, beside another fetch', query: '{ things { color tint more } }' },
    { name: 'required values that clients do not know', query: '{ things { seen } }' },
    { name: 'a type of a union that clients do not know', query: '{ search { __typename ... on Thing { name } } }' },
    { name: 'a type of an interface that clients do not know', query: '{ open { __typename id } }' },
    {
      name: 'introspection does not tell what clients do not know',
      query:
        '{ s: __type(name: "Secret") { name } t: __type(name: "Thing") { fields { name } } c: __type(name: "Color") { enumValues { name } } o: __type(name: "Open") { possibleTypes { name } } spare { y } }',
    },
    {
      name: 'literals as arguments, at the root and in an entity',
      query:
        '{ echo(given: {b: [{a: null}, {e: {d: "é\\n\\"", c: GREEN}}], f: false}, list: [[1, null], null, []], json: {x: [1, {y: null}]}, day: "day 4", color: GREEN, id: 5, float: 1) things { echo(given: {a: 1}, json: "x", list: [[2]]) at(day: "day 9") tint(of: RED) } }',
    },
    {
      name: 'variables as arguments, at the root and in an entity',
      query:
        'query ($g: Given, $l: [[Int]], $j: Json, $d: Day, $c: Color, $i: ID, $f: Float) { echo(given: $g, list: $l, json: $j, day: $d, color: $c, id: $i, float: $f) things { echo(given: $g, json: $j, list: $l) at(day: $d) tint(of: $c) } }',
      variables: {
        g: { a: null, b: [{ d: 'x' }], e: { f: false } },
        l: [[1, null], null],
        j: { constructor: 1, x: [null] },
        d: 'day 2',
        c: 'RED',
        i: 7,
        f: 3,
      },
    },
    {
      name: 'absent variables as arguments and inside of objects',
      query:
        'query ($a: Int, $d: String, $c: Color, $g: Given, $x: Given!) { echo(given: {a: $a, d: $d, c: $c, e: $g, b: [$x]}) things { echo(given: {a: $a, d: $d, e: $g}) tint(of: $c) } }',
      variables: { x: {} },
      data: {
        echo: '{"given":{"a":7,"b":[{"a":7,"c":"RED","f":true}],"c":"RED","f":true}}',
        things: [1, 2, 3].map(() => ({ echo: '{"given":{"a":7,"c":"RED","f":true}}', tint: 'GREEN' })),
      },
    },
    {
      name: 'variables that are null as arguments and inside of objects',
      query:
        'query ($a: Int, $d: String = "d", $g: Given) { echo(given: {a: $a, d: $d, e: $g}) things { echo(given: {a: $a, d: $d, e: $g}) } }',
      variables: { a: null, d: null, g: null },
    },
    {
      name: 'a single value for a list',
      query: 'query ($l: [[Int]], $b: [Given!]) { echo(list: $l, given: {b: $b}) findings(of: "1") { echo(list: $l) name } }',
      variables: { l: 5, b: { a: 1 } },
    },
    { name: 'entities that are stubs only', query: '{ findings { id name } }' },
    {
      name: 'entities by ids of a variable, none',
      query: 'query ($of: [ID!]) { findings(of: $of) { name more } }',
      variables: { of: [] },
    },
  ],
}

/** Answers that break the schema of their subgraph. */
export const valueTables: readonly Table[] = [values]
