import { by, type Ref, type Row, same, type Theme } from './theme.ts'

const ITEMS = [
  { __typename: 'Book', id: 'b1', title: 'Dune', pages: 600 },
  { __typename: 'Film', id: 'f1', title: 'Alien', minutes: 117 },
]
const item = by(ITEMS, 'id')
const resolving = (...types: readonly string[]) => Object.fromEntries(types.map((type) => [type, { __resolveReference: item }]))

/** Interfaces, unions, interface objects, and type names. */
export const abstractThemes: readonly Theme[] = [
  {
    theme: 'abstract-types',
    parts: {
      shop: {
        sdl: 'type Query { items: [Item!]! similar(id: ID!): [Item!]! } interface Item { id: ID! } type Book implements Item @key(fields: "id") { id: ID! } type Film implements Item @key(fields: "id") { id: ID! }',
        resolvers: { Query: { items: () => ITEMS, similar: () => ITEMS } },
      },
      books: {
        sdl: 'type Book @key(fields: "id") { id: ID! title: String @shareable pages: Int maker: Maker } union Maker = Writer | Studio type Writer @key(fields: "id") { id: ID! } type Studio @key(fields: "id") { id: ID! }',
        resolvers: { Book: { __resolveReference: item, maker: () => ({ __typename: 'Writer', id: 'w1' }) } },
      },
      films: {
        sdl: 'type Film @key(fields: "id") { id: ID! title: String @shareable minutes: Int maker: Maker } union Maker = Writer | Studio type Writer @key(fields: "id") { id: ID! } type Studio @key(fields: "id") { id: ID! town: String }',
        resolvers: {
          Film: { __resolveReference: item, maker: () => ({ __typename: 'Studio', id: 's1' }) },
          Studio: { __resolveReference: same, town: () => 'Rome' },
        },
      },
      names: {
        sdl: 'type Writer @key(fields: "id") { id: ID! name: String } type Studio @key(fields: "id") { id: ID! name: String } interface Item { id: ID! stars: Int } type Book implements Item @key(fields: "id") { id: ID! stars: Int } type Film implements Item @key(fields: "id") { id: ID! stars: Int }',
        resolvers: {
          Writer: { __resolveReference: same, name: () => 'Frank' },
          Studio: { __resolveReference: same, name: () => 'Fox' },
          Book: { __resolveReference: same, stars: () => 5 },
          Film: { __resolveReference: same, stars: () => 4 },
        },
      },
    },
    cases: [
      {
        query:
          '{ items { id stars ... on Book { title pages maker { ...M } } ... on Film { minutes maker { ...M } } } } fragment M on Maker { __typename ... on Writer { name } ... on Studio { name town } }',
        data: {
          items: [
            { id: 'b1', stars: 5, title: 'Dune', pages: 600, maker: { __typename: 'Writer', name: 'Frank' } },
            { id: 'f1', stars: 4, minutes: 117, maker: { __typename: 'Studio', name: 'Fox', town: 'Rome' } },
          ],
        },
      },
      {
        query: '{ similar(id: "b1") { ... on Film { t: title } ... on Item { stars } } }',
        data: { similar: [{ stars: 5 }, { t: 'Alien', stars: 4 }] },
      },
    ],
  },
  {
    theme: 'circular-reference-interface',
    parts: {
      a: {
        sdl: 'type Query { product: Product } interface Product { samePrice: [Product] } type Book implements Product @key(fields: "id") { id: ID! samePrice: [Product] @external }',
        resolvers: { Query: { product: () => ({ __typename: 'Book', id: '1' }) } },
      },
      b: {
        sdl: 'interface Product { samePrice: [Product] } type Book implements Product @key(fields: "id") { id: ID! price: Float samePrice: [Product] }',
        resolvers: {
          Book: {
            __resolveReference: same,
            price: ({ id }: Ref) => Number(id) + 0.5,
            samePrice: ({ id }: Ref) => [{ __typename: 'Book', id: id === '1' ? '2' : '1' }],
          },
        },
      },
    },
    cases: [
      {
        query: '{ product { samePrice { ... on Book { id samePrice { ... on Book { id price } } } } } }',
        data: { product: { samePrice: [{ id: '2', samePrice: [{ id: '1', price: 1.5 }] }] } },
      },
    ],
  },
  {
    theme: 'simple-interface-object',
    parts: {
      accounts: {
        sdl: 'type Query { users: [Account!]! } interface Account @key(fields: "id") { id: ID! } type Admin implements Account @key(fields: "id") { id: ID! rank: Int } type Guest implements Account @key(fields: "id") { id: ID! }',
        resolvers: {
          Query: {
            users: () => [
              { __typename: 'Admin', id: 'a' },
              { __typename: 'Guest', id: 'g' },
            ],
          },
          Account: { __resolveReference: ({ id }: Ref) => ({ __typename: id === 'a' ? 'Admin' : 'Guest', id }) },
          Admin: { __resolveReference: same, rank: () => 1 },
        },
      },
      names: {
        sdl: 'type Query { any: [Account!]! } type Account @interfaceObject @key(fields: "id") { id: ID! name: String active: Boolean }',
        resolvers: {
          Query: { any: () => [{ id: 'a' }, { id: 'g' }] },
          Account: { __resolveReference: same, name: ({ id }: Ref) => `name ${id}`, active: ({ id }: Ref) => id === 'a' },
        },
      },
    },
    cases: [
      {
        query: '{ users { id name ... on Admin { rank active } } }',
        data: {
          users: [
            { id: 'a', name: 'name a', rank: 1, active: true },
            { id: 'g', name: 'name g' },
          ],
        },
      },
      {
        query: '{ any { id name } }',
        data: {
          any: [
            { id: 'a', name: 'name a' },
            { id: 'g', name: 'name g' },
          ],
        },
      },
      {
        query: '{ any { __typename ... on Admin { rank } ... on Guest { id name } } }',
        data: {
          any: [
            { __typename: 'Admin', rank: 1 },
            { __typename: 'Guest', id: 'g', name: 'name g' },
          ],
        },
      },
    ],
  },
  {
    theme: 'interface-object-with-requires',
    parts: {
      a: {
        sdl: 'type Query { nodes: [Node!]! } interface Node @key(fields: "id") { id: ID! field: String } type Leaf implements Node @key(fields: "id") { id: ID! field: String }',
        resolvers: {
          Query: { nodes: () => [{ __typename: 'Leaf', id: 'l', field: 'f' }] },
          Node: { __resolveReference: ({ id }: Ref) => ({ __typename: 'Leaf', id, field: 'f' }) },
          Leaf: { __resolveReference: ({ id }: Ref) => ({ id, field: 'f' }) },
        },
      },
      b: {
        sdl: 'type Query { others: [Node!]! } type Node @interfaceObject @key(fields: "id") { id: ID! field: String @external username: String @requires(fields: "field") }',
        resolvers: {
          Query: { others: () => [{ id: 'l' }] },
          Node: { __resolveReference: same, username: ({ field }: Row) => `user ${field}` },
        },
      },
    },
    cases: [
      { query: '{ nodes { id username } }', data: { nodes: [{ id: 'l', username: 'user f' }] } },
      { query: '{ others { id username field } }', data: { others: [{ id: 'l', username: 'user f', field: 'f' }] } },
      {
        query: '{ others { ... on Leaf { __typename username } } }',
        data: { others: [{ __typename: 'Leaf', username: 'user f' }] },
      },
    ],
  },
  {
    theme: 'non-resolvable-interface-object',
    parts: {
      a: {
        sdl: 'type Query { node: Node plain: Int } interface Node { id: ID! }',
        resolvers: { Query: { node: () => ({ id: 'n' }), plain: () => 1 } },
      },
      b: {
        sdl: 'type Query { known: Node } type Node @key(fields: "id", resolvable: false) @interfaceObject { id: ID! extra: String }',
        resolvers: { Query: { known: () => ({ id: 'n', extra: 'more' }) } },
      },
    },
    cases: [
      { query: '{ known { id extra } plain }', data: { known: { id: 'n', extra: 'more' }, plain: 1 } },
      { query: '{ node { extra } }', data: null, errors: [{ extensions: { code: 'UNRESOLVABLE_OPERATION' } }] },
    ],
  },
  {
    theme: 'interface-object-indirect-extension',
    parts: {
      media: {
        sdl: 'type Query { tracks: [Media!]! } interface Media @key(fields: "id") { id: ID! } type Song implements Media @key(fields: "id") { id: ID! seconds: Int }',
        resolvers: {
          Query: { tracks: () => [{ __typename: 'Song', id: 's' }] },
          Media: { __resolveReference: ({ id }: Ref) => ({ __typename: 'Song', id }) },
          Song: { __resolveReference: same, seconds: () => 200 },
        },
      },
      lists: {
        sdl: 'type Media @interfaceObject @key(fields: "id") { id: ID! list: Playlist } type Playlist @key(fields: "id") { id: ID! }',
        resolvers: { Media: { __resolveReference: same, list: () => ({ id: 'p' }) } },
      },
      authors: {
        sdl: 'type Playlist @key(fields: "id") { id: ID! author: String first: Media } type Media @interfaceObject @key(fields: "id", resolvable: false) { id: ID! }',
        resolvers: { Playlist: { __resolveReference: same, author: () => 'Ann', first: () => ({ id: 's' }) } },
      },
    },
    cases: [
      {
        query: '{ tracks { id list { author first { __typename id ... on Song { seconds } } } } }',
        data: { tracks: [{ id: 's', list: { author: 'Ann', first: { __typename: 'Song', id: 's', seconds: 200 } } }] },
      },
    ],
  },
  {
    theme: 'provides-on-interface',
    parts: {
      a: {
        sdl: 'type Query { media: Media @shareable book: Book @provides(fields: "animals { ... on Dog { name } }") } interface Media { id: ID! } interface Animal { id: ID! } type Book implements Media @key(fields: "id") { id: ID! animals: [Animal] @external } type Dog implements Animal @key(fields: "id") { id: ID! name: String @external } type Cat implements Animal @key(fields: "id") { id: ID! }',
        resolvers: {
          Query: {
            media: () => ({ __typename: 'Book', id: 'm' }),
            book: () => ({
              id: 'm',
              animals: [
                { __typename: 'Dog', id: 'd', name: 'Provided' },
                { __typename: 'Cat', id: 'c' },
              ],
            }),
          },
        },
      },
      b: {
        sdl: 'type Query { media: Media @shareable } interface Media { id: ID! } interface Animal { id: ID! name: String } type Book implements Media @key(fields: "id") { id: ID! animals: [Animal] @shareable } type Dog implements Animal @key(fields: "id") { id: ID! name: String @shareable age: Int } type Cat implements Animal @key(fields: "id") { id: ID! name: String }',
        resolvers: {
          Query: { media: () => ({ __typename: 'Book', id: 'm' }) },
          Book: {
            __resolveReference: same,
            animals: () => [
              { __typename: 'Dog', id: 'd' },
              { __typename: 'Cat', id: 'c' },
            ],
          },
          Dog: { __resolveReference: same, name: () => 'Rex', age: () => 2 },
          Cat: { __resolveReference: same, name: () => 'Tom' },
        },
      },
    },
    cases: [
      {
        query: '{ book { animals { id ... on Dog { name } } } }',
        data: { book: { animals: [{ id: 'd', name: 'Provided' }, { id: 'c' }] } },
      },
      {
        query: '{ media { id ... on Book { animals { id name } } } }',
        data: {
          media: {
            id: 'm',
            animals: [
              { id: 'd', name: 'Rex' },
              { id: 'c', name: 'Tom' },
            ],
          },
        },
      },
    ],
  },
  {
    theme: 'provides-on-union',
    parts: {
      a: {
        sdl: 'type Query { medias: [Media] @provides(fields: "... on Book { title }") } union Media = Book | Film type Book @key(fields: "id") { id: ID! title: String @external } type Film @key(fields: "id") { id: ID! }',
        resolvers: {
          Query: {
            medias: () => [
              { __typename: 'Book', id: 'b1', title: 'Provided' },
              { __typename: 'Film', id: 'f1' },
            ],
          },
        },
      },
      b: {
        sdl: 'type Book @key(fields: "id") { id: ID! title: String @shareable } type Film @key(fields: "id") { id: ID! title: String @shareable }',
        resolvers: resolving('Book', 'Film'),
      },
    },
    cases: [
      {
        query: '{ medias { ... on Book { id title } ... on Film { id title } } }',
        data: {
          medias: [
            { id: 'b1', title: 'Provided' },
            { id: 'f1', title: 'Alien' },
          ],
        },
      },
    ],
  },
  {
    theme: 'union-intersection',
    parts: {
      a: {
        sdl: 'type Query { media: Media @shareable view: Viewer @shareable } union Media = Book type Book { title: String! @shareable } type Viewer { media: Media @shareable a: Int }',
        resolvers: {
          Query: {
            media: () => ({ __typename: 'Book', title: 'Dune' }),
            view: () => ({ a: 1, media: { __typename: 'Book', title: 'Dune' } }),
          },
        },
      },
      b: {
        sdl: 'type Query { media: Media @shareable view: Viewer @shareable viewB: ViewerB } union Media = Book | Film type Book { title: String! @shareable } type Film { title: String! } type Viewer { media: Media @shareable b: Int } type ViewerB { media: Media }',
        resolvers: {
          Query: {
            media: () => ({ __typename: 'Book', title: 'Dune' }),
            view: () => ({ b: 2, media: { __typename: 'Book', title: 'Dune' } }),
            viewB: () => ({ b: 3, media: { __typename: 'Film', title: 'Alien' } }),
          },
        },
      },
    },
    cases: [
      {
        query: '{ media { __typename ... on Book { title } ... on Film { title } } }',
        data: { media: { __typename: 'Book', title: 'Dune' } },
      },
      {
        query:
          '{ view { a b media { ... on Film { title } ... on Book { title } } } viewB { media { __typename ... on Film { title } } } }',
        data: { view: { a: 1, b: 2, media: { title: 'Dune' } }, viewB: { media: { __typename: 'Film', title: 'Alien' } } },
      },
    ],
  },
  {
    theme: 'union-interface-distributed',
    parts: {
      a: {
        sdl: 'type Query { products: [Product] node(id: ID!): Node } union Product = Oven | Toaster interface Node { id: ID! } type Oven @key(fields: "id") { id: ID! } type Toaster implements Node @key(fields: "id") { id: ID! warranty: Int }',
        resolvers: {
          Query: {
            products: () => [
              { __typename: 'Oven', id: 'o' },
              { __typename: 'Toaster', id: 't' },
            ],
            node: (_: unknown, { id }: Ref) => ({ __typename: 'Toaster', id }),
          },
          Oven: { __resolveReference: same },
          Toaster: { __resolveReference: same, warranty: () => 3 },
        },
      },
      b: {
        sdl: 'interface Node { id: ID! } type Oven implements Node @key(fields: "id") { id: ID! warranty: Int } type Toaster @key(fields: "id") { id: ID! slots: Int }',
        resolvers: {
          Oven: { __resolveReference: same, warranty: () => 1 },
          Toaster: { __resolveReference: same, slots: () => 2 },
        },
      },
    },
    cases: [
      {
        query: '{ products { ... on Node { id } ... on Oven { warranty } ... on Toaster { warranty slots } } }',
        data: {
          products: [
            { id: 'o', warranty: 1 },
            { id: 't', warranty: 3, slots: 2 },
          ],
        },
      },
      {
        query: '{ node(id: "t") { __typename id ... on Toaster { slots } ... on Oven { warranty } } }',
        data: { node: { __typename: 'Toaster', id: 't', slots: 2 } },
      },
    ],
  },
  {
    theme: 'partial-union',
    parts: {
      a: {
        sdl: 'type Query { feed: [Entry] @shareable } union Entry = Post | Ad type Post @key(fields: "id") { id: ID! text: String } type Ad { target: String @shareable }',
        resolvers: {
          Query: {
            feed: () => [
              { __typename: 'Post', id: 'p', text: 't' },
              { __typename: 'Ad', target: 'all' },
            ],
          },
          Post: { __resolveReference: same, text: () => 't' },
        },
      },
      b: {
        sdl: 'union Entry = Post type Post @key(fields: "id") { id: ID! related: [Entry] }',
        resolvers: { Post: { __resolveReference: same, related: ({ id }: Ref) => [{ __typename: 'Post', id: `${id}2` }] } },
      },
    },
    cases: [
      {
        query:
          '{ feed { __typename ... on Post { text related { ... on Post { id text } ... on Ad { target } } } ... on Ad { target } } }',
        data: {
          feed: [
            { __typename: 'Post', text: 't', related: [{ id: 'p2', text: 't' }] },
            { __typename: 'Ad', target: 'all' },
          ],
        },
      },
    ],
  },
  {
    theme: 'partial-union-complex',
    parts: {
      a: {
        sdl: 'type Query { page: Page } type Page @key(fields: "id") { id: ID! blocks: [Block!]! @shareable } union Block = Hero | Grid type Hero { title: String! @shareable } type Grid { cells: [Block!]! @shareable }',
        resolvers: {
          Query: { page: () => ({ id: 'pg' }) },
          Page: {
            __resolveReference: same,
            blocks: () => [
              { __typename: 'Hero', title: 'h' },
              { __typename: 'Grid', cells: [{ __typename: 'Hero', title: 'in grid' }] },
            ],
          },
        },
      },
      b: {
        sdl: 'type Page @key(fields: "id") { id: ID! blocks: [Block!]! @shareable more: [Block!]! } union Block = Hero | Grid | Quote type Hero { title: String! @shareable } type Quote { by: String! } type Grid { cells: [Block!]! @shareable }',
        resolvers: {
          Page: {
            __resolveReference: same,
            blocks: () => [
              { __typename: 'Hero', title: 'h' },
              { __typename: 'Grid', cells: [{ __typename: 'Hero', title: 'in grid' }] },
            ],
            more: () => [
              { __typename: 'Quote', by: 'Ann' },
              { __typename: 'Grid', cells: [{ __typename: 'Quote', by: 'Bob' }] },
            ],
          },
        },
      },
    },
    cases: [
      {
        query:
          '{ page { blocks { ...B } more { ...B } } } fragment B on Block { __typename ... on Hero { title } ... on Quote { by } ... on Grid { cells { ... on Hero { title } ... on Quote { by } } } }',
        data: {
          page: {
            blocks: [
              { __typename: 'Hero', title: 'h' },
              { __typename: 'Grid', cells: [{ title: 'in grid' }] },
            ],
            more: [
              { __typename: 'Quote', by: 'Ann' },
              { __typename: 'Grid', cells: [{ by: 'Bob' }] },
            ],
          },
        },
      },
    ],
  },
  {
    theme: 'typename',
    parts: {
      a: {
        sdl: 'type Query { union: Thing interface: Node } union Thing = Oven | Toaster interface Node { id: ID! } type Oven implements Node { id: ID! } type Toaster { warranty: Int }',
        resolvers: {
          Query: { union: () => ({ __typename: 'Oven', id: '1' }), interface: () => ({ __typename: 'Oven', id: '1' }) },
        },
      },
      b: {
        sdl: 'type Query { users: [User!]! } interface User @key(fields: "id") { id: ID! } type Admin implements User @key(fields: "id") { id: ID! }',
        resolvers: {
          Query: { users: () => [{ __typename: 'Admin', id: 'u' }] },
          User: { __resolveReference: ({ id }: Ref) => ({ __typename: 'Admin', id }) },
          Admin: { __resolveReference: same },
        },
      },
      c: {
        sdl: 'type User @interfaceObject @key(fields: "id") { id: ID! name: String }',
        resolvers: { User: { __resolveReference: same, name: () => 'n' } },
      },
    },
    cases: [
      {
        query:
          '{ __typename a: __typename union { __typename it: __typename ... on Oven { t: __typename } } interface { __typename } }',
        data: {
          __typename: 'Query',
          a: 'Query',
          union: { __typename: 'Oven', it: 'Oven', t: 'Oven' },
          interface: { __typename: 'Oven' },
        },
      },
      {
        query: '{ users { __typename name again: __typename } }',
        data: { users: [{ __typename: 'Admin', name: 'n', again: 'Admin' }] },
      },
    ],
  },
]
