import { by, type Ref, type Row, same, type Theme } from './theme.ts'

const TREES = [
  { id: 't1', code: 'c1', kind: 'oak', height: 12 },
  { id: 't2', code: 'c2', kind: 'elm', height: 7 },
]

/** How entities are found in other subgraphs. */
export const entityThemes: readonly Theme[] = [
  {
    theme: 'simple-entity-call',
    parts: {
      people: {
        sdl: 'type Query { gardener: Gardener } type Gardener @key(fields: "id") { id: ID! trees: [Tree] } type Tree @key(fields: "code") { code: ID! }',
        resolvers: {
          Query: { gardener: () => ({ id: 'g' }) },
          Gardener: { trees: () => [{ code: 'c2' }, null, { code: 'none' }] },
        },
      },
      trees: {
        sdl: 'type Tree @key(fields: "code") { code: ID! kind: String }',
        resolvers: { Tree: { __resolveReference: by(TREES, 'code') } },
      },
    },
    cases: [{ query: '{ gardener { trees { kind } } }', data: { gardener: { trees: [{ kind: 'elm' }, null, { kind: null }] } } }],
  },
  {
    theme: 'complex-entity-call',
    parts: {
      rows: {
        sdl: `
          type Query { rows: [Plot!]! }
          type Plot @key(fields: "trees { id } spot { x y }") { trees: [Tree!]! spot: Spot! }
          type Spot @shareable { x: Int! y: Int! } type Tree @key(fields: "id") { id: ID! code: ID! }`,
        resolvers: {
          Query: {
            rows: () => [
              { trees: TREES, spot: { x: 1, y: 2 } },
              { trees: [], spot: { x: 0, y: 0 } },
            ],
          },
          Tree: { __resolveReference: by(TREES, 'id') },
        },
      },
      prices: {
        sdl: `
          type Plot @key(fields: "trees { id } spot { x y }") { trees: [Tree!]! spot: Spot! price: Int }
          type Spot @shareable { x: Int! y: Int! } type Tree @key(fields: "id") { id: ID! value: Int }`,
        resolvers: {
          Plot: {
            __resolveReference: same,
            price: ({ trees, spot }: { trees: readonly Ref[]; spot: { x: number; y: number } }) =>
              trees.length * 100 + spot.x * 10 + spot.y,
          },
          Tree: { __resolveReference: same, value: ({ id }: Ref) => Number(id.slice(1)) },
        },
      },
    },
    cases: [
      {
        query: '{ rows { price trees { code value } } }',
        data: {
          rows: [
            {
              price: 212,
              trees: [
                { code: 'c1', value: 1 },
                { code: 'c2', value: 2 },
              ],
            },
            { price: 0, trees: [] },
          ],
        },
      },
    ],
  },
  {
    theme: 'parent-entity-call',
    parts: {
      trees: {
        sdl: 'type Query { trees: [Tree] } type Tree @key(fields: "id") { id: ID! bark: Bark @shareable } type Bark { colour: String @shareable }',
        resolvers: { Query: { trees: () => TREES }, Tree: { bark: ({ id }: Ref) => ({ colour: `colour of ${id}` }) } },
      },
      barks: {
        sdl: 'type Tree @key(fields: "id") { id: ID! bark: Bark @shareable } type Bark { width: Int colour: String @shareable }',
        resolvers: { Tree: { __resolveReference: same, bark: ({ id }: Ref) => ({ width: id.length, colour: 'other' }) } },
      },
    },
    cases: [{ query: '{ trees { bark { width } } }', data: { trees: [{ bark: { width: 2 } }, { bark: { width: 2 } }] } }],
  },
  {
    theme: 'parent-entity-call-complex',
    parts: {
      start: {
        sdl: 'type Query { seed: Tree } type Tree @key(fields: "id") { id: ID! place: Place @shareable } type Place { town: String }',
        resolvers: { Query: { seed: () => TREES[0] }, Tree: { place: () => ({ town: 'Ulm' }) } },
      },
      middle: {
        sdl: 'type Tree @key(fields: "id") { id: ID! place: Place @shareable } type Place { land: Land } type Land @key(fields: "code") { code: ID! }',
        resolvers: { Tree: { __resolveReference: same, place: () => ({ land: { code: 'DE' } }) } },
      },
      end: {
        sdl: 'type Land @key(fields: "code") { code: ID! title: String }',
        resolvers: { Land: { __resolveReference: ({ code }: Row) => ({ code, title: `land ${code}` }) } },
      },
    },
    cases: [
      {
        query: '{ seed { place { town land { title } } } }',
        data: { seed: { place: { town: 'Ulm', land: { title: 'land DE' } } } },
      },
    ],
  },
  {
    theme: 'keys-mashup',
    parts: {
      labels: {
        sdl: `
          type Crate @key(fields: "id") @key(fields: "parts { a b }", resolvable: false) @key(fields: "id parts { b c }", resolvable: false) { id: ID! parts: [Piece!]! label: String! }
          type Piece { a: ID! b: ID! c: ID! }`,
        resolvers: {
          Crate: { __resolveReference: ({ id }: Ref) => ({ id, parts: [{ a: 'a1', b: 'b1', c: 'c1' }], label: `label ${id}` }) },
        },
      },
      shelves: {
        sdl: `
          type Query { shelf: Shelf }
          type Shelf { crates: [Crate!]! }
          type Crate @key(fields: "parts { a b }", resolvable: false) @key(fields: "id parts { b c }") { id: ID! parts: [Piece!]! label: String! @external tag: String! @requires(fields: "label") }
          type Piece { a: ID! b: ID! c: ID! }`,
        resolvers: {
          Query: { shelf: () => ({ crates: [{ id: '1', parts: [{ a: 'a1', b: 'b1', c: 'c1' }] }] }) },
          Crate: { __resolveReference: same, tag: ({ label }: Row) => `tag of ${label}` },
        },
      },
    },
    cases: [{ query: '{ shelf { crates { id tag } } }', data: { shelf: { crates: [{ id: '1', tag: 'tag of label 1' }] } } }],
  },
  {
    theme: 'null-keys',
    parts: {
      finds: {
        sdl: 'type Query { finds: [Find!]! } type Find { tree: Tree! } type Tree @key(fields: "code") { code: ID }',
        resolvers: { Query: { finds: () => [{ tree: { code: 'c1' } }, { tree: { code: null } }, { tree: { code: 'c2' } }] } },
      },
      codes: {
        sdl: 'type Tree @key(fields: "code") @key(fields: "id") { code: ID id: ID }',
        resolvers: { Tree: { __resolveReference: ({ code }: Row) => by(TREES, 'code')({ code }) } },
      },
      kinds: {
        sdl: 'type Tree @key(fields: "id") { id: ID kind: String }',
        resolvers: { Tree: { __resolveReference: ({ id }: Row) => (id === 't2' ? null : by(TREES, 'id')({ id })) } },
      },
    },
    cases: [
      {
        query: '{ finds { tree { code kind } } }',
        data: {
          finds: [
            { tree: { code: 'c1', kind: 'oak' } },
            { tree: { code: null, kind: null } },
            { tree: { code: 'c2', kind: null } },
          ],
        },
      },
    ],
  },
  {
    theme: 'entity-and-no-entity',
    parts: {
      plain: {
        sdl: 'type Query { one: Holder } type Holder { tree: Tree } type Tree { id: ID! @shareable kind: String @shareable }',
        resolvers: { Query: { one: () => ({ tree: { id: 't9', kind: 'plain' } }) } },
      },
      keyed: {
        sdl: 'type Query { other: Tree } type Tree @key(fields: "id") { id: ID! kind: String @shareable }',
        resolvers: { Query: { other: () => TREES[0] }, Tree: { __resolveReference: by(TREES, 'id') } },
      },
      heights: {
        sdl: 'type Tree @key(fields: "id", resolvable: false) { id: ID! } type Query { third: Tree }',
        resolvers: { Query: { third: () => ({ id: 't2' }) } },
      },
    },
    cases: [
      {
        query: '{ one { tree { kind } } other { id kind } third { id kind } }',
        data: { one: { tree: { kind: 'plain' } }, other: { id: 't1', kind: 'oak' }, third: { id: 't2', kind: 'elm' } },
      },
    ],
  },
  {
    theme: 'corrupted-supergraph-node-id',
    parts: {
      accounts: {
        sdl: `
          type Query { node(id: ID!): Node account(id: String!): Account }
          interface Node { id: ID! }
          type Account implements Node @key(fields: "id") { id: ID! username: String! chats: [Chat!]! }
          type Chat implements Node @key(fields: "id") { id: ID! account: Account! }`,
        resolvers: {
          Query: {
            node: (_: unknown, { id }: Ref) => (id[0] === 'a' ? { __typename: 'Account', id } : { __typename: 'Chat', id }),
            account: (_: unknown, { id }: Ref) => ({ id }),
          },
          Account: { __resolveReference: same, username: ({ id }: Ref) => `user ${id}`, chats: () => [{ id: 'c1' }] },
          Chat: { __resolveReference: same, account: () => ({ id: 'a1' }) },
        },
      },
      chats: {
        sdl: `
          type Query { chat(id: String!): Chat }
          interface Node { id: ID! }
          type Account implements Node @key(fields: "id") { id: ID! }
          type Chat implements Node @key(fields: "id") { id: ID! text: String! }`,
        resolvers: {
          Query: { chat: (_: unknown, { id }: Ref) => ({ id }) },
          Account: { __resolveReference: same },
          Chat: { __resolveReference: same, text: ({ id }: Ref) => `text ${id}` },
        },
      },
    },
    cases: [
      {
        query: '{ node(id: "a1") { id __typename ... on Account { username chats { id text } } } }',
        data: { node: { id: 'a1', __typename: 'Account', username: 'user a1', chats: [{ id: 'c1', text: 'text c1' }] } },
      },
      {
        query: '{ node(id: "c1") { ... on Chat { id text account { id username } } } chat(id: "c2") { id text } }',
        data: {
          node: { id: 'c1', text: 'text c1', account: { id: 'a1', username: 'user a1' } },
          chat: { id: 'c2', text: 'text c2' },
        },
      },
    ],
  },
  {
    theme: 'node',
    parts: {
      ids: {
        sdl: 'type Query { node(id: ID!): Node tree: Tree } interface Node { id: ID! } type Tree implements Node @key(fields: "id") { id: ID! }',
        resolvers: { Query: { node: (_: unknown, { id }: Ref) => ({ __typename: 'Tree', id }), tree: () => ({ id: 't1' }) } },
      },
      kinds: {
        sdl: 'interface Node { id: ID! } type Tree implements Node @key(fields: "id") { id: ID! kind: String }',
        resolvers: { Tree: { __resolveReference: by(TREES, 'id') } },
      },
    },
    cases: [
      {
        query: '{ node(id: "t2") { id ... on Tree { kind } } tree { kind } }',
        data: { node: { id: 't2', kind: 'elm' }, tree: { kind: 'oak' } },
      },
    ],
  },
  {
    theme: 'child-type-mismatch',
    parts: {
      people: {
        sdl: 'type Query { friend: Person people: [Account!]! } union Account = Person | Robot type Person @key(fields: "id") { id: ID @shareable name: String } type Robot @key(fields: "id") { id: ID! @shareable fans: [Person!] }',
        resolvers: {
          Query: {
            friend: () => ({ id: 'p1' }),
            people: () => [
              { __typename: 'Person', id: 'p1' },
              { __typename: 'Robot', id: 'r1', fans: [{ id: 'p1' }] },
            ],
          },
          Person: { __resolveReference: same, name: ({ id }: Ref) => `name ${id}` },
        },
      },
      similar: {
        sdl: 'type Query { similar: [Account!]! } union Account = Person | Robot type Person @key(fields: "id") { id: ID @shareable similar: [Account!] } type Robot @key(fields: "id") { id: ID! @shareable }',
        resolvers: {
          Query: { similar: () => [{ __typename: 'Robot', id: 'r2' }] },
          Person: { __resolveReference: same, similar: () => [{ __typename: 'Person', id: 'p2' }] },
        },
      },
    },
    cases: [
      {
        query:
          '{ people { __typename ... on Person { id name similar { ... on Person { id name } } } ... on Robot { serial: id fans { name } } } }',
        data: {
          people: [
            { __typename: 'Person', id: 'p1', name: 'name p1', similar: [{ id: 'p2', name: 'name p2' }] },
            { __typename: 'Robot', serial: 'r1', fans: [{ name: 'name p1' }] },
          ],
        },
      },
    ],
  },
  {
    theme: 'mutations',
    parts: {
      write: {
        sdl: 'type Query { stock: Int } type Mutation { add(by: Int!): Tree multiply(by: Int!): Int @shareable } type Tree @key(fields: "id") { id: ID! }',
        resolvers: counters(),
      },
      read: {
        sdl: 'type Query { kind: String } type Mutation { note(text: String!): Note } type Note { text: String! } type Tree @key(fields: "id") { id: ID! kind: String height: Int }',
        resolvers: {
          Query: { kind: () => 'x' },
          Mutation: { note: (_: unknown, { text }: Row) => ({ text }) },
          Tree: { __resolveReference: by(TREES, 'id') },
        },
      },
    },
    cases: [
      {
        query:
          'mutation { reset: multiply(by: 0) one: add(by: 2) { kind } five: multiply(by: 5) note(text: "n") { text } six: add(by: 1) { height } all: multiply(by: 1) }',
        data: { reset: 0, one: { kind: 'oak' }, five: 10, note: { text: 'n' }, six: { height: 12 }, all: 11 },
      },
    ],
  },
  {
    theme: 'shared-root',
    parts: {
      a: {
        sdl: 'type Query { tree: Tree @shareable trees: [Tree] @shareable } type Tree { id: ID! @shareable kind: Kind @shareable } type Kind { id: ID! @shareable latin: String }',
        resolvers: {
          Query: {
            tree: () => ({ id: 't', kind: { id: 'k', latin: 'quercus' } }),
            trees: () => [{ id: 't', kind: { id: 'k', latin: 'quercus' } }],
          },
        },
      },
      b: {
        sdl: 'type Query { tree: Tree @shareable trees: [Tree] @shareable } type Tree { id: ID! @shareable kind: Kind @shareable price: Int } type Kind { id: ID! @shareable english: String }',
        resolvers: {
          Query: {
            tree: () => ({ id: 't', kind: { id: 'k', english: 'oak' }, price: 3 }),
            trees: () => [{ id: 't', kind: { id: 'k', english: 'oak' }, price: 3 }],
          },
        },
      },
      c: {
        sdl: 'type Query { tree: Tree @shareable trees: [Tree] @shareable } type Tree { id: ID! @shareable height: Int }',
        resolvers: { Query: { tree: () => ({ id: 't', height: 9 }), trees: () => [{ id: 't', height: 9 }] } },
      },
    },
    cases: [
      {
        query: '{ tree { id kind { id latin english } price height } }',
        data: { tree: { id: 't', kind: { id: 'k', latin: 'quercus', english: 'oak' }, price: 3, height: 9 } },
      },
      {
        query: '{ trees { height kind { english latin } price } }',
        data: { trees: [{ height: 9, kind: { english: 'oak', latin: 'quercus' }, price: 3 }] },
      },
    ],
  },
]

function counters() {
  let sum = 0
  return {
    Query: { stock: () => sum },
    Mutation: {
      add: (_: unknown, { by: more }: { by: number }) => {
        sum += more
        return { id: 't1' }
      },
      multiply: (_: unknown, { by: factor }: { by: number }) => {
        sum *= factor
        return sum
      },
    },
  }
}
