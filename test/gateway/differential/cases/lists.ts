import type { Table } from '../small-graph.ts'

type Ref = { readonly id: string }

/**
 * Lists in lists, lists that come in parts from two subgraphs, null at every depth, and promises
 * about null at every depth.
 */
const grids: Table = {
  graph: 'grids',
  subgraphs: {
    maps: {
      sdl: `
        type Query { maps: [Map]! strict: [[Spot!]!]! loose: [[Spot]] cube: [[[Spot]]] }
        type Map @key(fields: "id") { id: ID! cells: [[Cell]] @shareable row: [Cell!]! @shareable uneven: [Cell] @shareable first: Cell @shareable spot: Spot! other: Spot }
        type Cell @shareable { x: Int y: Int! }
        type Spot @key(fields: "id") { id: ID! near: [Spot!] inner: [[Spot!]] }
      `,
      resolvers: {
        Query: {
          maps: () => [{ id: 'm1' }, null, { id: 'm2' }],
          strict: () => [[{ id: 's1' }], [], [{ id: 's2' }, { id: 's1' }]],
          loose: () => [null, [null, { id: 's1' }], []],
          cube: () => [[[{ id: 's1' }, null], null], null, [[]]],
        },
        Map: {
          cells: () => [[{ x: 1, y: 2 }, null], null, []],
          row: () => [
            { x: 0, y: 0 },
            { x: 5, y: 6 },
          ],
          uneven: () => [
            { x: 1, y: 1 },
            { x: 2, y: 2 },
          ],
          first: ({ id }: Ref) => (id === 'm1' ? { x: 1, y: 2 } : null),
          spot: ({ id }: Ref) => ({ id: id === 'm1' ? 's1' : 's404' }),
          other: ({ id }: Ref) => (id === 'm1' ? { id: 's404' } : null),
        },
        Spot: {
          near: ({ id }: Ref) => (id === 's1' ? [{ id: 's2' }, { id: 's1' }] : null),
          inner: ({ id }: Ref) => (id === 's2' ? [[{ id: 's2' }], null] : []),
        },
      },
    },
    depth: {
      sdl: `
        type Map @key(fields: "id") { id: ID! cells: [[Cell]] @shareable row: [Cell!]! @shareable uneven: [Cell] @shareable first: Cell @shareable depth: Int! }
        type Cell @shareable { x: Int z: Int }
        type Spot @key(fields: "id") { id: ID! depth: Int! maybe: Int marks: [[Mark!]] }
        type Mark { text: String! on: Spot }
      `,
      resolvers: {
        Map: {
          cells: () => [[{ x: 1, z: 3 }, null], null, []],
          row: () => [
            { x: 0, z: 0 },
            { x: 5, z: null },
          ],
          uneven: () => [{ x: 1, z: 1 }],
          first: ({ id }: Ref) => (id === 'm1' ? { x: 1, z: 3 } : null),
          depth: () => 0,
        },
        Spot: {
          __resolveReference: ({ id }: Ref) => (id === 's404' ? null : { id }),
          depth: ({ id }: Ref) => Number(id.slice(1)),
          maybe: ({ id }: Ref) => (id === 's1' ? 0 : null),
          marks: ({ id }: Ref) => [[{ text: '', on: { id } }], null, []],
        },
      },
    },
  },
  cases: [
    { name: 'promises at every depth', query: '{ strict { id depth maybe } }' },
    { name: 'no promises at all', query: '{ loose { depth maybe } }' },
    { name: 'three deep', query: '{ cube { depth marks { text on { near { depth } } } } }' },
    {
      name: 'entities of entities in lists of lists',
      query: '{ strict { inner { depth near { maybe marks { on { inner { depth } } } } } } }',
    },
    { name: 'an entity that the next subgraph does not know, where null is allowed', query: '{ maps { other { depth } } }' },
    { name: 'an entity that the next subgraph does not know, where it is not', query: '{ maps { id spot { depth } } }' },
    {
      name: 'an entity that the next subgraph does not know, and only nullable fields of it',
      query: '{ maps { spot { maybe id } other { marks { text } } } }',
    },
    {
      name: 'a list in parts from two subgraphs',
      query: '{ maps { row { z y x } depth } }',
      data: {
        maps: [
          {
            row: [
              { z: 0, y: 0, x: 0 },
              { z: null, y: 6, x: 5 },
            ],
            depth: 0,
          },
          null,
          {
            row: [
              { z: 0, y: 0, x: 0 },
              { z: null, y: 6, x: 5 },
            ],
            depth: 0,
          },
        ],
      },
    },
    { name: 'an object in parts from two subgraphs', query: '{ maps { first { x y z } } }' },
    {
      name: 'a list of lists in parts from two subgraphs',
      query: '{ maps { cells { z y x } } }',
      data: {
        maps: [{ cells: [[{ z: 3, y: 2, x: 1 }, null], null, []] }, null, { cells: [[{ z: 3, y: 2, x: 1 }, null], null, []] }],
      },
    },
    { name: 'parts of a list that are not equally long', query: '{ maps { uneven { z x } } }' },
    { name: 'the same list under two names', query: '{ a: strict { depth } b: strict { maybe depth } strict { id } }' },
  ],
}

/** Fields that promise a value, from subgraph to subgraph. */
const promises: Table = {
  graph: 'promises',
  subgraphs: {
    roots: {
      sdl: `
        type Query { must: Node! may: Node list: [Node!] strict: [Node!]! loose: [Node]! }
        type Node @key(fields: "id") { id: ID! child: Node! maybe: Node name: String! }
      `,
      resolvers: {
        Query: {
          must: () => ({ id: '1' }),
          may: () => ({ id: '2' }),
          list: () => [{ id: '1' }, { id: '2' }],
          strict: () => [{ id: '3' }],
          loose: () => [{ id: '1' }, null, { id: '2' }],
        },
        Node: {
          __resolveReference: ({ id }: Ref) => ({ id }),
          child: ({ id }: Ref) => ({ id: `${id}c` }),
          maybe: ({ id }: Ref) => ({ id: `${id}m` }),
          name: ({ id }: Ref) => `node ${id}`,
        },
      },
    },
    leaves: {
      sdl: 'type Node @key(fields: "id") { id: ID! firm: Leaf! weak: Leaf firms: [Leaf!]! count: Int! } type Leaf @key(fields: "id") { id: ID! of: Node! }',
      resolvers: {
        Node: { firm: () => ({ id: 'l' }), weak: () => ({ id: 'l' }), firms: () => [{ id: 'l' }, { id: 'k' }], count: () => 0 },
        Leaf: { of: () => ({ id: '9' }) },
      },
    },
    colors: {
      sdl: 'type Leaf @key(fields: "id") { id: ID! color: String! shade: String }',
      resolvers: { Leaf: { color: () => 'green', shade: () => null } },
    },
  },
  cases: [
    { name: 'a promise at the root', query: '{ must { count firm { color } } }' },
    { name: 'a promise below something nullable', query: '{ may { count firm { color } weak { color } } }' },
    { name: 'promises of promises', query: '{ may { child { child { firm { color of { name } } } } } }' },
    { name: 'nullable things between', query: '{ must { maybe { weak { color } maybe { count } } name } }' },
    { name: 'in a nullable list', query: '{ list { count } may { name } }' },
    { name: 'in a strict list', query: '{ strict { firms { color } } may { name } }' },
    { name: 'in a loose list', query: '{ loose { firms { color shade } weak { of { count } } } }' },
    { name: 'two promises of one object', query: '{ a: may { firm { color } count name } b: may { name } }' },
    {
      name: 'another field under the name of the key',
      query: '{ may { firm { of { maybe { name } id: count } } } }',
      data: { may: { firm: { of: { maybe: { name: 'node 9m' }, id: 0 } } } },
    },
  ],
}

export const listTables: readonly Table[] = [grids, promises]
