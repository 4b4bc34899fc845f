import type { Table } from '../small-graph.ts'

const USERS = [
  { id: '1', name: 'Ada', email: 'ada@example.org' },
  { id: '2', name: 'Bob', email: null },
  { id: '3', name: '', email: 'c@example.org' },
]
const userById = (id: unknown) => USERS.find((user) => user.id === id) ?? null

const REVIEWS = [
  { id: 'r1', body: 'Good.', authorId: '1', stars: 5 },
  { id: 'r2', body: 'Bad.', authorId: '2', stars: 0 },
  { id: 'r3', body: null, authorId: '9', stars: 3 },
]

/** Two subgraphs that know one entity each, and a third that adds to both. */
const people: Table = {
  graph: 'people',
  subgraphs: {
    users: {
      sdl: `
        type Query { me: User user(id: ID!): User users(first: Int, ids: [ID!]): [User!]! maybeUsers: [User] matrix: [[User!]!]! }
        type Mutation { rename(id: ID!, name: String!): User }
        type User @key(fields: "id") { id: ID! name: String! email: String friends: [User!]! boss: User }
      `,
      resolvers: {
        Query: {
          me: () => USERS[0],
          user: (_: unknown, { id }: { id: string }) => userById(id),
          users: (_: unknown, { first, ids }: { first?: number; ids?: string[] }) =>
            (ids ? ids.map(userById) : USERS).slice(0, first ?? undefined),
          maybeUsers: () => [USERS[0], null, USERS[2], USERS[0]],
          matrix: () => [[USERS[0], USERS[1]], [], [USERS[2]]],
        },
        Mutation: { rename: (_: unknown, { id, name }: { id: string; name: string }) => ({ ...userById(id), name }) },
        User: {
          __resolveReference: ({ id }: { id: string }) => userById(id),
          friends: ({ id }: { id: string }) => USERS.filter((user) => user.id !== id),
          boss: ({ id }: { id: string }) => (id === '1' ? null : USERS[0]),
        },
      },
    },
    reviews: {
      sdl: `
        type Query { reviews: [Review!]! latest: Review }
        type Mutation { praise(userId: ID!, stars: Int = 5): Review }
        type Review @key(fields: "id") { id: ID! body: String author: User! stars: Int! }
        type User @key(fields: "id") { id: ID! reviews(minimum: Int = 0, order: Order = NEWEST): [Review!]! score: Int rank: Int! }
        enum Order { NEWEST OLDEST }
      `,
      resolvers: {
        Query: { reviews: () => REVIEWS, latest: () => REVIEWS[1] },
        Mutation: {
          praise: (_: unknown, { userId, stars }: { userId: string; stars: number }) => ({
            id: 'r4',
            body: 'Praise.',
            authorId: userId,
            stars,
          }),
        },
        Review: {
          __resolveReference: ({ id }: { id: string }) => REVIEWS.find((review) => review.id === id) ?? null,
          author: ({ authorId }: { authorId: string }) => ({ id: authorId }),
        },
        User: {
          reviews: ({ id }: { id: string }, { minimum, order }: { minimum: number; order: string }) => {
            const own = REVIEWS.filter(({ authorId, stars }) => authorId === id && stars >= minimum)
            return order === 'OLDEST' ? own.toReversed() : own
          },
          score: ({ id }: { id: string }) => (id === '2' ? 0 : 10),
          rank: ({ id }: { id: string }) => Number(id),
        },
      },
    },
    badges: {
      sdl: `
        type User @key(fields: "id") { id: ID! badges: [Badge] isNew: Boolean }
        type Review @key(fields: "id") { id: ID! badge: Badge }
        type Badge { label: String! weight: Float }
      `,
      resolvers: {
        User: {
          badges: ({ id }: { id: string }) => (id === '1' ? [{ label: 'gold', weight: 0 }, null] : []),
          isNew: ({ id }: { id: string }) => id === '3',
        },
        Review: { badge: ({ id }: { id: string }) => (id === 'r2' ? null : { label: `badge ${id}`, weight: 1.5 }) },
      },
    },
  },
  cases: [
    { name: 'one fetch', query: '{ me { id name email } }' },
    { name: 'an entity from two subgraphs', query: '{ me { name rank } }', data: { me: { name: 'Ada', rank: 1 } } },
    { name: 'an entity from three subgraphs, in parallel', query: '{ me { isNew name score badges { label weight } email } }' },
    { name: 'a list of entities', query: '{ users { name rank score isNew } }' },
    { name: 'a list with null and a repeated entity', query: '{ maybeUsers { rank name } }' },
    { name: 'lists of lists', query: '{ matrix { name score badges { label } } }' },
    { name: 'an empty list', query: '{ users(ids: []) { name rank } }', data: { users: [] } },
    { name: 'an entity that is not there', query: '{ user(id: "404") { name rank } }', data: { user: null } },
    { name: 'a null in a list that promises none', query: '{ users(ids: ["1", "404"]) { name rank } }' },
    {
      name: 'a stub that no other subgraph knows',
      query: '{ reviews { id author { id name rank } } }',
    },
    {
      name: 'there and back and there again',
      query: '{ me { reviews { author { name reviews { stars author { email } } } } } }',
    },
    {
      name: 'lists in lists over two subgraphs',
      query: '{ users { friends { rank friends { score name } } reviews { badge { label } stars } } }',
    },
    { name: 'falsy values', query: '{ users { name score isNew badges { weight } } }' },
    {
      name: 'aliases of equal and other fields',
      query: '{ a: me { n: name name m: name r: rank } b: me { rank } users(first: 1) { score: rank rank: score } }',
    },
    {
      name: 'aliases that objects have by themselves',
      query:
        '{ constructor: me { toString: name __proto__: rank hasOwnProperty: reviews { valueOf: stars } } __proto__: users(first: 1) { constructor: score } }',
      data: JSON.parse(
        '{"constructor":{"toString":"Ada","__proto__":1,"hasOwnProperty":[{"valueOf":5}]},"__proto__":[{"constructor":10}]}',
      ),
    },
    {
      name: 'variables: given, absent, null and by default',
      query:
        'query ($a: Int, $b: Int = 1, $c: Order = OLDEST, $d: Int) { me { a: reviews(minimum: $a) { id } b: reviews(minimum: $b, order: $c) { id } } users(first: $d) { id score } }',
      variables: { d: null },
    },
    {
      name: 'fields between fragments keep their order',
      query:
        '{ users(first: 1) { ... on User { isNew } id ... on User { score } name } me { ...A email ...A rank } } fragment A on User { score }',
      data: { users: [{ isNew: false, id: '1', score: 10, name: 'Ada' }], me: { score: 10, email: 'ada@example.org', rank: 1 } },
    },
    {
      name: 'another field under the name of the type',
      query: '{ me { __typename: name rank } users { __typename: score name } }',
      data: {
        me: { __typename: 'Ada', rank: 1 },
        users: [
          { __typename: 10, name: 'Ada' },
          { __typename: 0, name: 'Bob' },
          { __typename: 10, name: '' },
        ],
      },
    },
    {
      name: 'the key of an entity under another name',
      query: '{ users { key: id id: name rank } }',
    },
    { name: '__typename everywhere', query: '{ __typename me { __typename t: __typename rank reviews { __typename } } }' },
    { name: 'nothing but __typename', query: '{ __typename x: __typename }' },
    {
      name: 'introspection beside data',
      query: '{ __schema { queryType { name } } me { rank } __type(name: "User") { name kind } }',
    },
    {
      name: 'mutations one after the other across subgraphs',
      query:
        'mutation { a: rename(id: "1", name: "A") { name rank } b: praise(userId: "2") { stars author { name } } c: rename(id: "3", name: "C") { name score } }',
    },
    {
      name: 'a mutation of which everything inside is left out',
      query: 'mutation ($no: Boolean = false) { rename(id: "1", name: "x") @skip(if: $no) { email @include(if: false) } }',
      data: { rename: {} },
    },
    {
      name: 'the same field twice with other selections',
      query: '{ me { name } users { id } me { rank } users { score name } }',
    },
    {
      name: 'order of keys is that of the operation',
      query: '{ me { rank ...Late name } } fragment Late on User { isNew email rank }',
    },
  ],
}

export const entityTables: readonly Table[] = [people]
