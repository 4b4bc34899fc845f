import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ask } from '../support/graph.ts'
import { gatewayOf, type Parts, type PartsGateway, supergraphOf } from '../support/parts.ts'

type Row = Record<string, unknown>
const same = (reference: Row) => reference
const UNITS: Record<string, number> = { MM: 1000, CM: 100, M: 1 }
const sized = ({ metres }: { metres: number }, { in: unit = 'M' }: { in?: string }) => metres * (UNITS[unit] ?? Number.NaN)
const titled = ({ id }: Row, { short }: { short?: boolean }) => (short ? String(id)[0] : `title of ${id}`)

const PLANKS = [
  { id: 'p1', metres: 2 },
  { id: 'p2', metres: 3 },
]
const THINGS = [
  { __typename: 'Cup', id: 'c1', metres: 4 },
  { __typename: 'Pen', id: 'n1', metres: 5 },
]

/** Fields of one object that require one field with different arguments, in every place that they can stand. */
const PARTS: Parts = {
  yard: {
    sdl: `
      type Query { planks: [Plank!]! plank: Plank box: Box broken: Plank }
      type Mutation { cut: Plank }
      type Plank @key(fields: "id") { id: ID! length(in: String = "M"): Float title(short: Boolean): String store: Store pieces(first: Int!): [Piece!]! failing(in: String): Int }
      type Store { shelves: [Shelf!]! }
      type Shelf { depth(in: String!): Float }
      type Piece @key(fields: "id") { id: ID! }
      type Box @key(fields: "id") { id: ID! things: [Thing!]! }
      interface Thing { id: ID! size(in: String!): Float }
      type Cup implements Thing { id: ID! size(in: String!): Float }
      type Pen implements Thing { id: ID! size(in: String!): Float }`,
    resolvers: {
      Query: { planks: () => PLANKS, plank: () => PLANKS[0], box: () => ({ id: 'b1' }), broken: () => PLANKS[1] },
      Mutation: { cut: () => PLANKS[1] },
      Plank: {
        __resolveReference: ({ id }: Row) => PLANKS.find((plank) => plank.id === id),
        length: sized,
        title: titled,
        store: ({ metres }: Row) => ({ shelves: [{ metres }, { metres: Number(metres) * 10 }] }),
        pieces: ({ id }: Row, { first }: { first: number }) =>
          ['a', 'b', 'c'].slice(0, first).map((each) => ({ id: `${id}${each}` })),
        failing(_: Row, { in: unit }: Row) {
          if (unit === 'CM') throw new Error('no centimetres')
          return 7
        },
      },
      Shelf: { depth: sized },
      Box: { __resolveReference: same, things: () => THINGS },
      Cup: { size: sized },
      Pen: { size: sized },
    },
  },
  names: {
    sdl: 'type Piece @key(fields: "id") { id: ID! name: String }',
    resolvers: { Piece: { __resolveReference: same, name: ({ id }: Row) => `piece ${id}` } },
  },
  rules: {
    sdl: `
      type Plank @key(fields: "id") {
        id: ID! length(in: String = "M"): Float @external title(short: Boolean): String @external
        store: Store @external pieces(first: Int!): [Piece!]! @external failing(in: String): Int @external
        inMillimetres: String @requires(fields: "length(in: \\"MM\\")")
        inCentimetres: String @requires(fields: "length(in: \\"CM\\")")
        inMetres: String @requires(fields: "length")
        both: String @requires(fields: "title length(in: \\"CM\\")")
        initial: String @requires(fields: "title(short: true) length(in: \\"MM\\")")
        depths(unit: String): String @requires(fields: "store { shelves { depth(in: \\"MM\\") } }")
        depthsInMetres: String @requires(fields: "store { shelves { depth(in: \\"M\\") } }")
        onePiece: String @requires(fields: "pieces(first: 1) { id name }")
        twoPieces: String @requires(fields: "pieces(first: 2) { name }")
        failed: Int @requires(fields: "failing(in: \\"CM\\")")
        notFailed: Int @requires(fields: "failing(in: \\"MM\\")")
        plain: String
      }
      type Store @external { shelves: [Shelf!]! }
      type Shelf @external { depth(in: String!): Float }
      type Piece @key(fields: "id") { id: ID! name: String @external }
      type Box @key(fields: "id") {
        id: ID! things: [Thing!]! @external
        mixed: String @requires(fields: "things { id ... on Cup { size(in: \\"MM\\") } ... on Pen { size(in: \\"CM\\") } }")
        metres: String @requires(fields: "things { id size(in: \\"M\\") }")
      }
      interface Thing { id: ID! size(in: String!): Float }
      type Cup implements Thing @external { id: ID! size(in: String!): Float }
      type Pen implements Thing @external { id: ID! size(in: String!): Float }`,
    resolvers: {
      Plank: {
        __resolveReference: same,
        inMillimetres: ({ length }: Row) => `${length} mm`,
        inCentimetres: ({ length }: Row) => `${length} cm`,
        inMetres: ({ length }: Row) => `${length} m`,
        both: ({ title, length }: Row) => `${title}, ${length} cm`,
        initial: ({ title, length }: Row) => `${title}, ${length} mm`,
        depths: ({ store }: { store: { shelves: Row[] } }, { unit }: Row) =>
          `${store.shelves.map(({ depth }) => depth).join('+')} ${unit ?? 'mm'}`,
        depthsInMetres: ({ store }: { store: { shelves: Row[] } }) => `${store.shelves.map(({ depth }) => depth).join('+')} m`,
        onePiece: ({ pieces }: { pieces: Row[] }) => pieces.map(({ id, name }) => `${id} ${name}`).join(),
        twoPieces: ({ pieces }: { pieces: Row[] }) => pieces.map(({ name }) => name).join(),
        failed: ({ failing }: Row) => failing,
        notFailed: ({ failing }: Row) => failing,
        plain: () => 'plain',
      },
      Box: {
        __resolveReference: same,
        mixed: ({ things }: { things: Row[] }) => things.map(({ size }) => size).join(),
        metres: ({ things }: { things: Row[] }) => things.map(({ size }) => size).join(),
      },
    },
  },
  labels: {
    sdl: `
      type Plank @key(fields: "id") {
        id: ID! length(in: String = "M"): Float @external depths(unit: String): String @external
        label: String @requires(fields: "length(in: \\"CM\\") depths(unit: \\"Millimetres\\")")
        shortLabel: String @requires(fields: "length(in: \\"M\\") depths(unit: \\"M\\")")
      }`,
    resolvers: {
      Plank: {
        __resolveReference: same,
        label: ({ length, depths }: Row) => `${length} / ${depths}`,
        shortLabel: ({ length, depths }: Row) => `${length} ~ ${depths}`,
      },
    },
  },
}

const CASES: readonly { readonly why: string; readonly query: string; readonly variables?: Row; readonly data: Row }[] = [
  {
    why: 'three argument sets of one field, one of them its default',
    query: '{ planks { inMillimetres inCentimetres inMetres plain } }',
    data: {
      planks: [
        { inMillimetres: '2000 mm', inCentimetres: '200 cm', inMetres: '2 m', plain: 'plain' },
        { inMillimetres: '3000 mm', inCentimetres: '300 cm', inMetres: '3 m', plain: 'plain' },
      ],
    },
  },
  {
    why: "arguments of the client, in variables, under the field's own key",
    query:
      'query ($unit: String, $short: Boolean) { plank { length(in: $unit) inCentimetres title(short: $short) inMillimetres both initial } }',
    variables: { unit: 'CM', short: true },
    data: {
      plank: {
        length: 200,
        inCentimetres: '200 cm',
        title: 'p',
        inMillimetres: '2000 mm',
        both: 'title of p1, 200 cm',
        initial: 'p, 2000 mm',
      },
    },
  },
  {
    why: 'aliases of the client with the names of variants',
    query: '{ plank { length_variant1: title length_variant2: length(in: "CM") length: id inMillimetres inCentimetres } }',
    data: {
      plank: {
        length_variant1: 'title of p1',
        length_variant2: 200,
        length: 'p1',
        inMillimetres: '2000 mm',
        inCentimetres: '200 cm',
      },
    },
  },
  {
    why: 'nested objects in lists',
    query: '{ planks { depths depthsInMetres store { shelves { depth(in: "CM") } } } }',
    data: {
      planks: [
        { depths: '2000+20000 mm', depthsInMetres: '2+20 m', store: { shelves: [{ depth: 200 }, { depth: 2000 }] } },
        { depths: '3000+30000 mm', depthsInMetres: '3+30 m', store: { shelves: [{ depth: 300 }, { depth: 3000 }] } },
      ],
    },
  },
  {
    why: 'lists with arguments, whose items another subgraph completes',
    query: '{ plank { twoPieces onePiece pieces(first: 3) { name } } }',
    data: {
      plank: {
        twoPieces: 'piece p1a,piece p1b',
        onePiece: 'p1a piece p1a',
        pieces: [{ name: 'piece p1a' }, { name: 'piece p1b' }, { name: 'piece p1c' }],
      },
    },
  },
  {
    why: 'required fields that require fields with arguments themselves, in a third subgraph',
    query: '{ plank { label shortLabel depths inMillimetres } }',
    data: {
      plank: {
        label: '200 / 2000+20000 Millimetres',
        shortLabel: '2 ~ 2000+20000 M',
        depths: '2000+20000 mm',
        inMillimetres: '2000 mm',
      },
    },
  },
  {
    why: 'types of an interface with different arguments, beside the field of the interface',
    query: '{ box { mixed metres things { size(in: "MM") __typename } } }',
    data: {
      box: {
        mixed: '4000,500',
        metres: '4,5',
        things: [
          { size: 4000, __typename: 'Cup' },
          { size: 5000, __typename: 'Pen' },
        ],
      },
    },
  },
  {
    why: 'named fragments of the client, with conditions',
    query: `query ($no: Boolean = false, $unit: String) { plank { ...metric ...more @include(if: $no) ... on Plank @skip(if: $no) { inMetres depths(unit: $unit) } } }
      fragment metric on Plank { inMillimetres inCentimetres __typename } fragment more on Plank { both initial }`,
    variables: { unit: 'thousandths' },
    data: {
      plank: {
        inMillimetres: '2000 mm',
        inCentimetres: '200 cm',
        __typename: 'Plank',
        inMetres: '2 m',
        depths: '2000+20000 thousandths',
      },
    },
  },
  {
    why: 'what a condition leaves out, which is not required of the rest',
    query:
      'query ($yes: Boolean = true) { plank { plain inMetres ... @skip(if: $yes) { both } ... @include(if: $yes) { depths } } }',
    data: { plank: { plain: 'plain', inMetres: '2 m', depths: '2000+20000 mm' } },
  },
  {
    why: 'mutations',
    query: 'mutation { cut { inMillimetres inCentimetres } }',
    data: { cut: { inMillimetres: '3000 mm', inCentimetres: '300 cm' } },
  },
]

describe.each(['local', 'http'] as const)('fields that require one field with different arguments are right, %s', (where) => {
  let graph: PartsGateway
  let close = async () => {}
  beforeAll(async () => {
    graph = await gatewayOf(PARTS, where, {}, (closing) => {
      close = closing
    })
  })
  afterAll(() => close())

  test.each(CASES)('$why', async ({ query, variables, data }) => {
    const answer = await ask(graph.gateway, query, variables)
    expect(JSON.stringify(answer)).toBe(JSON.stringify({ data }))
  })

  test('equal arguments cost one fetch, different ones two of one subgraph, which are one request over HTTP', async () => {
    graph.fetches.length = 0
    await ask(graph.gateway, '{ plank { inCentimetres both plain } }')
    expect(graph.fetches).toEqual(['yard', 'rules'])
    graph.fetches.length = 0
    await ask(graph.gateway, '{ plank { inCentimetres both plain initial } }')
    expect(graph.fetches).toEqual(where === 'http' ? ['yard', 'rules'] : ['yard', 'rules', 'rules'])
  })

  test('an error of one of them has the path and the name that clients know', async () => {
    expect(await ask(graph.gateway, '{ broken { failed notFailed } }')).toMatchObject({
      data: { broken: { failed: null, notFailed: 7 } },
      errors: [{ path: ['broken', 'failing'] }],
    })
  })
})

test('one field that requires both is refused, because one of them would be sent for the other', async () => {
  const supergraphSdl = supergraphOf(PARTS).replace(
    'requires: "length(in: \\"MM\\")"',
    'requires: "length(in: \\"MM\\") ... on Plank { length(in: \\"CM\\") }"',
  )
  const { gateway } = await gatewayOf(PARTS, 'local', { supergraphSdl })
  expect(await ask(gateway, 'mutation { cut { plain inMillimetres } }')).toEqual({
    data: null,
    errors: [
      {
        message: 'length is required with different arguments: select the fields that need it in two operations.',
        extensions: { code: 'UNRESOLVABLE_OPERATION' },
      },
    ],
  })
  expect(await ask(gateway, '{ plank { inCentimetres inMetres } }')).toEqual({
    data: { plank: { inCentimetres: '200 cm', inMetres: '2 m' } },
  })
})

test('clients see no field of a variant', async () => {
  const { gateway } = await gatewayOf(PARTS, 'local')
  expect(await ask(gateway, '{ __type(name: "Plank") { fields { name } } }')).toMatchObject({
    data: { __type: { fields: expect.not.arrayContaining([{ name: expect.stringMatching(/variant/) }]) } },
  })
  expect(await ask(gateway, '{ plank { length_variant1 } }')).toMatchObject({
    errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
  })
})

test('contextual arguments are read with the arguments of their selection', async () => {
  const { gateway } = await gatewayOf(
    {
      people: {
        sdl: `
          type Query { people: [Person!]! }
          type Person @key(fields: "id") @context(name: "reader") { id: ID! locale(long: Boolean!): String letter: Letter! }
          type Letter @key(fields: "id") {
            id: ID!
            greeting(in: String @fromContext(field: "$reader { locale(long: true) }")): String
            stamp(of: String @fromContext(field: "$reader { locale(long: false) }")): String
          }`,
        resolvers: {
          Query: { people: () => [{ id: 'de' }, { id: 'fr' }] },
          Person: {
            __resolveReference: same,
            locale: ({ id }: Row, { long }: Row) => (long ? `${id}-long` : id),
            letter: () => ({ id: 'l1' }),
          },
          Letter: {
            __resolveReference: same,
            greeting: (_: Row, { in: locale }: Row) => `greeting in ${locale}`,
            stamp: (_: Row, { of }: Row) => `stamp of ${of}`,
          },
        },
      },
      other: { sdl: 'type Letter @key(fields: "id") { id: ID! pages: Int }', resolvers: { Letter: { pages: () => 2 } } },
    },
    'http',
  )
  expect(await ask(gateway, '{ people { locale(long: false) letter { greeting stamp pages } } }')).toEqual({
    data: {
      people: [
        { locale: 'de', letter: { greeting: 'greeting in de-long', stamp: 'stamp of de', pages: 2 } },
        { locale: 'fr', letter: { greeting: 'greeting in fr-long', stamp: 'stamp of fr', pages: 2 } },
      ],
    },
  })
})
