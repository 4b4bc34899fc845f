import { describe, expect, test } from 'vitest'
import { merge } from '../../../../gateway/executor/federated/merge.ts'
import { aGraph, NAME, replies } from '../../support/http-graph.ts'

/** What a client is told, and what the log, when the shop's subgraph says this. */
async function answered(said: unknown, query = NAME) {
  const { shop, executing, lines } = await aGraph()
  shop.always = replies(200, { 'content-type': 'application/json' }, JSON.stringify(said))
  return { ...(await executing(query)), faults: lines.filter(({ level }) => Number(level) >= 50) }
}

describe('an error of a subgraph elsewhere', () => {
  test.each([
    { what: 'a code that is a number', extensions: { code: 42 } },
    { what: 'no code', extensions: {} },
    { what: 'a code that is null', extensions: { code: null } },
    { what: 'extensions that are a text', extensions: 'none' },
  ])('with $what is merged like an answer without it, at every depth', async ({ extensions }) => {
    for (const path of [undefined, ['product']]) {
      const { data, errors, faults } = await answered({ data: { product: null }, errors: [{ message: 'e', path, extensions }] })
      expect(errors).toEqual([{ message: 'e', ...(path && { path }), extensions: { code: 'DOWNSTREAM_SERVICE_ERROR' } }])
      expect([data, faults]).toEqual([{ product: null }, []])
    }
  })

  test.each([[[null, { a: 1 }]], [['product', 1.5]], [[['product']]], ['product']])('whose path is %j has none', async (path) => {
    const { errors } = await answered({ data: { product: null }, errors: [{ message: 'e', path, extensions: { code: 'ODD' } }] })
    expect(errors).toEqual([{ message: 'e', extensions: { code: 'ODD' } }])
  })
})

describe('an ID', () => {
  test.each([
    ['a text', 'a', 'a'],
    ['a whole number', 5, '5'],
    ['0', 0, '0'],
    ['a negative one', -7, '-7'],
  ])('that is %s is returned as text', async (_, id, expected) => {
    const { data, errors } = await answered({ data: { product: { id } } }, '{ product(id: "a") { id } }')
    expect([data, errors]).toEqual([{ product: { id: expected } }, undefined])
  })

  test.each([1.5, true, {}, ['a']])('that is %j is null', async (id) => {
    const { data, errors } = await answered({ data: { product: { id } } }, '{ product(id: "a") { id } }')
    expect([data, errors]).toMatchObject([
      { product: null },
      [{ path: ['product', 'id'], extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } }],
    ])
  })
})

test.each([[['Product']], [{ toString: 1 }], [7], [true], [''], ['Review'], ['constructor']])(
  'an object of type %j, which does not belong there, is null, and the others are returned',
  async (__typename) => {
    const said = { product: { __typename, name: 'Chair' }, latestReview: { text: 'Fine.' } }
    const { data, errors, faults } = await answered(
      { data: said },
      '{ product(id: "a") { __typename name } latestReview { text } }',
    )
    expect(data).toEqual({ product: null, latestReview: { text: 'Fine.' } })
    expect(errors).toMatchObject([{ path: ['product'], extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } }])
    expect(faults).toEqual([])
  },
)

test.each([[['Product']], [{ toString: 1 }], [null]])(
  'a type name of %j does not overwrite an earlier valid one',
  (__typename) => {
    const known = { __typename: 'Chair', id: 'a' }
    merge(
      known,
      { __typename, name: 'Chair' },
      [
        { key: '__typename', below: null },
        { key: 'name', below: null },
      ],
      isProduct,
    )
    expect(known).toEqual({ __typename, id: 'a', name: 'Chair' })
  },
)

test('the name of an interface does not overwrite the name of its implementing type', () => {
  const known = { __typename: 'Chair' }
  merge(known, { __typename: 'Product' }, [{ key: '__typename', below: null }], isProduct)
  expect(known).toEqual({ __typename: 'Chair' })
})

const isProduct = (typename: string, condition: string): boolean => typename === 'Chair' && condition === 'Product'
