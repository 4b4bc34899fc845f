import { createRequire } from 'node:module'
import { type DocumentNode, type FragmentDefinitionNode, Kind, parse, type ValidationRule, validate } from 'graphql'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { measureOperation, sizeLimitErrors } from '../../../gateway/limits/depth-limit.ts'
import { ask, type LocalGraph, localGraph } from '../support/graph.ts'

/** The package has no types: a rule of validation that reports the depth of every operation. */
const depthLimit: (depth: number, options: object, report: (depths: Record<string, number>) => void) => ValidationRule =
  createRequire(import.meta.url)('graphql-depth-limit')

let graph: LocalGraph
beforeAll(async () => {
  graph = await localGraph()
})

/**
 * What the package says: the depth of each operation, and whether a limit lets the document pass.
 */
function theirs(document: DocumentNode, limit: number) {
  let depths: Record<string, number> = {}
  const rule = depthLimit(limit, {}, (found) => {
    depths = found
  })
  const errors = validate(graph.gateway.schema, document, [rule as never])
  return { depths, passes: errors.length === 0 }
}

/** The same of ours. */
function ours(document: DocumentNode, limit: number) {
  const shapes = document.definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => ({ name: operation.name?.value ?? '', shape: measureOperation(document, operation) }))
  return {
    depths: Object.fromEntries(shapes.map(({ name, shape }) => [name, shape.depth])),
    passes: shapes.every(({ shape }) => sizeLimitErrors(shape, { depth: limit, cost: 0 }).length === 0),
  }
}

const nested = (levels: number, leaf = 'id') =>
  `{ product(id: "a") { ${'parent { '.repeat(levels)} ${leaf} ${'} '.repeat(levels)} } }`

describe('depth is what graphql-depth-limit counts', () => {
  test.each<{ why: string; query: string; depth: number | Record<string, number> }>([
    { why: 'a leaf at the root', query: '{ caller }', depth: 0 },
    { why: 'several leaves', query: '{ caller slow broken }', depth: 0 },
    { why: 'only __typename', query: '{ __typename }', depth: 0 },
    { why: 'an object', query: '{ product(id: "a") { id } }', depth: 1 },
    { why: 'five levels', query: nested(4), depth: 5 },
    { why: 'ten levels', query: nested(9), depth: 10 },
    { why: 'forty levels', query: nested(39), depth: 40 },
    {
      why: 'the deepest of several branches',
      query: '{ product(id: "a") { id parent { parent { id } } children { id } } }',
      depth: 3,
    },
    { why: 'lists are a level like objects', query: '{ products { edges { node { parent { id } } } totalCount } }', depth: 4 },
    { why: 'an alias is none', query: '{ a: product(id: "a") { b: parent { c: id } } }', depth: 2 },
    {
      why: 'arguments are none',
      query: '{ products(first: 3, filter: { inner: { inner: { name: "x" } } }) { totalCount } }',
      depth: 1,
    },
    { why: 'an inline fragment is none', query: '{ ... { product(id: "a") { ... on Product { ... { id } } } } }', depth: 1 },
    { why: 'types of a union', query: '{ things { ... on Note { text } ... on Product { parent { id } } } }', depth: 2 },
    {
      why: 'a fragment is none, what is in it counts',
      query: '{ product(id: "a") { ...a } } fragment a on Product { parent { id } }',
      depth: 2,
    },
    {
      why: 'fragments in fragments',
      query: '{ product(id: "a") { ...a } } fragment a on Product { parent { ...b } } fragment b on Product { parent { id } }',
      depth: 3,
    },
    {
      why: 'one fragment at two depths',
      query: '{ product(id: "a") { ...a parent { ...a } } } fragment a on Product { parent { id } }',
      depth: 3,
    },
    { why: 'a fragment that nothing uses', query: '{ caller } fragment a on Product { parent { parent { id } } }', depth: 0 },
    { why: 'introspection is free', query: '{ __schema { types { fields { type { name } } } } }', depth: 0 },
    {
      why: 'introspection beside fields',
      query: '{ __type(name: "Note") { fields { name } } product(id: "a") { id } }',
      depth: 1,
    },
    { why: '__typename below', query: '{ product(id: "a") { __typename parent { __typename } } }', depth: 2 },
    {
      why: 'directives change nothing',
      query: '{ product(id: "a") @skip(if: true) { parent @include(if: false) { id } } }',
      depth: 2,
    },
    { why: 'a mutation', query: 'mutation { rename(id: "a", name: "b") { parent { id } } }', depth: 2 },
    {
      why: 'each of several operations',
      query: 'query A { caller } query B { product(id: "a") { id } } mutation C { rename(id: "a", name: "b") { parent { id } } }',
      depth: { A: 0, B: 1, C: 2 },
    },
    {
      why: 'a few fragments that spread the next one twice',
      query: `{ product(id: "a") { ...f0 } } ${Array.from({ length: 6 }, (_, i) => `fragment f${i} on Product { ${i < 5 ? `a: parent { ...f${i + 1} } b: parent { ...f${i + 1} }` : 'id'} }`).join(' ')}`,
      depth: 6,
    },
  ])('$why', ({ query, depth }) => {
    const document = parse(query)
    const expected = typeof depth === 'number' ? { '': depth } : depth
    const deepest = Math.max(...Object.values(expected))
    expect(theirs(document, 100).depths).toEqual(expected)
    expect(ours(document, 100).depths).toEqual(expected)
    // Not only the number: the same limit lets the same documents pass. Ours takes 0 for no limit.
    for (const limit of [deepest - 1, deepest, deepest + 1].filter((limit) => limit > 0)) {
      expect([limit, theirs(document, limit).passes]).toEqual([limit, limit >= deepest])
      expect([limit, ours(document, limit).passes]).toEqual([limit, limit >= deepest])
    }
  })
})

describe('where graphql-depth-limit is not followed', () => {
  /** What the package throws, without what it prints. */
  function thrown(query: string): unknown {
    const silence = vi.spyOn(console, 'error').mockImplementation(() => {})
    try {
      theirs(parse(query), 10)
      return null
    } catch (error) {
      return error
    } finally {
      silence.mockRestore()
    }
  }

  test.each([
    {
      why: 'a cycle of fragments overflows its stack',
      query: '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }',
    },
    { why: 'it throws for an unknown fragment', query: '{ ...nope }' },
    { why: 'it looks for fragments in Object.prototype', query: '{ ...constructor }' },
    { why: 'and takes __proto__ for one', query: '{ ...__proto__ }' },
  ])('$why: ours is a refusal', async ({ query }) => {
    expect(thrown(query)).toBeInstanceOf(Error)
    expect((await ask(graph.gateway, query)).errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED')
  })

  test('it measures a fragment each time that it is spread, so that 40 of them never end: ours once', () => {
    const LEVELS = 12
    const fragments = Array.from({ length: LEVELS }, (_, i) =>
      i < LEVELS - 1
        ? `fragment f${i} on Product { a: parent { ...f${i + 1} } b: parent { ...f${i + 1} } }`
        : `fragment f${i} on Product { id }`,
    )
    const document = parse(`{ product(id: "a") { ...f0 } } ${fragments.join(' ')}`)
    let visits = 0
    const { selectionSet, ...last } = document.definitions.at(-1) as FragmentDefinitionNode
    const watched = Object.defineProperty(last, 'selectionSet', {
      get() {
        visits++
        return selectionSet
      },
    }) as FragmentDefinitionNode
    const counted = { ...document, definitions: [...document.definitions.slice(0, -1), watched] }
    const visitsOf = (measure: (document: DocumentNode, limit: number) => unknown) => {
      visits = 0
      measure(counted, 100)
      return visits
    }
    expect(visitsOf(theirs)).toBeGreaterThanOrEqual(2 ** (LEVELS - 1))
    expect(visitsOf(ours)).toBe(1)
  })

  test('it has an error for every path that is too deep: ours one, with the depth', async () => {
    const branches = Array.from({ length: 20 }, (_, i) => `a${i}: ${nested(12).slice(2, -2)}`).join(' ')
    const document = parse(`{ ${branches} }`)
    expect(validate(graph.gateway.schema, document, [depthLimit(10, {}, () => {}) as never])).toHaveLength(20)
    const { errors } = await ask(graph.gateway, `{ ${branches} }`)
    expect(errors?.map(({ extensions }) => extensions)).toEqual([{ code: 'DEPTH_LIMIT_EXCEEDED', depth: 13, limit: 10 }])
  })

  test('graphql-depth-limit counts all operations of a document; ours counts the selected one', async () => {
    const query = `query Flat { caller } query Deep ${nested(12)}`
    expect(theirs(parse(query), 10).passes).toBe(false)
    expect((await ask(graph.gateway, query, {}, 'Flat')).errors).toBeUndefined()
    expect((await ask(graph.gateway, query, {}, 'Deep')).errors?.[0]?.extensions.code).toBe('DEPTH_LIMIT_EXCEEDED')
  })
})
