import type { SubscriptionCase, Table } from '../small-graph.ts'

type Ref = { readonly id: string }

/** A list of events, whatever is asked: [id, text, what the room is]. */
const events = (...messages: readonly object[]) => ({
  async *subscribe() {
    yield* messages
  },
  resolve: (message: object) => message,
})

const fault = (...path: readonly (string | number)[]) => ({
  message: 'It failed.',
  path,
  extensions: { code: 'INTERNAL_SERVER_ERROR' },
})
const invalid = (...path: readonly (string | number)[]) => ({
  message: 'It does not fit.',
  path,
  extensions: { code: 'INVALID_SUBGRAPH_ANSWER' },
})

const subscriptions: readonly SubscriptionCase[] = [
  {
    name: 'of one subgraph',
    query: 'subscription { said { text } }',
    events: [{ data: { said: { text: 'one' } } }, { data: { said: { text: '' } } }],
  },
  {
    name: 'with fields of another subgraph',
    query: 'subscription { said { room { topic name } by { name age } } }',
    events: [
      { data: { said: { room: { topic: 'Topic r1', name: 'Room r1' }, by: { name: 'Person p1', age: 0 } } } },
      { data: { said: { room: { topic: 'Topic r2', name: 'Room r2' }, by: null } } },
    ],
  },
  {
    name: 'under another name, with variables and conditions',
    query:
      'subscription Told($no: Boolean = false, $n: Int) { it: said { text by { age @include(if: $no) friends(first: $n) { name } } kind: __typename } }',
    variables: { n: 1 },
    events: [
      { data: { it: { text: 'one', by: { friends: [{ name: 'Person p2' }] }, kind: 'Message' } } },
      { data: { it: { text: '', by: null, kind: 'Message' } } },
    ],
  },
  {
    name: 'of a union, with other arguments per member',
    query:
      'subscription { happened { ... on Message { by { friends(first: 1) { name } } } ... on Joined { by { friends(first: 2) { age } } room { topic } } } }',
    events: [
      { data: { happened: { by: { friends: [{ age: 1 }, { age: 2 }] }, room: { topic: 'Topic r1' } } } },
      { data: { happened: { by: { friends: [{ name: 'Person p2' }] } } } },
    ],
  },
  {
    name: 'a field of another subgraph that throws',
    query: 'subscription { said { text by { name age } } }',
    fault: { kind: 'throws', subgraph: 'persons', field: 'Person.age' },
    events: [
      { data: { said: { text: 'one', by: { name: 'Person p1', age: null } } }, errors: [fault('said', 'by', 'age')] },
      { data: { said: { text: '', by: null } } },
    ],
  },
  {
    name: 'a promise of another subgraph that is broken',
    query: 'subscription { said { text by { name } } }',
    fault: { kind: 'no-entities', subgraph: 'persons' },
    events: [
      { data: { said: { text: 'one', by: null } }, errors: [invalid('said', 'by', 'name')] },
      { data: { said: { text: '', by: null } } },
    ],
  },
  {
    name: 'another subgraph that cannot be reached',
    query: 'subscription { said { text by { age } } }',
    fault: { kind: 'unreachable', subgraph: 'persons' },
    events: [
      {
        data: { said: { text: 'one', by: { age: null } } },
        errors: [{ message: 'It cannot be reached.', extensions: { code: 'SUBGRAPH_UNAVAILABLE' } }],
      },
      { data: { said: { text: '', by: null } } },
    ],
  },
]

/**
 * Mutations of two subgraphs that see each other's effects, subscriptions, and what else an
 * operation can be.
 */
const chat = (): Table => {
  let opened = 'none'
  const open = async (name: string) => {
    await new Promise(setImmediate)
    opened = name
    return { room: { id: name } }
  }
  return {
    graph: 'chat',
    subgraphs: {
      rooms: {
        sdl: `
          type Query { room(id: ID!): Room nothing: Int }
          type Mutation { open(name: String!): Opened! fail: Room! }
          type Subscription { said(room: ID): Message happened: Event }
          type Room @key(fields: "id") { id: ID! topic: String }
          type Opened { room: Room }
          type Message { text: String! room: Room! by: Person }
          type Joined { room: Room by: Person }
          union Event = Message | Joined
          type Person @key(fields: "id") { id: ID! }
        `,
        resolvers: {
          Query: { room: (_: unknown, { id }: Ref) => ({ id }), nothing: () => null },
          Mutation: {
            open: (_: unknown, { name }: { name: string }) => open(name),
            fail: () => null,
          },
          Room: { topic: ({ id }: Ref) => `Topic ${id}` },
          Subscription: {
            said: events({ text: 'one', room: { id: 'r1' }, by: { id: 'p1' } }, { text: '', room: { id: 'r2' }, by: null }),
            happened: events(
              { __typename: 'Joined', room: { id: 'r1' }, by: { id: 'p1' } },
              { __typename: 'Message', text: 't', room: { id: 'r1' }, by: { id: 'p1' } },
            ),
          },
        },
      },
      persons: {
        sdl: `
          type Mutation { greet(who: ID!): Person lastOpened: String }
          type Room @key(fields: "id") { id: ID! name: String }
          type Person @key(fields: "id") { id: ID! name: String! age: Int friends(first: Int): [Person!]! }
        `,
        resolvers: {
          Mutation: { greet: (_: unknown, { who }: { who: string }) => ({ id: who }), lastOpened: () => opened },
          Room: { name: ({ id }: Ref) => `Room ${id}` },
          Person: {
            name: ({ id }: Ref) => `Person ${id}`,
            age: ({ id }: Ref) => Number(id.slice(1)) - 1,
            friends: (_: unknown, { first }: { first?: number }) => [{ id: 'p2' }, { id: 'p3' }].slice(0, first),
          },
        },
      },
    },
    subscriptions,
    cases: [
      {
        name: 'mutations of one subgraph between those of another, one after the other',
        query:
          'mutation { a: open(name: "x") { room { topic name } } x: lastOpened greet(who: "p1") { age } b: open(name: "y") { room { name } } y: lastOpened }',
        data: {
          a: { room: { topic: 'Topic x', name: 'Room x' } },
          x: 'x',
          greet: { age: 0 },
          b: { room: { name: 'Room y' } },
          y: 'y',
        },
      },
      { name: 'a mutation whose promise is broken', query: 'mutation { greet(who: "p2") { name } fail { name } }' },
      {
        name: 'a mutation under a condition',
        query: 'mutation ($a: Boolean!) { greet(who: "p2") @skip(if: $a) { age } open(name: "z") { room { name } } }',
        variables: { a: true },
      },
      {
        name: 'one of several operations',
        query: 'query A { nothing } query B($id: ID!) { room(id: $id) { name ...T } } fragment T on Room { topic }',
        operationName: 'B',
        variables: { id: 'r7' },
      },
      {
        name: 'the other of several operations',
        query: 'query A { nothing } query B($id: ID!) { room(id: $id) { name ...T } } fragment T on Room { topic }',
        operationName: 'A',
        data: { nothing: null },
      },
      { name: 'a name of an operation with fetches behind it', query: 'query Some_Name__1 { room(id: "1") { name } }' },
      {
        name: 'a variable called representations',
        query: 'query ($representations: ID!) { room(id: $representations) { name topic } }',
        variables: { representations: 'r' },
      },
      { name: 'null at the root', query: '{ nothing room(id: "") { name } }' },
    ],
  }
}

export const operationTables: readonly Table[] = [chat()]
