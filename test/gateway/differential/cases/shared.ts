import type { Table } from '../small-graph.ts'

const NAMES: Readonly<Record<string, string>> = { '1': 'Ada', '2': 'Bob' }

/**
 * The same few people stand at many places: what is found out about one is found out for all places
 * where nothing else was said.
 */
const shared: Table = {
  graph: 'shared',
  subgraphs: {
    posts: {
      sdl: `
        type Query { posts: [Post!]! known: [Post!]! threads: [[Post]] things: [Thing!]! beings: [Being!]! }
        union Being = Person | Robot
        type Robot @key(fields: "id") { id: ID! }
        interface Thing { author: Person }
        type Post implements Thing { title: String! author: Person reviewer: Person! likedBy: [Person]! meta: Meta! replies: [Reply!]! }
        type Reply implements Thing { author: Person }
        type Meta @shareable { owner: Person }
        type Person @key(fields: "id") @key(fields: "code") { id: ID! nick: String code: ID }
      `,
      resolvers: {
        Query: {
          posts: () => ['1', '2', '1', '9', '1'].map(post),
          known: () => ['1', '2', '1'].map(post),
          things: () =>
            ['1', '2', '1'].flatMap((id, index) => [
              { __typename: 'Post', ...post(id, index) },
              { __typename: 'Reply', author: person(id, index) },
            ]),
          beings: () => ['Person', 'Robot', 'Person', 'Robot'].map((__typename) => ({ __typename, ...person('1', 0) })),
          threads: () => [[post('1', 0), null, post('1', 1)], null, []],
        },
      },
    },
    people: {
      sdl: `
        type Person @key(fields: "id") { id: ID! name: String! rank: Int best: Person friends: [Person!]! card: Card! cards: [[Card]!] }
        type Card { tag: String kind: Kind best: Person holder: Person! }
        enum Kind { PLAIN GOLD HIDDEN @inaccessible }
      `,
      resolvers: {
        Person: {
          __resolveReference: ({ id }: { id: string }) => (NAMES[id] ? { ...named(id), rank: Number(id) * 10 } : null),
          best: ({ id }: { id: string }) => (id === '1' ? { id: '2' } : null),
          friends: () => [{ id: '1' }, { id: '2' }, { id: '1' }],
          card: (of: { id: string }) => card(of),
          cards: ({ id }: { id: string }) => [[card({ id }), null, card({ id: '2' })], []],
        },
      },
    },
    badges: {
      sdl: `
        type Person @key(fields: "id") { id: ID! rank: Int @external badge(big: Boolean = false): String @requires(fields: "rank") level: Int! }
        type Robot @key(fields: "id") { id: ID! level: Int! }
      `,
      resolvers: {
        Person: {
          badge: ({ rank }: { rank: number | null }, { big }: { big: boolean }) => `${big ? 'BADGE' : 'badge'} ${rank}`,
          level: ({ id }: { id: string }) => id.length,
        },
        Robot: { level: () => 99 },
      },
    },
    clubs: {
      sdl: `type Person @key(fields: "code") { code: ID club: String }`,
      resolvers: { Person: { club: ({ code }: { code: string }) => `club ${code}` } },
    },
  },
  cases: [
    { name: 'of several subgraphs', query: '{ posts { title author { name level } } }' },
    { name: 'where a name may not be missing', query: '{ posts { reviewer { name } likedBy { id name } } }' },
    { name: 'told of further', query: '{ posts { author { name best { name level friends { name badge } } } } }' },
    { name: 'for which more is needed', query: '{ known { author { badge big: badge(big: true) rank } } }' },
    {
      name: 'of which something else is said at each place',
      query: '{ posts { author { nick name level } } }',
      data: {
        posts: ['1', '2', '1', '9', '1'].map((id, index) => {
          const name = NAMES[id]
          return { author: name === undefined ? null : { nick: `nick ${index}`, name, level: 1 } }
        }),
      },
    },
    { name: 'known by another key', query: '{ posts { author { club } reviewer { club level } } }' },
    { name: 'in lists of lists with gaps', query: '{ threads { author { name level } likedBy { level } } }' },
    { name: 'inside of values', query: '{ posts { meta { owner { name } } author { name } } }' },
    {
      name: 'of which other things are asked by what they belong to',
      query: '{ things { ... on Post { author { name __typename } } ... on Reply { author { type: __typename name } } } }',
    },
    {
      name: 'whose fields stand in another order where they belong to something else',
      query: '{ things { ... on Post { author { id } } author { level id } } }',
    },
    {
      name: 'beside others with the same key',
      query: '{ beings { ... on Person { level } ... on Robot { level } } }',
      data: { beings: [1, 99, 1, 99].map((level) => ({ level })) },
    },
    {
      name: 'under other names, and asked in other ways at other places',
      query:
        '{ known { author { n: name b: badge } reviewer { n: level b: badge(big: true) } replies { author { n: name } } } again: posts { author { level } } }',
    },
    {
      name: 'in fragments that meet',
      query:
        'query ($with: Boolean = true) { posts { ...A author { level @include(if: $with) } } } fragment A on Thing { author { name ... on Person { rank } } }',
    },
    {
      name: 'in fragments, left out',
      query:
        'query ($with: Boolean = true) { posts { ...A author { level @include(if: $with) } } } fragment A on Thing { author { name @skip(if: $with) id } }',
      variables: { with: false },
    },
    {
      name: 'whose parts have others in them',
      query: '{ posts { title author { card { tag best { level } holder { name level } } } } }',
    },
    {
      name: 'whose parts stand at places of which something else is said',
      query: '{ posts { author { nick card { tag holder { toString: level valueOf: name } } cards { best { level } tag } } } }',
    },
    {
      name: 'whose parts are asked for by each of what they belong to',
      query:
        '{ things { ... on Post { author { card { holder { toString: level } } } } ... on Reply { author { card { holder { toString: level } } } } } }',
    },
    {
      name: 'whose parts are asked for by what may be of several types',
      query: '{ things { author { name card { holder { toString: level name } kind } cards { kind tag } } } }',
    },
    {
      name: 'whose parts are asked for in another order than before',
      query: '{ posts { author { card { kind tag } } reviewer { card { tag kind best { id } } } title } }',
    },
    { name: 'with their types', query: '{ posts { __typename author { __typename type: __typename level } } }' },
  ],
}

/** Of one of these values a second subgraph says which type it has, of the others nobody does. */
const said: Table = {
  graph: 'said',
  subgraphs: {
    things: {
      sdl: `
        type Query { things: [Thing!]! }
        type Thing @key(fields: "id") { id: ID! meta: Meta @shareable }
        type Meta { owner: Person }
        type Person @key(fields: "id") { id: ID! }
      `,
      resolvers: { Query: { things: () => ['1', '2', '3'].map((id) => ({ id, meta: { owner: { id: '7' } } })) } },
    },
    sizes: {
      sdl: 'type Thing @key(fields: "id") { id: ID! meta: Meta @shareable } type Meta { size: Int }',
      resolvers: {
        Thing: { __resolveReference: ({ id }: { id: string }) => (id === '1' ? { id, meta: { size: 5 } } : null) },
      },
    },
    levels: {
      sdl: 'type Person @key(fields: "id") { id: ID! level: Int! }',
      resolvers: { Person: { level: () => 3 } },
    },
    cards: {
      sdl: `
        type Person @key(fields: "id") { id: ID! card: Card }
        type Card { tag: String of: Person holder: Being }
        union Being = Person | Robot
        type Robot @key(fields: "id") { id: ID! }
      `,
      resolvers: {
        Person: { card: ({ id }: { id: string }) => ({ tag: `card ${id}`, of: { id }, holder: { __typename: 'Person', id } }) },
      },
    },
  },
  cases: [
    {
      name: 'what is shared below values of which some say their type',
      query: '{ things { meta { __typename size owner { card { tag holder { ... on Person { level } } } } } } }',
    },
    {
      name: 'what is shared below them, under another name',
      query: '{ things { meta { __typename size owner { card { tag of { toString: level } } } } } }',
    },
  ],
}

function post(id: string, index: number) {
  const [author, other] = [person(id, index), person('2', index)]
  return {
    title: `Post ${index}`,
    author,
    reviewer: index % 2 === 0 ? other : person('1', index),
    likedBy: [author, null, other, author],
    meta: { owner: index === 3 ? null : author },
    replies: [{ author }, { author: other }],
  }
}

/** What people show; one kind of them is kept from clients. */
const card = ({ id }: { id: string }) => ({
  tag: `card ${id}`,
  kind: id === '2' ? 'HIDDEN' : 'GOLD',
  best: named('2'),
  holder: named(id),
})

const named = (id: string) => ({ id, name: NAMES[id] })

const person = (id: string, index: number) => ({ id, nick: `nick ${index}`, code: `c${id}` })

export const sharedTables: readonly Table[] = [shared, said]
