import { expect, test } from 'vitest'
import { ask, localGraph } from '../support/graph.ts'
import { aGraph } from '../support/http-graph.ts'

const HEAD = 'query ($x: Boolean = true, $y: Boolean!)'
const REFUSED = {
  errors: [{ message: 'Argument "if" of non-null type "Boolean!" must not be null.', extensions: { code: 'BAD_USER_INPUT' } }],
}

/**
 * Wherever a condition can stand in a plan: a subgraph's own, one of several, a whole fetch, or
 * nowhere at all.
 */
const PLACES: readonly { where: string; query: string }[] = [
  { where: 'on a field of one subgraph', query: '{ product(id: "a") { id name @include(if: $x) } caller @skip(if: $y) }' },
  { where: 'on all that one fetch is for', query: '{ product(id: "a") { name rating @include(if: $x) } caller @skip(if: $y) }' },
  { where: 'on all that one fetch is not for', query: '{ product(id: "a") { name rating @skip(if: $x) } caller @skip(if: $y) }' },
  { where: 'on a fragment', query: '{ ... @include(if: $x) { latestReview { text } } caller @skip(if: $y) }' },
  { where: 'in a named fragment', query: '{ ...a caller @skip(if: $y) } fragment a on Query { caller @include(if: $x) }' },
  {
    where: 'below what is left out',
    query: '{ product(id: "a") @skip(if: true) { name @include(if: $x) } caller @skip(if: $y) }',
  },
  { where: 'beside introspection', query: '{ __schema { queryType { name @include(if: $x) } } caller @skip(if: $y) }' },
  { where: 'in introspection alone', query: '{ __typename @skip(if: $y) __schema { queryType { name @include(if: $x) } } }' },
]

test.each(PLACES)('null for a condition with a default is refused alike $where', async ({ query }) => {
  const { gateway } = await localGraph()
  const { gateway: remote } = await aGraph()
  for (const graph of [gateway, remote]) {
    const askWith = (variables: Record<string, unknown>) => ask(graph, `${HEAD} ${query}`, { y: false, ...variables })
    expect(await askWith({ x: null })).toEqual(REFUSED)
    for (const variables of [{}, { x: true }, { x: false }]) expect((await askWith(variables)).errors).toBeUndefined()
  }
})

test('null for a variable that is no condition stays null', async () => {
  const { gateway } = await localGraph()
  const { data } = await ask(gateway, 'query ($x: Boolean = true) { echo(flag: $x) }', { x: null })
  expect(data).toEqual({ echo: '{"flag":null}' })
})
