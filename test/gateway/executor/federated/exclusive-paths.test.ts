import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { exclusivePathsIn } from '../../../../gateway/executor/federated/exclusive-paths.ts'
import { parseFlattenPath } from '../../../../gateway/executor/federated/flatten-path.ts'
import type { PlannedFetch } from '../../../../gateway/executor/federated/planned-fetch.ts'

const fetchOf = (serviceName: string, operation: string, path: readonly string[] = [], more: object = {}): PlannedFetch => {
  const node = { kind: 'Fetch', serviceName, operation, ...(path.length > 0 && { requires: [] }), ...more }
  return { node: node as never, document: parse(operation), selected: [], path: parseFlattenPath(path) }
}

const entities = (selection: string) =>
  `query ($representations: [_Any!]!) { _entities(representations: $representations) { ${selection} } }`

/** Of subgraphs whose names begin with a capital letter we know nothing. */
const owned = (...fetches: readonly PlannedFetch[]) =>
  Object.fromEntries(exclusivePathsIn(fetches, (name) => name === name.toLowerCase()))

test('Paths that only one fetch of a trusted subgraph writes are exclusive, with the keys of their objects', () => {
  expect(owned(fetchOf('a', '{ posts { title by: author { name } parts { ... on Text { text } } } }'))).toEqual({
    posts: ['title', 'by', 'parts'],
    'posts.by': ['name'],
    'posts.parts': null,
  })
  expect(owned(fetchOf('A', '{ posts { title } }'))).toEqual({})
})

test('A path that a second fetch writes is not exclusive, whether trusted or not, and stays so after a third', () => {
  const first = fetchOf('a', '{ posts { id meta { x } } }')
  const second = (name: string) => fetchOf(name, entities('... on Post { meta { y } more { z } }'), ['posts', '@'])
  expect(owned(first, second('b'))).toEqual({ 'posts.more': ['z'] })
  expect(owned(first, second('B'))).toEqual({})
  expect(owned(first, second('b'), second('a'))).toEqual({})
  expect(owned(second('B'), first)).toEqual({})
  // Two fragments of one fetch may say it in two orders.
  expect(owned(fetchOf('a', '{ all { ... on Text { at { x y } } ... on Film { at { y x } } } }'))).toEqual({ all: null })
})

test('An object that may be absent has no known keys', () => {
  const query = 'query ($on: Boolean!) { posts { title id @include(if: $on) meta { x } } }'
  expect(owned(fetchOf('a', query))).toEqual({ posts: null, 'posts.meta': ['x'] })
})

test('No path is exclusive where keys are renamed, or where it continues for some types only', () => {
  const first = fetchOf('a', '{ posts { id } }')
  expect(owned(first, fetchOf('a', '{ more { x } }', [], { outputRewrites: [] }))).toEqual({})
  expect(owned(first, fetchOf('a', entities('... on Post { meta { y } }'), ['posts', '@|[Post]']))).toEqual({})
})

test('Fragments of a fetch are read where they are spread', () => {
  const query = '{ posts { ...P } } fragment P on Post { meta { x ...M } parts { y } } fragment M on Meta { z }'
  expect(owned(fetchOf('a', query))).toEqual({ posts: null, 'posts.meta': null, 'posts.parts': ['y'] })
})
