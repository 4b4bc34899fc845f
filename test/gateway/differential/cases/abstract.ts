import type { Table } from '../small-graph.ts'

const byId = <Model extends { readonly id: string }>(models: readonly Model[], id: unknown) =>
  models.find((model) => model.id === id) ?? null

const BOOKS = [
  { __typename: 'Book', id: 'b1', title: 'Sea', pages: 0 },
  { __typename: 'Book', id: 'b2', title: 'Sky', pages: 200 },
]
const FILMS = [{ __typename: 'Film', id: 'f1', title: 'Rain', minutes: 90 }]
const NOTES = [{ __typename: 'Note', text: 'hello' }]

/** An interface and a union over entities and a plain type; what is said of each lies elsewhere. */
const media: Table = {
  graph: 'media',
  subgraphs: {
    shelf: {
      sdl: `
        type Query { items: [Item!]! anything: [Anything] item(id: ID!): Item thing: Anything }
        interface Item { id: ID! title: String! related: [Item!]! }
        union Anything = Book | Film | Note
        type Book implements Item @key(fields: "id") { id: ID! title: String! pages: Int related: [Item!]! sequel: Book }
        type Film implements Item @key(fields: "id") { id: ID! title: String! minutes: Int! related: [Item!]! }
        type Note { text: String! on: Item }
      `,
      resolvers: {
        Query: {
          items: () => [BOOKS[0], FILMS[0], BOOKS[1]],
          anything: () => [NOTES[0], FILMS[0], null, BOOKS[1], BOOKS[0]],
          item: (_: unknown, { id }: { id: string }) => byId([...BOOKS, ...FILMS], id),
          thing: () => NOTES[0],
        },
        Book: {
          __resolveReference: ({ id }: { id: string }) => byId(BOOKS, id),
          related: () => FILMS,
          sequel: ({ id }: { id: string }) => (id === 'b1' ? BOOKS[1] : null),
        },
        Film: { __resolveReference: ({ id }: { id: string }) => byId(FILMS, id), related: () => BOOKS },
        Note: { on: () => FILMS[0] },
      },
    },
    ratings: {
      sdl: `
        type Query { best: Rated }
        interface Rated { rating(scale: Int = 10): Int }
        type Book implements Rated @key(fields: "id") { id: ID! rating(scale: Int = 10): Int by: [Critic!]! }
        type Film implements Rated @key(fields: "id") { id: ID! rating(scale: Int = 10): Int stars: Int! by: Critic }
        type Critic { name: String! liked: [Rated!]! }
      `,
      resolvers: {
        Query: { best: () => ({ __typename: 'Film', id: 'f1' }) },
        Book: {
          rating: ({ id }: { id: string }, { scale }: { scale: number }) => (id === 'b1' ? 0 : scale / 2),
          by: () => [
            {
              name: 'Cy',
              liked: [
                { __typename: 'Film', id: 'f1' },
                { __typename: 'Book', id: 'b2' },
              ],
            },
          ],
        },
        Film: {
          rating: (_: unknown, { scale }: { scale: number }) => scale,
          stars: () => 4,
          by: () => ({ name: 'Di', liked: [{ __typename: 'Book', id: 'b1' }] }),
        },
      },
    },
    loans: {
      sdl: `
        type Book @key(fields: "id") { id: ID! loans: [Loan!]! free: Boolean! }
        type Film @key(fields: "id") { id: ID! loans(limit: Int): [Loan!]! free: String }
        type Loan { to: String! due: Int }
      `,
      resolvers: {
        Book: { loans: ({ id }: { id: string }) => [{ to: `reader of ${id}`, due: 0 }], free: () => false },
        Film: {
          loans: (_: unknown, { limit }: { limit?: number }) => [{ to: 'viewer', due: limit ?? null }],
          free: () => 'on Sundays',
        },
      },
    },
  },
  cases: [
    { name: 'an interface of one subgraph', query: '{ items { __typename id title ... on Book { pages } } }' },
    {
      name: 'fields of another subgraph by type',
      query: '{ items { title ... on Book { b: rating } ... on Film { f: rating(scale: 5) } } }',
      data: {
        items: [
          { title: 'Sea', b: 0 },
          { title: 'Rain', f: 5 },
          { title: 'Sky', b: 5 },
        ],
      },
    },
    {
      name: 'a union of mixed types with null',
      query: '{ anything { ... on Note { text } ... on Book { title rating } ... on Film { minutes rating } } }',
    },
    {
      name: 'a union of which nothing is asked but its type',
      query: '{ anything { __typename } thing { ... on Book { rating } } }',
    },
    { name: 'a member of the union that selects nothing', query: '{ anything { ... on Book { rating } } }' },
    { name: 'an interface of another subgraph', query: '{ best { rating ... on Film { title stars } ... on Book { pages } } }' },
    {
      name: 'a fragment on an interface in a list of a union',
      query: '{ anything { ...Rated ... on Item { title } } } fragment Rated on Rated { rating(scale: 4) }',
    },
    {
      name: 'an interface inside an interface across subgraphs',
      query:
        '{ items { title related { title ... on Film { stars critic: by { name liked { rating ... on Book { title } } } } ... on Book { by { name } } } } }',
    },
    {
      name: 'lists of equal names under other types with equal arguments',
      query: '{ items { ... on Book { loans { to due } } ... on Film { loans { to due } } } }',
    },
    {
      name: 'one response name with other arguments per type',
      query: '{ items { ... on Book { score: rating(scale: 100) } ... on Film { score: rating(scale: 2) } } }',
      data: { items: [{ score: 0 }, { score: 2 }, { score: 50 }] },
    },
    {
      name: 'a named fragment in a fragment, used twice',
      query:
        '{ items { ...F ... on Book { sequel { ...F } } } } fragment F on Item { title ...G } fragment G on Item { ... on Book { rating free2: loans { to } } ... on Film { free } }',
    },
    {
      name: 'a type inside of an interface inside of that type',
      query:
        '{ items { ... on Book { sequel { ... on Item { ... on Book { pages } } } } } item(id: "b1") { ... on Book { sequel { ... on Item { ... on Book { pages title } } } } } }',
      data: { items: [{ sequel: { pages: 200 } }, {}, { sequel: null }], item: { sequel: { pages: 200, title: 'Sky' } } },
    },
    {
      name: 'a variable inside of a fragment that excludes itself',
      query:
        'query Named($v: Boolean!) { best { ...F } } fragment F on Anything { ... { ... { ... on Film { title } ... on Note @include(if: $v) { text } } } }',
      variables: { v: true },
      data: { best: { title: 'Rain' } },
    },
    {
      name: '@include of a fragment and @skip of a field, by variables',
      query:
        'query ($yes: Boolean!, $no: Boolean = false) { items { ... on Book @include(if: $yes) { rating } ... on Film @skip(if: $yes) { stars } title @include(if: $no) id @skip(if: $no) } }',
      variables: { yes: true },
      data: { items: [{ rating: 0, id: 'b1' }, { id: 'f1' }, { rating: 5, id: 'b2' }] },
    },
    {
      name: 'one entity by its interface',
      query: '{ item(id: "f1") { title ... on Film { rating } related { ... on Book { rating loans { to } } } } }',
    },
    {
      name: '__typename under another name in lists of mixed types',
      query: '{ anything { kind: __typename ... on Book { k: __typename rating } } }',
    },
  ],
}

const SHAPES = [
  { __typename: 'Circle', id: 'c1', radius: 0 },
  { __typename: 'Square', id: 's1', side: 2 },
]

/** An interface that is an entity, and a subgraph that adds to it without knowing its types. */
const shapes: Table = {
  graph: 'shapes',
  subgraphs: {
    geometry: {
      sdl: `
        type Query { shapes: [Shape!]! shape(id: ID!): Shape }
        interface Shape @key(fields: "id") { id: ID! area: Float }
        type Circle implements Shape @key(fields: "id") { id: ID! area: Float radius: Float! }
        type Square implements Shape @key(fields: "id") { id: ID! area: Float side: Float! }
      `,
      resolvers: {
        Query: { shapes: () => SHAPES, shape: (_: unknown, { id }: { id: string }) => byId(SHAPES, id) },
        Shape: { __resolveReference: ({ id }: { id: string }) => byId(SHAPES, id) },
        Circle: { __resolveReference: ({ id }: { id: string }) => byId(SHAPES, id), area: () => 0 },
        Square: {
          __resolveReference: ({ id }: { id: string }) => byId(SHAPES, id),
          area: ({ side }: { side: number }) => side * side,
        },
      },
    },
    paint: {
      sdl: `
        type Query { painted: [Shape!]! }
        type Shape @key(fields: "id") @interfaceObject { id: ID! area: Float @external color(dark: Boolean): String! coats: [Coat!]! price: Float @requires(fields: "area") twin: Shape }
        type Coat { name: String! of: Shape }
      `,
      resolvers: {
        Query: { painted: () => [{ id: 's1' }, { id: 'c1' }, { id: 'x9' }] },
        Shape: {
          color: ({ id }: { id: string }, { dark }: { dark?: boolean }) =>
            `${dark ? 'dark ' : ''}${id === 'c1' ? 'red' : 'blue'}`,
          coats: ({ id }: { id: string }) => (id === 'c1' ? [] : [{ name: 'first', of: { id: 'c1' } }]),
          price: ({ area }: { area?: number | null }) => (area === undefined ? -1 : (area ?? -2) * 1.5),
          twin: ({ id }: { id: string }) => (id === 's1' ? { id: 'c1' } : { id: 's1' }),
        },
      },
    },
    labels: {
      sdl: `
        type Shape @key(fields: "id") @interfaceObject { id: ID! label: String color(dark: Boolean): String! @external caption: String @requires(fields: "color(dark: true)") }
        type Circle2 @key(fields: "id") { id: ID! x: Int }
      `,
      resolvers: {
        Shape: { label: ({ id }: { id: string }) => `label of ${id}`, caption: ({ color }: { color: string }) => `in ${color}` },
      },
    },
  },
  cases: [
    { name: 'fields of the interface object', query: '{ shapes { color label ... on Circle { radius } } }' },
    { name: 'from the interface object to the types', query: '{ painted { color __typename ... on Square { side } } }' },
    { name: 'an interface object that nobody knows', query: '{ painted { id color area } }' },
    { name: 'only what the interface object has', query: '{ painted { color coats { name of { color } } } }' },
    { name: 'there and back', query: '{ shapes { twin { __typename twin { label ... on Circle { radius color } } } } }' },
    { name: '@requires of a field of the interface', query: '{ shapes { price } painted { price } }' },
    { name: 'inside another type', query: '{ painted { coats { of { label area ... on Circle { radius } } } } }' },
    {
      name: 'a type condition on what came from an interface object',
      query: '{ painted { ... on Circle { color label } ... on Square { c: color(dark: true) twin { id } } } }',
    },
    {
      name: 'other arguments per type for a field of the interface object',
      query: '{ shapes { ... on Circle { color(dark: true) } ... on Square { color(dark: false) } } }',
      data: { shapes: [{ color: 'dark red' }, { color: 'blue' }] },
    },
    {
      name: 'the type beside a field of the interface object',
      query: '{ shapes { ... on Circle { __typename label } kind: __typename } shape(id: "s1") { __typename color } }',
      data: {
        shapes: [{ __typename: 'Circle', label: 'label of c1', kind: 'Circle' }, { kind: 'Square' }],
        shape: { __typename: 'Square', color: 'blue' },
      },
    },
    {
      name: 'a field of the interface object for all types beside one that requires for one',
      query: '{ shapes { color ... on Square { price } } }',
      data: { shapes: [{ color: 'red' }, { color: 'blue', price: 6 }] },
    },
    {
      name: 'a field of the interface object that requires, for one type',
      query: '{ shapes { area ... on Square { price } } }',
      data: { shapes: [{ area: 0 }, { area: 4, price: 6 }] },
    },
    {
      name: '@requires with an argument',
      query: '{ shapes { caption } }',
      data: { shapes: [{ caption: 'in dark red' }, { caption: 'in dark blue' }] },
    },
    {
      name: '@requires with an argument, beside the same field with another',
      query: '{ shapes { color(dark: false) caption } }',
      data: {
        shapes: [
          { color: 'red', caption: 'in dark red' },
          { color: 'blue', caption: 'in dark blue' },
        ],
      },
    },
    {
      name: '@requires of what the interface object of another has',
      query: '{ shape(id: "s1") { label price color(dark: false) __typename } }',
    },
  ],
}

/** Equal response paths under the members of a union lead to entities of a third subgraph. */
const feed: Table = {
  graph: 'feed',
  subgraphs: {
    posts: {
      sdl: `
        type Query { feed: [Post!]! top: Post pairs: [[Post]] }
        union Post = Text | Video | Poll
        type Text @key(fields: "id") { id: ID! author: Person by: Writer copies: [Copy!]! }
        type Video @key(fields: "id") { id: ID! author: Person by: Writer copies: [Copy!]! }
        type Poll { question: String author: Person! options: [Text] }
        interface Writer { id: ID! }
        type Person implements Writer @key(fields: "id") { id: ID! }
        type Robot implements Writer @key(fields: "id") { id: ID! model: String }
        type Copy { of: Post }
      `,
      resolvers: {
        Query: {
          feed: () => [
            { __typename: 'Text', id: 't1' },
            { __typename: 'Video', id: 'v1' },
            { __typename: 'Poll', question: 'Who?' },
            { __typename: 'Text', id: 't2' },
            { __typename: 'Video', id: 'v2' },
          ],
          top: () => ({ __typename: 'Video', id: 'v1' }),
          pairs: () => [
            [{ __typename: 'Video', id: 'v1' }, null, { __typename: 'Text', id: 't1' }],
            null,
            [],
            [{ __typename: 'Poll' }],
          ],
        },
        Text: {
          author: ({ id }: { id: string }) => (id === 't2' ? null : { id: 'p1' }),
          by: ({ id }: { id: string }) =>
            id === 't2' ? { __typename: 'Robot', id: 'p1', model: 'R' } : { __typename: 'Person', id: 'p1' },
          copies: ({ id }: { id: string }) => (id === 't1' ? [{ of: { __typename: 'Video', id: 'v2' } }] : []),
        },
        Video: {
          author: () => ({ id: 'p2' }),
          by: () => ({ __typename: 'Person', id: 'p2' }),
          copies: () => [{ of: null }, { of: { __typename: 'Text', id: 't1' } }],
        },
        Poll: { author: () => ({ id: 'p3' }), options: () => [{ id: 't1' }, null] },
      },
    },
    persons: {
      sdl: `
        type Person @key(fields: "id") { id: ID! name: String photo(size: Int): String knows(first: Int): [Person!]! }
        type Robot @key(fields: "id") { id: ID! name: String! photo(size: Int): String }
      `,
      resolvers: {
        Person: {
          name: ({ id }: { id: string }) => (id === 'p3' ? '' : `Person ${id}`),
          photo: ({ id }: { id: string }, { size }: { size?: number }) => `${id} at ${size}`,
          knows: ({ id }: { id: string }, { first }: { first?: number }) =>
            ['p1', 'p2', 'p3']
              .filter((other) => other !== id)
              .slice(0, first)
              .map((other) => ({ id: other })),
        },
        Robot: { name: ({ id }: { id: string }) => `Robot ${id}`, photo: () => null },
      },
    },
    likes: {
      sdl: `
        type Text @key(fields: "id") { id: ID! likes(since: Int = 0): Int words: Int! }
        type Video @key(fields: "id") { id: ID! likes(since: Int = 0): Int seconds: Float! }
        type Person @key(fields: "id") { id: ID! karma: Int }
      `,
      resolvers: {
        Text: { likes: (_: unknown, { since }: { since: number }) => since, words: () => 0 },
        Video: { likes: (_: unknown, { since }: { since: number }) => since + 100, seconds: () => 1.5 },
        Person: { karma: ({ id }: { id: string }) => Number(id.slice(1)) - 1 },
      },
    },
  },
  cases: [
    {
      name: 'one path with other arguments per member of the union',
      query: '{ feed { ... on Text { author { photo(size: 1) } } ... on Video { author { photo(size: 2) } } } }',
      data: {
        feed: [
          { author: { photo: 'p1 at 1' } },
          { author: { photo: 'p2 at 2' } },
          {},
          { author: null },
          { author: { photo: 'p2 at 2' } },
        ],
      },
    },
    {
      name: 'one path with other fields under one name per member',
      query: '{ feed { ... on Text { author { it: name } } ... on Video { author { it: photo(size: 3) } } } }',
      data: {
        feed: [
          { author: { it: 'Person p1' } },
          { author: { it: 'p2 at 3' } },
          {},
          { author: null },
          { author: { it: 'p2 at 3' } },
        ],
      },
    },
    {
      name: 'one path with equal fields per member',
      query:
        '{ feed { ... on Text { author { name } } ... on Video { author { name karma } } ... on Poll { poster: author { karma } } } }',
    },
    {
      name: 'everything inside is left out',
      query: 'query ($a: Boolean!, $b: Boolean!) { top @include(if: $a) { ... on Video @skip(if: $b) { likes } } }',
      variables: { a: true, b: true },
      data: { top: {} },
    },
    {
      name: 'other arguments per member, two levels deep',
      query:
        '{ feed { ... on Text { author { knows(first: 1) { name } } } ... on Video { author { knows(first: 2) { photo(size: 7) } } } ... on Poll { question } } }',
    },
    {
      name: 'other arguments per member, one entity',
      query:
        '{ top { ... on Text { author { photo(size: 1) } likes(since: 1) } ... on Video { author { photo(size: 2) } likes(since: 2) } } }',
      data: { top: { author: { photo: 'p2 at 2' }, likes: 102 } },
    },
    {
      name: 'other arguments per member in lists of lists with null',
      query:
        '{ pairs { ... on Text { author { photo(size: 1) } } ... on Video { author { photo(size: 2) } } ... on Poll { poster: author { name } } } }',
      data: {
        pairs: [[{ author: { photo: 'p2 at 2' } }, null, { author: { photo: 'p1 at 1' } }], null, [], [{ poster: { name: '' } }]],
      },
    },
    {
      name: 'other arguments per type of an interface in the members',
      query:
        '{ feed { ... on Text { by { ... on Person { photo(size: 1) } ... on Robot { model photo(size: 2) } } } ... on Video { by { ... on Person { photo(size: 3) } } } } }',
    },
    {
      name: 'other arguments per member, by variables and conditions',
      query:
        'query ($a: Int, $b: Int = 4, $off: Boolean!) { feed { ... on Text @skip(if: $off) { author { photo(size: $a) } } ... on Video { author { photo(size: $b) karma @include(if: $off) } } } }',
      variables: { off: false },
    },
    {
      name: 'entities that are members, with equal names for other fields',
      query: '{ feed { ... on Text { n: likes(since: 1) m: words } ... on Video { n: likes(since: 5) } } }',
    },
    {
      name: 'entities inside entities of members',
      query:
        '{ feed { ... on Text { copies { of { ... on Video { likes seconds author { name } } } } } ... on Video { copies { of { ... on Text { likes(since: 9) words } } } } } }',
    },
    {
      name: 'members in a list beside plain types',
      query: '{ feed { __typename ... on Poll { question options { words author { name } } author { name } } } }',
    },
    { name: 'lists of lists of members', query: '{ pairs { __typename ... on Video { likes } ... on Text { likes words } } }' },
  ],
}

export const abstractTables: readonly Table[] = [media, shapes, feed]
