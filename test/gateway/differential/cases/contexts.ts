import type { Table } from '../small-graph.ts'

type Ref = { readonly id: string }

/** Values of an outer object for arguments of an inner one. */
const contexts: Table = {
  graph: 'contexts',
  isRefusedByOracle: true,
  subgraphs: {
    users: {
      sdl: `
        type Query { users: [User!]! me: User }
        type User @key(fields: "id") @context(name: "user") { id: ID! locale: String account: Account accounts: [[Account]] }
        type Account @key(fields: "id") { id: ID! label(locale: String @fromContext(field: "$user { locale }")): String }
      `,
      resolvers: {
        Query: {
          users: () => [
            { id: '1', locale: 'de' },
            { id: '2', locale: null },
            { id: '3', locale: '' },
          ],
          me: () => ({ id: '1', locale: 'de' }),
        },
        User: {
          __resolveReference: ({ id }: Ref) => ({ id, locale: 'again' }),
          account: ({ id }: Ref) => (id === '2' ? null : { id: `a${id}` }),
          accounts: ({ id }: Ref) => [[{ id: `x${id}` }, null], null],
        },
        Account: {
          __resolveReference: ({ id }: Ref) => ({ id }),
          label: ({ id }: Ref, { locale }: { locale?: string | null }) => `${id} in ${locale}`,
        },
      },
    },
    money: {
      sdl: 'type Account @key(fields: "id") { id: ID! sum: Int }',
      resolvers: { Account: { sum: () => 0 } },
    },
  },
  cases: [
    {
      name: 'an argument from the object around',
      query: '{ me { account { label sum } } }',
      data: { me: { account: { label: 'a1 in de', sum: 0 } } },
    },
    {
      name: 'an argument from each object of a list',
      query: '{ users { account { label } } }',
      data: { users: [{ account: { label: 'a1 in de' } }, { account: null }, { account: { label: 'a3 in ' } }] },
    },
    {
      name: 'an argument for lists of lists',
      query: '{ users { accounts { id label } locale } }',
      data: {
        users: [
          { accounts: [[{ id: 'x1', label: 'x1 in de' }, null], null], locale: 'de' },
          { accounts: [[{ id: 'x2', label: 'x2 in null' }, null], null], locale: null },
          { accounts: [[{ id: 'x3', label: 'x3 in ' }, null], null], locale: '' },
        ],
      },
    },
    {
      name: 'an alias of a client that has the name of the context',
      query: '{ me { locale: id account { label } } }',
      data: { me: { locale: '1', account: { label: 'a1 in de' } } },
    },
    {
      name: 'a variable of a client with the name of the planner for the argument',
      query: 'query ($contextualArgument_1_0: Boolean!) { me { account { label id @include(if: $contextualArgument_1_0) } } }',
      variables: { contextualArgument_1_0: true },
      data: { me: { account: { label: 'a1 in de', id: 'a1' } } },
    },
    {
      name: 'fields with contexts in named fragments and under aliases',
      query: '{ users { ...U } } fragment U on User { account { ...A other: label } } fragment A on Account { label sum }',
      data: {
        users: [
          { account: { label: 'a1 in de', sum: 0, other: 'a1 in de' } },
          { account: null },
          { account: { label: 'a3 in ', sum: 0, other: 'a3 in ' } },
        ],
      },
    },
  ],
}

const SHAPES = [
  { __typename: 'Round', id: 'r', color: 'red', radius: 1 },
  { __typename: 'Square', id: 's', color: 'blue', side: 2 },
  { __typename: 'Round', id: 'r2', color: 'red', radius: 3 },
]
const FRAMES = [
  { id: 'f1', style: { border: 'thick' }, tags: ['a', 'b'] },
  { id: 'f2', style: null, tags: [] },
]

/** Contexts of interfaces and unions, several for one field, nested, and set in another subgraph. */
const drawings: Table = {
  graph: 'drawings',
  isRefusedByOracle: true,
  subgraphs: {
    drawings: {
      sdl: `
        type Query @shareable { frames: [Frame!]! shapes: [Shape!]! either: [Either!]! room: Room }
        type Frame @key(fields: "id") @context(name: "frame") {
          id: ID! style: Style tags: [String!]! shapes: [Shape!]! round: Round! layers: [Layer!]!
        }
        type Style { border: String }
        type Layer @context(name: "layer") { depth: Int! marks: [Mark!]! inner: Frame }
        interface Shape @context(name: "shape") { id: ID! color: String! dot: Dot! }
        type Round implements Shape @key(fields: "id") { id: ID! color: String! dot: Dot! radius: Int! }
        type Square implements Shape @key(fields: "id") { id: ID! color: String! dot: Dot! side: Int! }
        union Either @context(name: "either") = Round | Square
        type Dot @key(fields: "id") {
          id: ID!
          painted(color: String @fromContext(field: "$shape { color }"), loud: Boolean = false): String
          sized(size: Int @fromContext(field: "$either ... on Round { radius } ... on Square { side }")): String
        }
        type Mark @key(fields: "id") {
          id: ID!
          framed(
            border: String @fromContext(field: "$frame { style { border } }")
            tags: [String] @fromContext(field: "$frame { tags }")
          ): String
          deep(
            depth: Int @fromContext(field: "$layer { depth }")
            border: String @fromContext(field: "$frame { style { border } }")
          ): String
        }
        type Room @key(fields: "id") @context(name: "room") { id: ID! light: String! @external lamp: Lamp! }
        type Lamp @key(fields: "id") { id: ID! glow(light: String @fromContext(field: "$room { light }")): String }
      `,
      resolvers: {
        Query: { frames: () => FRAMES, shapes: () => SHAPES, either: () => SHAPES, room: () => ({ id: 'room' }) },
        Frame: {
          __resolveReference: ({ id }: Ref) => FRAMES.find((frame) => frame.id === id),
          shapes: () => SHAPES,
          round: () => SHAPES[0],
          layers: ({ id }: Ref) => [
            { depth: 1, marks: [{ id: 'shared' }, { id: `of ${id}` }], inner: id === 'f1' ? FRAMES[1] : null },
            { depth: 2, marks: [{ id: 'shared' }], inner: null },
          ],
        },
        Round: { __resolveReference: ({ id }: Ref) => SHAPES.find((shape) => shape.id === id), dot: () => ({ id: 'dot' }) },
        Square: { __resolveReference: ({ id }: Ref) => SHAPES.find((shape) => shape.id === id), dot: () => ({ id: 'dot' }) },
        Dot: {
          __resolveReference: ({ id }: Ref) => ({ id }),
          painted: ({ id }: Ref, { color, loud }: { color?: string; loud: boolean }) => `${id} ${color}${loud ? '!' : ''}`,
          sized: ({ id }: Ref, { size }: { size: number }) => `${id} ${size}`,
        },
        Mark: {
          __resolveReference: ({ id }: Ref) => ({ id }),
          deep: ({ id }: Ref, { depth, border }: { depth: number; border: string | null }) => `${id} ${depth} ${border}`,
          framed: ({ id }: Ref, { border, tags }: { border?: string | null; tags?: readonly string[] }) =>
            `${id} ${border} ${tags?.join('+')}`,
        },
        Room: { __resolveReference: ({ id }: Ref) => ({ id }), lamp: () => ({ id: 'lamp' }) },
        Lamp: {
          __resolveReference: ({ id }: Ref) => ({ id }),
          glow: ({ id }: Ref, { light }: { light: string }) => `${id} ${light}`,
        },
      },
    },
    power: {
      sdl: `
        type Room @key(fields: "id") { id: ID! light: String! }
        type Dot @key(fields: "id") { id: ID! weight: Int }
        type Mark @key(fields: "id") { id: ID! weight: Int }
        type Lamp @key(fields: "id") { id: ID! watt: Int }
      `,
      resolvers: { Room: { light: () => 'dim' }, Dot: { weight: () => 7 }, Mark: { weight: () => 7 }, Lamp: { watt: () => 40 } },
    },
  },
  cases: [
    {
      name: 'a context of an interface, for one entity at several places',
      query: '{ shapes { dot { id painted } } }',
      data: {
        shapes: [
          { dot: { id: 'dot', painted: 'dot red' } },
          { dot: { id: 'dot', painted: 'dot blue' } },
          { dot: { id: 'dot', painted: 'dot red' } },
        ],
      },
    },
    {
      name: 'a context of a union, with another field per type',
      query: '{ either { ... on Round { dot { sized } } ... on Square { dot { sized weight } } } }',
      data: { either: [{ dot: { sized: 'dot 1' } }, { dot: { sized: 'dot 2', weight: 7 } }, { dot: { sized: 'dot 3' } }] },
    },
    {
      name: 'a context beside an argument of the client',
      query: 'query ($loud: Boolean) { frames { round { dot { painted(loud: $loud) plain: painted } } } }',
      variables: { loud: true },
      data: {
        frames: [
          { round: { dot: { painted: 'dot red!', plain: 'dot red' } } },
          { round: { dot: { painted: 'dot red!', plain: 'dot red' } } },
        ],
      },
    },
    {
      name: 'a value inside of an object, which may be null, and a list',
      query: '{ frames { layers { marks { framed } } } }',
      data: {
        frames: [
          {
            layers: [
              { marks: [{ framed: 'shared thick a+b' }, { framed: 'of f1 thick a+b' }] },
              { marks: [{ framed: 'shared thick a+b' }] },
            ],
          },
          {
            layers: [{ marks: [{ framed: 'shared null ' }, { framed: 'of f2 null ' }] }, { marks: [{ framed: 'shared null ' }] }],
          },
        ],
      },
    },
    {
      name: 'the nearest of two objects with the same context',
      query: '{ frames { layers { inner { id layers { marks { framed weight } } } } } }',
      data: {
        frames: [
          {
            layers: [
              {
                inner: {
                  id: 'f2',
                  layers: [
                    {
                      marks: [
                        { framed: 'shared null ', weight: 7 },
                        { framed: 'of f2 null ', weight: 7 },
                      ],
                    },
                    { marks: [{ framed: 'shared null ', weight: 7 }] },
                  ],
                },
              },
              { inner: null },
            ],
          },
          { layers: [{ inner: null }, { inner: null }] },
        ],
      },
    },
    {
      name: 'several contexts of one field, of several objects around it, for one entity',
      query: '{ frames { layers { marks { deep framed id } } } }',
      data: {
        frames: [
          {
            layers: [
              {
                marks: [
                  { deep: 'shared 1 thick', framed: 'shared thick a+b', id: 'shared' },
                  { deep: 'of f1 1 thick', framed: 'of f1 thick a+b', id: 'of f1' },
                ],
              },
              { marks: [{ deep: 'shared 2 thick', framed: 'shared thick a+b', id: 'shared' }] },
            ],
          },
          {
            layers: [
              {
                marks: [
                  { deep: 'shared 1 null', framed: 'shared null ', id: 'shared' },
                  { deep: 'of f2 1 null', framed: 'of f2 null ', id: 'of f2' },
                ],
              },
              { marks: [{ deep: 'shared 2 null', framed: 'shared null ', id: 'shared' }] },
            ],
          },
        ],
      },
    },
    {
      name: 'a value that another subgraph resolves',
      query: '{ room { lamp { glow watt } } }',
      data: { room: { lamp: { glow: 'lamp dim', watt: 40 } } },
    },
    {
      name: 'a field with a context that is left out',
      query: 'query ($no: Boolean!) { room { lamp { id glow @include(if: $no) } } }',
      variables: { no: false },
      data: { room: { lamp: { id: 'lamp' } } },
    },
  ],
}

/** Entities that another subgraph repeats at places with different contexts. */
const carts: Table = {
  graph: 'carts',
  isRefusedByOracle: true,
  subgraphs: {
    shop: {
      sdl: `
        type Query { carts: [Cart!]! }
        type Cart @context(name: "cart") { currency: String! owner: Owner! }
        type Owner @key(fields: "id") { id: ID! }
        type Card @key(fields: "id") { id: ID! fee(currency: String @fromContext(field: "$cart { currency }")): String }
      `,
      resolvers: {
        Query: { carts: () => ['EUR', 'USD'].map((currency) => ({ currency, owner: { id: 'ann' } })) },
        Card: { fee: ({ id }: Ref, { currency }: { currency: string }) => `${id} in ${currency}` },
      },
    },
    wallet: {
      sdl: 'type Owner @key(fields: "id") { id: ID! cards: [Card!]! } type Card @key(fields: "id") { id: ID! }',
      resolvers: { Owner: { cards: () => [{ id: 'c1' }, { id: 'c2' }] } },
    },
  },
  cases: [
    {
      name: 'objects that one representation brought to two places',
      query: '{ carts { owner { cards { fee } } } }',
      data: {
        carts: ['EUR', 'USD'].map((currency) => ({
          owner: { cards: [{ fee: `c1 in ${currency}` }, { fee: `c2 in ${currency}` }] },
        })),
      },
    },
  ],
}

export const contextTables: readonly Table[] = [contexts, drawings, carts]
