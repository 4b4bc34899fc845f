import type { Table } from '../small-graph.ts'

const ROOM = { id: 'r1', name: 'Hall', seats: 0 }

/** @skip and @include decide about whole fetches. */
const rooms: Table = {
  graph: 'rooms',
  subgraphs: {
    house: {
      sdl: 'type Query { room: Room rooms: [Room!]! } type Room @key(fields: "id") { id: ID! name: String seats: Int next: Room }',
      resolvers: {
        Query: { room: () => ROOM, rooms: () => [ROOM, { id: 'r2', name: null, seats: 3 }] },
        Room: { next: () => ({ id: 'r3', name: 'Next', seats: 1 }) },
      },
    },
    climate: {
      sdl: 'type Query { outside: Float } type Room @key(fields: "id") { id: ID! heat(unit: Unit = C): Float air: Air } type Air { co2: Int! wet: Boolean } enum Unit { C F }',
      resolvers: {
        Query: { outside: () => 0 },
        Room: {
          heat: (_: unknown, { unit }: { unit: string }) => (unit === 'C' ? 20.5 : 69),
          air: () => ({ co2: 400, wet: false }),
        },
      },
    },
    bookings: {
      sdl: 'type Room @key(fields: "id") { id: ID! booked(on: String): Boolean guests: [String!] }',
      resolvers: { Room: { booked: (_: unknown, { on }: { on?: string | null }) => on === null, guests: () => [] } },
    },
  },
  cases: [
    {
      name: 'a fetch that is skipped',
      query: 'query ($a: Boolean!) { room { name heat @skip(if: $a) } }',
      variables: { a: true },
      data: { room: { name: 'Hall' } },
    },
    {
      name: 'a fetch that is not skipped',
      query: 'query ($a: Boolean!) { room { name heat @skip(if: $a) } }',
      variables: { a: false },
    },
    {
      name: 'a fetch that is included',
      query: 'query ($a: Boolean!) { rooms { air @include(if: $a) { co2 } booked } }',
      variables: { a: true },
    },
    {
      name: 'a fetch that is not included',
      query: 'query ($a: Boolean!) { rooms { air @include(if: $a) { co2 } booked } }',
      variables: { a: false },
    },
    {
      name: 'a condition by the default of its variable',
      query: 'query ($a: Boolean = true, $b: Boolean = false) { room { heat @include(if: $a) booked @include(if: $b) } }',
      data: { room: { heat: 20.5 } },
    },
    {
      name: 'a condition against the default of its variable',
      query: 'query ($a: Boolean = true, $b: Boolean! = false) { room { heat @include(if: $a) booked @include(if: $b) } }',
      variables: { a: false, b: true },
      data: { room: { booked: false } },
    },
    {
      name: 'both conditions on one field',
      query:
        'query ($a: Boolean!, $b: Boolean!) { room { heat @include(if: $a) @skip(if: $b) air @include(if: $b) @skip(if: $a) { wet } name } }',
      variables: { a: true, b: false },
    },
    {
      name: 'conditions inside conditions',
      query:
        'query ($a: Boolean!, $b: Boolean!) { room @include(if: $a) { ... @skip(if: $b) { heat next { ... @include(if: $a) { booked air { co2 @skip(if: $b) wet } } } } name } outside @skip(if: $b) }',
      variables: { a: true, b: false },
    },
    {
      name: 'everything is skipped',
      query: 'query ($a: Boolean!) { room @skip(if: $a) { heat } outside @skip(if: $a) }',
      variables: { a: true },
      data: {},
    },
    {
      name: 'one field under two conditions',
      query:
        'query ($a: Boolean!, $b: Boolean!) { room { heat @include(if: $a) ... @include(if: $b) { heat name } name @skip(if: $a) } }',
      variables: { a: false, b: true },
      data: { room: { heat: 20.5, name: 'Hall' } },
    },
    {
      name: 'the order of keys is that of what is included',
      query:
        'query ($a: Boolean!) { room { heat @include(if: $a) name ...Rest @skip(if: $a) booked heat seats } } fragment Rest on Room { seats guests }',
      variables: { a: false },
      data: { room: { name: 'Hall', seats: 0, guests: [], booked: false, heat: 20.5 } },
    },
    {
      name: 'constants',
      query:
        '{ room { heat @skip(if: false) @include(if: true) name @include(if: false) booked @skip(if: true) ... @include(if: false) { air { wet } } } }',
      data: { room: { heat: 20.5 } },
    },
    {
      name: 'a variable only of a skipped field',
      query: 'query ($u: Unit, $a: Boolean!) { room { heat(unit: $u) @skip(if: $a) booked } }',
      variables: { a: true },
    },
    {
      name: 'a condition on a named fragment across fetches',
      query:
        'query ($a: Boolean!) { rooms { id ...Climate @include(if: $a) ...Booked @skip(if: $a) } } fragment Climate on Room { heat(unit: F) air { co2 } } fragment Booked on Room { booked(on: null) guests }',
      variables: { a: false },
    },
    {
      name: 'a condition around entities in lists',
      query: 'query ($a: Boolean!) { rooms { next @include(if: $a) { heat booked } } }',
      variables: { a: true },
    },
    {
      name: 'a null for a condition that has a default is not possible, absent is',
      query: 'query ($a: Boolean! = true) { room { air @include(if: $a) { co2 } } }',
      variables: {},
    },
  ],
}

export const conditionTables: readonly Table[] = [rooms]
