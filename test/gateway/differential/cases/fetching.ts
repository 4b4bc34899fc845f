import type { Table } from '../small-graph.ts'

type Ref = { readonly id: string }

const PRODUCTS = [
  { id: '1', upc: 'u1', sku: 's1', pack: 1, name: 'Table', weight: 0, price: 100, size: { w: 2, h: 3 }, tags: ['a', 'b'] },
  { id: '2', upc: 'u2', sku: 's2', pack: 2, name: 'Chair', weight: 7, price: null, size: null, tags: [] },
  { id: '3', upc: 'u3', sku: null, pack: 3, name: '', weight: 1, price: 0, size: { w: 0, h: 0 }, tags: [null] },
]
const known = (one: Partial<(typeof PRODUCTS)[number]>) =>
  PRODUCTS.find(({ id, upc }) => (one.id !== undefined ? id === one.id : upc === one.upc)) ?? null

/** @requires of leaves, objects, lists and of what another subgraph computes itself. */
const shop: Table = {
  graph: 'shop',
  subgraphs: {
    catalog: {
      sdl: `
        type Query { products: [Product!]! product(id: ID!): Product boxes: [Box!]! }
        type Product @key(fields: "id") { id: ID! name: String! weight: Int price: Int size: Size tags: [String] parts: [Part!]! kind: Kind }
        type Size @shareable { w: Int h: Int }
        type Part { code: ID! of: Product }
        union Kind = Wood | Metal
        type Wood @shareable { tree: String }
        type Metal @shareable { alloy: String }
        type Box { content: [Product] }
      `,
      resolvers: {
        Query: {
          products: () => PRODUCTS,
          product: (_: unknown, { id }: Ref) => known({ id }),
          boxes: () => [{ content: [PRODUCTS[0], null, PRODUCTS[1]] }, { content: null }, { content: [] }],
        },
        Product: {
          __resolveReference: known,
          parts: ({ id }: Ref) =>
            id === '1'
              ? [
                  { code: 'p1', of: PRODUCTS[1] },
                  { code: 'p2', of: null },
                ]
              : [],
          kind: ({ id }: Ref) =>
            id === '1' ? { __typename: 'Wood', tree: 'oak' } : id === '2' ? { __typename: 'Metal', alloy: 'brass' } : null,
        },
      },
    },
    shipping: {
      sdl: `
        type Product @key(fields: "id") {
          id: ID! weight: Int @external price: Int @external size: Size @external tags: [String] @external parts: [Part!]! @external kind: Kind @external tax: Float @external
          fee: String @requires(fields: "weight price")
          volume: Int @requires(fields: "size { w h }")
          label: String! @requires(fields: "tags")
          bill: String @requires(fields: "parts { code of { id } }")
          warn: String @requires(fields: "kind { ... on Wood { tree } ... on Metal { alloy } }")
          total: String @requires(fields: "tax")
          days: Int
        }
        type Size @shareable { w: Int h: Int }
        type Part { code: ID! @external of: Product @external }
        union Kind = Wood | Metal
        type Wood @shareable { tree: String }
        type Metal @shareable { alloy: String }
      `,
      resolvers: {
        Product: {
          fee: ({ weight, price }: { weight?: number; price?: number }) => JSON.stringify({ weight, price }),
          volume: ({ size }: { size?: { w: number; h: number } | null }) => (size ? size.w * size.h : null),
          label: ({ tags }: { tags?: string[] }) => JSON.stringify(tags),
          bill: ({ parts }: { parts?: object }) => JSON.stringify(parts),
          warn: ({ kind }: { kind?: object }) => JSON.stringify(kind),
          total: ({ tax }: { tax?: number }) => `tax ${tax}`,
          days: () => 3,
        },
      },
    },
    taxes: {
      sdl: `
        type Product @key(fields: "id") { id: ID! price: Int @external tax: Float @requires(fields: "price") rate(of: Float! = 0.5): Float }
      `,
      resolvers: {
        Product: {
          tax: ({ price }: { price?: number | null }) => (typeof price === 'number' ? price / 10 : null),
          rate: (_: unknown, { of }: { of: number }) => of,
        },
      },
    },
  },
  cases: [
    { name: 'two required leaves, falsy and null', query: '{ products { fee } }' },
    { name: 'a required object', query: '{ products { volume size { w } } }' },
    { name: 'a required list', query: '{ products { label } }' },
    { name: 'a required list of objects with entities', query: '{ products { bill } }' },
    { name: 'a required union', query: '{ products { warn kind { ... on Metal { alloy } } } }' },
    {
      name: 'what is required requires too',
      query: '{ products { total } }',
      data: { products: [{ total: 'tax 10' }, { total: 'tax null' }, { total: 'tax 0' }] },
    },
    { name: 'required and asked under another name', query: '{ products { fee w: weight price: name weight: days } }' },
    {
      name: 'a field that is left out requires what no other does',
      query: 'query ($no: Boolean!) { products { label volume @skip(if: $no) } }',
      variables: { no: true },
      data: { products: [{ label: '["a","b"]' }, { label: '[]' }, { label: '[null]' }] },
    },
    { name: 'required inside lists with null', query: '{ boxes { content { name fee total days } } }' },
    {
      name: 'everything at once',
      query: 'query ($id: ID!) { product(id: $id) { fee volume label bill warn total days rate tax name parts { of { fee } } } }',
      variables: { id: '1' },
    },
    {
      name: 'a default that cannot be null',
      query: 'query ($r: Float = 1, $s: Float! = 2) { products { rate a: rate(of: $r) b: rate(of: $s) c: rate(of: 0) } }',
      variables: {},
    },
    {
      name: 'entities inside plain types inside entities',
      query: '{ products { parts { code of { name fee parts { code } } } } }',
    },
  ],
}

/** Several keys: the one that a subgraph has is not the one that the next one wants. */
const keys: Table = {
  graph: 'keys',
  subgraphs: {
    byId: {
      sdl: `
        type Query { a: [Product!]! orgs: [Org] }
        type Product @key(fields: "id") { id: ID! name: String }
        type Org @key(fields: "id") @key(fields: "name country { code }") { id: ID! name: String! country: Country! }
        type Country @shareable { code: String! }
      `,
      resolvers: {
        Query: {
          a: () => PRODUCTS,
          orgs: () => [
            { id: 'o1', name: 'One', country: { code: 'ch' } },
            null,
            { id: 'o2', name: 'Two', country: { code: '' } },
          ],
        },
        Product: { __resolveReference: known },
      },
    },
    both: {
      sdl: 'type Product @key(fields: "id") @key(fields: "upc") { id: ID! upc: ID! }',
      resolvers: { Product: { __resolveReference: known } },
    },
    byUpc: {
      sdl: `
        type Query { u: Product }
        type Product @key(fields: "upc") { upc: ID! stock: Int pack: Pack maker: Org }
        type Pack { sku: String count: Int! }
        type Org @key(fields: "name country { code }") { name: String! country: Country! staff: Int size: String }
        type Country @shareable { code: String! }
      `,
      resolvers: {
        Query: { u: () => ({ upc: 'u3' }) },
        Product: {
          stock: ({ upc }: { upc: string }) => known({ upc })?.weight,
          pack: ({ upc }: { upc: string }) => ({ sku: known({ upc })?.sku, count: known({ upc })?.pack }),
          maker: ({ upc }: { upc: string }) => (upc === 'u1' ? { name: 'One', country: { code: 'ch' } } : null),
        },
        Org: {
          staff: () => 0,
          size: ({ name, country }: { name: string; country: { code: string } }) => `${name}/${country.code}`,
        },
      },
    },
    nowhere: {
      sdl: 'type Product @key(fields: "id", resolvable: false) { id: ID! } type Query { stub: Product }',
      resolvers: { Query: { stub: () => ({ id: '2' }) } },
    },
  },
  cases: [
    {
      name: 'by way of a third subgraph',
      query: '{ a { name stock } }',
      data: {
        a: [
          { name: 'Table', stock: 0 },
          { name: 'Chair', stock: 7 },
          { name: '', stock: 1 },
        ],
      },
    },
    { name: 'the other way', query: '{ u { name stock pack { sku count } } }' },
    { name: 'a key of several fields', query: '{ orgs { staff size name } }' },
    { name: 'a key of several fields, far away', query: '{ a { maker { id staff country { code } } } }' },
    { name: 'a stub whose key resolves elsewhere', query: '{ stub { id name stock pack { count } } }' },
  ],
}

/** A key without a text of its own. */
const tagged: Table = {
  graph: 'tagged',
  subgraphs: {
    byTags: {
      sdl: `
        type Query { tagged: [Tagged!]! }
        type Tagged @key(fields: "tags { name }") { tags: [Tag!]! own: String }
        type Tag @shareable { name: String! }
      `,
      resolvers: {
        Query: {
          tagged: () => [
            { tags: [{ name: 'a' }, { name: '' }], own: 'own' },
            { tags: [], own: null },
          ],
        },
      },
    },
    alsoByTags: {
      sdl: `
        type Tagged @key(fields: "tags { name }") { tags: [Tag!]! there: String }
        type Tag @shareable { name: String! }
      `,
      resolvers: { Tagged: { there: ({ tags }: { tags?: object }) => JSON.stringify(tags) } },
    },
  },
  cases: [
    {
      name: 'a key that is a list of objects',
      query: '{ tagged { own there } }',
      data: {
        tagged: [
          { own: 'own', there: '[{"name":"a"},{"name":""}]' },
          { own: null, there: '[]' },
        ],
      },
    },
  ],
}

/** Fields that several subgraphs have: shared, provided, taken over, taken over in part. */
const owners: Table = {
  graph: 'owners',
  subgraphs: {
    old: {
      sdl: `
        type Query { things: [Thing!]! where: Place @shareable }
        type Thing @key(fields: "id") { id: ID! moved: String moving: String kept: String @shareable place: Place @shareable size: Int! @shareable }
        type Place @shareable { x: Int y: Int old: String }
      `,
      resolvers: {
        Query: { things: () => [{ id: '1' }, { id: '2' }], where: () => ({ x: 1, y: 0, old: 'old' }) },
        Thing: {
          moved: () => 'from old',
          moving: () => 'still old',
          kept: ({ id }: Ref) => (id === '2' ? null : 'kept'),
          place: () => ({ x: 1, y: 0, old: 'o' }),
          size: () => 1,
        },
      },
    },
    fresh: {
      sdl: `
        type Query { fresh: [Thing] where: Place @shareable quick: [Link!]! @provides(fields: "target { kept }") slow: [Link!]! }
        type Thing @key(fields: "id") {
          id: ID! moved: String @override(from: "old") moving: String @override(from: "old", label: "percent(0)") kept: String @external
          place: Place @shareable size: Int! @shareable extra: Int
        }
        type Place @shareable { x: Int y: Int z: Int }
        type Link { target: Thing! note: String }
      `,
      resolvers: {
        Query: {
          fresh: () => [{ id: '2' }, null],
          where: () => ({ x: 1, y: 0, z: 9 }),
          quick: () => [{ target: { id: '1', kept: 'kept' }, note: null }],
          slow: () => [{ target: { id: '2' }, note: 'n' }],
        },
        Thing: {
          moved: () => 'from fresh',
          moving: () => 'too early',
          place: () => ({ x: 1, y: 0, z: 2 }),
          size: () => 1,
          extra: ({ id }: Ref) => (id === '1' ? 0 : null),
        },
      },
    },
  },
  cases: [
    {
      name: 'a field that moved',
      query: '{ things { id moved } fresh { moved } }',
      data: {
        things: [
          { id: '1', moved: 'from fresh' },
          { id: '2', moved: 'from fresh' },
        ],
        fresh: [{ moved: 'from fresh' }, null],
      },
    },
    {
      name: 'a field that is about to move',
      query: '{ things { moving } fresh { moving extra } }',
      data: { things: [{ moving: 'still old' }, { moving: 'still old' }], fresh: [{ moving: 'still old', extra: null }, null] },
    },
    { name: 'provided or fetched', query: '{ quick { target { kept } } slow { target { kept moved } note } }' },
    {
      name: 'shared values with parts from both',
      query: '{ things { place { x y z old } size } }',
      data: {
        things: [
          { place: { x: 1, y: 0, z: 2, old: 'o' }, size: 1 },
          { place: { x: 1, y: 0, z: 2, old: 'o' }, size: 1 },
        ],
      },
    },
    {
      name: 'shared roots with parts from both',
      query: '{ where { z old y x } }',
      data: { where: { z: 9, old: 'old', y: 0, x: 1 } },
    },
    { name: 'shared roots, twice', query: '{ a: where { x } b: where { z } where { old z } }' },
  ],
}

/**
 * Promises that one subgraph makes and another does not, so that fields have other names on the
 * way.
 */
const renamed: Table = {
  graph: 'renamed',
  subgraphs: {
    one: {
      sdl: `
        type Query { things: [Thing!]! }
        union Thing = Pen | Ink
        type Pen @key(fields: "id") { id: ID! stock: Int! @shareable isNew: Boolean! @shareable name: String! @shareable parts: [Int!]! @shareable cost(in: Int = 1): Float! @shareable to: Spot! @shareable }
        type Ink @key(fields: "id") { id: ID! stock: Int isNew: Boolean name: String parts: [Int] cost(in: Int = 1): Float to: Spot }
        type Spot @shareable { x: Int }
      `,
      resolvers: {
        Query: {
          things: () => [
            { __typename: 'Pen', id: 'p' },
            { __typename: 'Ink', id: 'i' },
            { __typename: 'Ink', id: 'n' },
          ],
        },
        Pen: { stock: () => 0, isNew: () => false, name: () => '', parts: () => [], cost: () => 0, to: () => ({ x: 0 }) },
        Ink: {
          stock: ({ id }: Ref) => (id === 'n' ? null : 0),
          isNew: ({ id }: Ref) => (id === 'n' ? null : false),
          name: ({ id }: Ref) => (id === 'n' ? null : ''),
          parts: ({ id }: Ref) => (id === 'n' ? null : [0, null]),
          cost: (_: unknown, args: { in: number }) => args.in,
          to: ({ id }: Ref) => (id === 'n' ? null : { x: null }),
        },
      },
    },
    two: {
      sdl: `
        type Pen @key(fields: "id") { id: ID! stock: Int @shareable isNew: Boolean @shareable name: String @shareable parts: [Int] @shareable cost(in: Int = 1): Float @shareable to: Spot @shareable }
        type Spot @shareable { x: Int }
      `,
      resolvers: {
        Pen: { stock: () => 0, isNew: () => false, name: () => '', parts: () => [], cost: () => 0, to: () => ({ x: 0 }) },
      },
    },
  },
  cases: [
    {
      name: 'values that are not null but look so',
      query: '{ things { ... on Pen { stock isNew name parts } ... on Ink { stock isNew name parts } } }',
      data: {
        things: [
          { stock: 0, isNew: false, name: '', parts: [] },
          { stock: 0, isNew: false, name: '', parts: [0, null] },
          { stock: null, isNew: null, name: null, parts: null },
        ],
      },
    },
    {
      name: 'renamed with arguments',
      query: 'query ($n: Int) { things { ... on Ink { c: cost(in: $n) } ... on Pen { c: cost } } }',
      variables: { n: 5 },
    },
    { name: 'renamed objects', query: '{ things { ... on Pen { to { x } } ... on Ink { to { x } } } }' },
    {
      name: 'renamed once more by the client',
      query: '{ things { ... on Ink { s: stock stock: id } ... on Pen { s: stock n: name } } }',
    },
  ],
}

export const fetchingTables: readonly Table[] = [shop, keys, tagged, owners, renamed]
