/**
 * Random operations that were answered wrongly once, made small. Kept as operations, because a seed
 * means another one when a schema changes.
 */
export const REGRESSION_SEEDS: readonly {
  readonly why: string
  /** The world that it is asked of. */
  readonly graph: string
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
  /** Whether some of its fields throw. */
  readonly isFaulty?: boolean
}[] = [
  {
    why: 'a field that requires what a fault took away',
    graph: 'shop',
    query: '{ product(id: "é\\"\\\\\\n") { bill parts { of { name } } } }',
    isFaulty: true,
  },
  {
    why: 'the type of an item beside its posts, which another subgraph has',
    graph: 'atrium',
    query: '{ skills { edges { ...F0 } } } fragment F0 on SkillEdge { node { __typename posts { totalCount } } }',
  },
  {
    why: 'a field of an interface object beside the type, inside of another',
    graph: 'shapes',
    query: '{ shape(id: 12) { coats { of { twin { ... on Square { __typename color } } } } } }',
  },
  {
    why: 'a type condition below an interface object',
    graph: 'shapes',
    query:
      '{ shapes { ... on Circle { coats { of { ... on Square { side } } } } ...F2 } } fragment F7 on Square { coats { of { ... on Shape { ... on Square { color label } } } } } fragment F2 on Square { ...F7 }',
  },
  {
    why: 'the type of one member, and a field of the interface object of each',
    graph: 'shapes',
    query: '{ shapes { ... on Square { __typename color } ...F0 } } fragment F0 on Shape { ... on Circle { color } }',
  },
  {
    why: 'a condition on a fragment below an interface object',
    graph: 'shapes',
    query:
      'query ($v4: Boolean!) { shapes { ...F0 } } fragment F4 on Square { area color } fragment F0 on Circle { twin { label twin { color ...F4 ... on Circle { area label radius } } } coats { of { twin { area ...F4 @include(if: $v4) ... on Square { ...F4 label } } } } }',
    variables: { v4: true },
  },
  {
    why: 'one name for a renamed field of two members',
    graph: 'renamed',
    query:
      'query ($v5: Boolean!) { things { ... on Ink { ...F0 } } things { ...F2 } } fragment F0 on Ink { to { x } } fragment F2 on Pen { to { toString: x } ... on Pen @include(if: $v5) { to { x } } }',
    variables: { v5: true },
  },
  {
    why: 'the same with the inner fragments the other way round',
    graph: 'renamed',
    query:
      '{ things { ... { ... { ... on Pen { ...F2 isNew } ... on Ink { ...F10 } } } } } fragment F4 on Pen { stock } fragment F2 on Thing { ...F4 } fragment F10 on Ink { isNew }',
  },
  { why: 'lists of lists in parts', graph: 'grids', query: '{ maps { ... on Map { cells { ... on Cell { z } y } } } }' },
  {
    why: 'order of keys: a condition between two selections of one list',
    graph: 'shop',
    query: 'query ($v1: Boolean!) { boxes { content { parts { code } } content @skip(if: $v1) { tax } content { days } } }',
    variables: { v1: false },
  },
  {
    why: 'order of keys: types inside of types',
    graph: 'feed',
    query:
      '{ feed { ... on Video { copies { of { ...F0 } } } } } fragment F0 on Text { ... on Post { ... { __typename } ... on Text { words } ... { constructor: __typename } } }',
  },
  {
    why: 'order of keys, and a field that throws',
    graph: 'people',
    query: '{ users { ... on User { isNew } reviews { badge { weight } } ... on User { score } } }',
    isFaulty: true,
  },
  {
    why: 'a type inside of an interface inside of that type',
    graph: 'atrium',
    query:
      '{ mcpServer(owner: "12", repo: "x") { ... on DirectoryItem { ... on McpServer { ... on DirectoryItem { popularity } } } } }',
  },
  {
    why: 'an error in a list of mixed types, two levels deep',
    graph: 'media',
    query: '{ items { related { related { ... on Film { by { __typename } } } } } }',
    isFaulty: true,
  },
  {
    why: 'a field of one type that an interface object is asked of all types, and that throws for another',
    graph: 'shapes',
    query: '{ shapes { ... on Circle { label color } ... on Square { label coats { name } __typename } } }',
    isFaulty: true,
  },
  {
    why: 'the same, where ApolloGateway loses what did not throw',
    graph: 'shapes',
    query:
      '{ shapes { ... on Square { coats { of { ... on Circle { id } } } } ...F1 } } fragment F1 on Circle { twin { ... on Square { color label } } }',
    isFaulty: true,
  },
]
