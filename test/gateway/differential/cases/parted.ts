import type { Table } from '../small-graph.ts'

/**
 * One person wrote posts of several types: what is asked about the person once is gone on with in
 * other ways for each type.
 */
const parted: Table = {
  graph: 'parted',
  subgraphs: {
    posts: {
      sdl: `
        type Query { posts: [Post!]! }
        interface Post { author: Person }
        type Text implements Post { author: Person }
        type Video implements Post { author: Person }
        type Person @key(fields: "id") { id: ID! }
      `,
      resolvers: {
        Query: { posts: () => ['Text', 'Video', 'Text'].map((__typename) => ({ __typename, author: { id: '1' } })) },
      },
    },
    persons: {
      sdl: `
        type Person @key(fields: "id") { id: ID! best: Person pairs: [[Person]] tools: [Tool!]! }
        union Tool = Pen | Ink
        type Pen @shareable { at: Spot! }
        type Ink { at: Spot }
        type Spot @shareable { x: Int y: Int }
      `,
      resolvers: {
        Person: {
          best: () => ({ id: '2' }),
          pairs: () => [[{ id: '3' }, null], null],
          tools: () => [
            { __typename: 'Ink', at: { x: 1, y: 2 } },
            { __typename: 'Pen', at: { x: 3, y: 4 } },
          ],
        },
      },
    },
    likes: {
      sdl: `
        type Person @key(fields: "id") { id: ID! karma(since: Int = 0): Int }
        type Pen @shareable { at: Spot }
        type Spot @shareable { x: Int y: Int }
      `,
      resolvers: { Person: { karma: (_: unknown, { since }: { since: number }) => since } },
    },
  },
  cases: [
    {
      name: 'other arguments per type below what all types share',
      query:
        '{ posts { author { best { id } } ... on Text { author { best { k: karma(since: 1) } } } ... on Video { author { best { k: karma(since: 2) } } } } }',
      data: { posts: [1, 2, 1].map((k) => ({ author: { best: { id: '2', k } } })) },
    },
    {
      name: 'the same in lists of lists',
      query:
        '{ posts { author { pairs { id } } ... on Text { author { pairs { k: karma } } } ... on Video { author { pairs { k: karma(since: 2) } } } } }',
      data: { posts: [0, 2, 0].map((k) => ({ author: { pairs: [[{ id: '3', k }, null], null] } })) },
    },
    {
      name: 'beside fields that have another name on the way',
      query:
        '{ posts { author { best { id } tools { ... on Ink { at { y } } ... on Pen { at { x } } } } ... on Video { author { best { karma } } } } }',
      data: {
        posts: [{ id: '2' }, { id: '2', karma: 0 }, { id: '2' }].map((best) => ({
          author: { best, tools: [{ at: { y: 2 } }, { at: { x: 3 } }] },
        })),
      },
    },
  ],
}

export const partedTables: readonly Table[] = [parted]
