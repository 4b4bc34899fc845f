import { expect } from 'vitest'
import { by, type Ref, type Row, same, type Theme } from './theme.ts'

const POSTS = [
  { id: 'p1', title: 'One', state: 'LIVE' },
  { id: 'p2', title: 'Two', state: 'DRAFT' },
]
const post = by(POSTS, 'id')

/** Who has a field, what clients see of types that subgraphs have in part, and conditions. */
export const ownershipThemes: readonly Theme[] = [
  {
    theme: 'simple-override',
    parts: {
      a: {
        sdl: 'type Query { feed: [Post] aFeed: [Post] } type Post @key(fields: "id") { id: ID! createdAt: String }',
        resolvers: {
          Query: { feed: () => [{ id: 'p1' }], aFeed: () => [{ id: 'p2' }] },
          Post: { __resolveReference: same, createdAt: () => 'from a' },
        },
      },
      b: {
        sdl: 'type Query { feed: [Post] @override(from: "a") bFeed: [Post] } type Post @key(fields: "id") { id: ID! createdAt: String @override(from: "a") }',
        resolvers: {
          Query: { feed: () => [{ id: 'p9' }], bFeed: () => [{ id: 'p1' }] },
          Post: { __resolveReference: same, createdAt: () => 'from b' },
        },
      },
    },
    cases: [
      {
        query: '{ feed { id createdAt } aFeed { createdAt } bFeed { createdAt } }',
        data: { feed: [{ id: 'p9', createdAt: 'from b' }], aFeed: [{ createdAt: 'from b' }], bFeed: [{ createdAt: 'from b' }] },
      },
    ],
  },
  {
    theme: 'unavailable-override',
    parts: {
      a: {
        sdl: 'type Query { aFeed: [Post] } type Post @key(fields: "id") { id: ID! createdAt: String @override(from: "gone") }',
        resolvers: { Query: { aFeed: () => [{ id: 'p1' }] }, Post: { __resolveReference: same, createdAt: () => 'from a' } },
      },
      b: {
        sdl: 'type Query { feed: [Post] bFeed: [Post] } type Post @key(fields: "id") { id: ID! likes: Int @override(from: "away") }',
        resolvers: {
          Query: { feed: () => [{ id: 'p1' }], bFeed: () => [{ id: 'p2' }] },
          Post: { __resolveReference: same, likes: () => 3 },
        },
      },
    },
    cases: [
      {
        query: '{ feed { createdAt likes } bFeed { createdAt } aFeed { likes } }',
        data: { feed: [{ createdAt: 'from a', likes: 3 }], bFeed: [{ createdAt: 'from a' }], aFeed: [{ likes: 3 }] },
      },
    ],
  },
  {
    theme: 'override-with-requires',
    parts: {
      a: {
        sdl: 'type Query { a: Post } type Post @key(fields: "id") { id: ID! name: String! }',
        resolvers: {
          Query: { a: () => ({ id: 'a' }) },
          Post: { __resolveReference: same, name: ({ id }: Ref) => `a name ${id}` },
        },
      },
      b: {
        sdl: 'type Query { b: Post } type Post @key(fields: "id") { id: ID! name: String! @override(from: "a") @shareable aName: String! @requires(fields: "other") other: String! @external }',
        resolvers: {
          Query: { b: () => ({ id: 'b' }) },
          Post: { __resolveReference: same, name: ({ id }: Ref) => `b name ${id}`, aName: ({ other }: Row) => `with ${other}` },
        },
      },
      c: {
        sdl: 'type Query { c: Post } type Post @key(fields: "id") { id: ID! other: String! name: String! @external cName: String! @requires(fields: "name") }',
        resolvers: {
          Query: { c: () => ({ id: 'c' }) },
          Post: { __resolveReference: same, other: ({ id }: Ref) => `other ${id}`, cName: ({ name }: Row) => `c of ${name}` },
        },
      },
    },
    cases: [
      {
        query: '{ a { name cName aName } b { id name aName cName } c { cName } }',
        data: {
          a: { name: 'b name a', cName: 'c of b name a', aName: 'with other a' },
          b: { id: 'b', name: 'b name b', aName: 'with other b', cName: 'c of b name b' },
          c: { cName: 'c of b name c' },
        },
      },
    ],
  },
  {
    theme: 'override-type-interface',
    parts: {
      a: {
        sdl: 'type Query { feed: [Post] } interface Post { id: ID! createdAt: String! } type Image implements Post @key(fields: "id") { id: ID! createdAt: String! } type Text implements Post @key(fields: "id") { id: ID! createdAt: String! body: String! }',
        resolvers: {
          Query: {
            feed: () => [
              { __typename: 'Image', id: 'i' },
              { __typename: 'Text', id: 't', body: 'x' },
            ],
          },
          Image: { __resolveReference: same, createdAt: () => 'NEVER' },
          Text: { __resolveReference: same, createdAt: () => 'text date' },
        },
      },
      b: {
        sdl: 'type Query { others: [Post] } interface Post { id: ID! createdAt: String! } type Image implements Post @key(fields: "id") { id: ID! createdAt: String! @override(from: "a") }',
        resolvers: {
          Query: { others: () => [{ __typename: 'Image', id: 'i2' }] },
          Image: { __resolveReference: same, createdAt: ({ id }: Ref) => `image date ${id}` },
        },
      },
    },
    cases: [
      {
        query: '{ feed { id createdAt } others { id createdAt ... on Text { body } } }',
        data: {
          feed: [
            { id: 'i', createdAt: 'image date i' },
            { id: 't', createdAt: 'text date' },
          ],
          others: [{ id: 'i2', createdAt: 'image date i2' }],
        },
      },
    ],
  },
  {
    theme: 'simple-inaccessible',
    parts: {
      a: {
        sdl: 'type Query { feed: [Post!]! shown: Kind } type Post @key(fields: "id") { id: ID! title: String secret: String @inaccessible kind: Kind } enum Kind { OPEN HIDDEN @inaccessible }',
        resolvers: {
          Query: { feed: () => POSTS, shown: () => 'HIDDEN' },
          Post: { __resolveReference: post, secret: () => 's', kind: () => 'OPEN' },
        },
      },
      b: {
        sdl: 'type Query { hidden: Draft @inaccessible } type Draft @inaccessible { id: ID! } type Post @key(fields: "id") { id: ID! secret: String @external length: Int @requires(fields: "secret") }',
        resolvers: { Post: { __resolveReference: same, length: ({ secret }: { secret: string }) => secret.length } },
      },
    },
    cases: [
      {
        query: '{ feed { id length kind } }',
        data: {
          feed: [
            { id: 'p1', length: 1, kind: 'OPEN' },
            { id: 'p2', length: 1, kind: 'OPEN' },
          ],
        },
      },
      {
        query: '{ shown }',
        data: { shown: null },
        errors: [{ path: ['shown'], extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } }],
      },
      { query: '{ feed { secret } }', errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
      { query: '{ hidden { id } }', errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    ],
  },
  {
    theme: 'enum-intersection',
    parts: {
      a: {
        sdl: 'type Query { user: User users: [User] byKind(kind: Kind!): String } type User @key(fields: "id") { id: ID! kind: Kind @shareable } enum Kind { REGULAR @inaccessible VIP PLAIN }',
        resolvers: {
          Query: {
            user: () => ({ id: 'u1', kind: 'VIP' }),
            users: () => [
              { id: 'u2', kind: 'REGULAR' },
              { id: 'u3', kind: 'PLAIN' },
            ],
            byKind: (_: unknown, { kind }: Row) => `is ${kind}`,
          },
        },
      },
      b: {
        sdl: 'type Query { other: User } type User @key(fields: "id") { id: ID! kind: Kind @shareable } enum Kind { VIP PLAIN }',
        resolvers: { Query: { other: () => ({ id: 'u4', kind: 'PLAIN' }) }, User: { __resolveReference: same } },
      },
    },
    cases: [
      {
        query: '{ user { kind } other { kind } byKind(kind: VIP) }',
        data: { user: { kind: 'VIP' }, other: { kind: 'PLAIN' }, byKind: 'is VIP' },
      },
      {
        query: '{ users { id kind } }',
        data: {
          users: [
            { id: 'u2', kind: null },
            { id: 'u3', kind: 'PLAIN' },
          ],
        },
        errors: [{ path: ['users', 0, 'kind'] }],
      },
      { query: '{ byKind(kind: REGULAR) }', errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
    ],
  },
  {
    theme: 'input-object-intersection',
    parts: {
      a: {
        sdl: 'type Query { find(by: Filter): String @shareable } input Filter { first: Int! onlyA: Int }',
        resolvers: { Query: { find: (_: unknown, { by: filter }: Row) => JSON.stringify(filter) } },
      },
      b: {
        sdl: 'type Query { find(by: Filter): String @shareable search(by: Filter): String } input Filter { first: Int! onlyB: Int }',
        resolvers: {
          Query: {
            find: (_: unknown, { by: filter }: Row) => JSON.stringify(filter),
            search: (_: unknown, { by: filter }: Row) => JSON.stringify(filter),
          },
        },
      },
    },
    cases: [
      {
        query: 'query ($f: Filter) { find(by: { first: 1 }) search(by: $f) }',
        variables: { f: { first: 2 } },
        data: { find: '{"first":1}', search: '{"first":2}' },
      },
      { query: '{ find(by: { first: 1, onlyA: 2 }) }', errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
      {
        query: 'query ($f: Filter) { search(by: $f) }',
        variables: { f: { first: 2, onlyB: 1 } },
        errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
      },
    ],
  },
  {
    theme: 'include-skip',
    parts: {
      a: {
        sdl: 'type Query { post: Post } type Post @key(fields: "id") { id: ID! price: Int! }',
        resolvers: { Query: { post: () => ({ id: 'p1' }) }, Post: { __resolveReference: same, price: () => 7 } },
      },
      b: {
        sdl: 'type Post @key(fields: "id") { id: ID! price: Int! @external dear: Boolean! @requires(fields: "price") }',
        resolvers: { Post: { __resolveReference: same, dear: ({ price }: { price: number }) => price > 5 } },
      },
      c: {
        sdl: 'type Post @key(fields: "id") { id: ID! dear: Boolean! @external price: Int! @external include: Boolean @requires(fields: "dear") skip: Boolean @requires(fields: "dear") neither: Boolean @requires(fields: "price dear") }',
        resolvers: {
          Post: {
            __resolveReference: same,
            include: ({ dear }: Row) => dear,
            skip: () => expect.unreachable('a field that is left out'),
            neither: () => expect.unreachable('a field that is left out'),
          },
        },
      },
    },
    cases: [
      {
        query:
          'query ($yes: Boolean!, $no: Boolean!) { post { id include @include(if: $yes) skip @skip(if: $yes) neither @include(if: $no) @skip(if: $yes) } }',
        variables: { yes: true, no: false },
        data: { post: { id: 'p1', include: true } },
      },
    ],
  },
  {
    theme: 'executable-directive-definition-default-arguments',
    parts: {
      a: {
        sdl: 'directive @note(by: String = "nobody", times: Int! = 1) on FIELD type Query { a: Post } type Post @key(fields: "id") { id: ID! title: String }',
        resolvers: { Query: { a: () => POSTS[0] }, Post: { __resolveReference: post } },
      },
      b: {
        sdl: 'directive @note(by: String = "nobody", times: Int! = 1) on FIELD type Query { b: Post } type Post @key(fields: "id") { id: ID! state: String }',
        resolvers: { Query: { b: () => POSTS[1] }, Post: { __resolveReference: post } },
      },
    },
    cases: [
      {
        query: '{ a @note { id title @note(by: "me") state } b { state @note(times: 2) title } }',
        data: { a: { id: 'p1', title: 'One', state: 'LIVE' }, b: { state: 'DRAFT', title: 'Two' } },
      },
    ],
  },
]
