import { describe, expect, test } from 'vitest'
import { ask } from '../../support/graph.ts'
import { replies } from '../../support/http-graph.ts'
import { gatewayOf, type Parts } from '../../support/parts.ts'

/** What is right is in differential/cases/contexts.ts; here: requests, bounds and faults. */

const shop = (count: number, contents = count): Parts => ({
  shop: {
    sdl: `
      type Query { carts: [Cart!]! }
      type Cart @key(fields: "id") @context(name: "cart") { id: ID! currency: String lines: [Line!]! total: Int }
      type Line @key(fields: "id") { id: ID! price(currency: String @fromContext(field: "$cart { currency }")): String }`,
    resolvers: {
      Query: {
        carts: () => Array.from({ length: count }, (_, index) => ({ id: `c${index}`, currency: `C${index % contents}` })),
      },
      Cart: { lines: () => [{ id: 'l1' }, { id: 'l2' }], total: () => 1 },
      Line: {
        __resolveReference: ({ id }: { id: string }) => ({ id }),
        price: ({ id }: { id: string }, { currency }: { currency: string }) => {
          if (currency === 'C13' && id === 'l2') throw new Error('no rate')
          return `${id} in ${currency}`
        },
      },
    },
  },
})

const CARTS = '{ carts { lines { price } } }'
const linesIn = (currency: string) => [{ price: `l1 in ${currency}` }, { price: `l2 in ${currency}` }]
/** Requests for entities: all but the first. */
const requestsOf = (fetches: readonly string[]) => fetches.length - 1

describe.each(['local', 'http'] as const)('%s', (where) => {
  test('one request fetches for several values, each entity once per value', async () => {
    const { gateway, fetches, remotes } = await gatewayOf(shop(6, 3), where)
    const { data, errors } = await ask(gateway, CARTS)
    expect([errors, data]).toEqual([
      undefined,
      { carts: ['C0', 'C1', 'C2', 'C0', 'C1', 'C2'].map((each) => ({ lines: linesIn(each) })) },
    ])
    expect(requestsOf(fetches)).toBe(1)
    const sent = remotes.shop?.requests.at(-1)
    if (sent) expect(Object.keys(JSON.parse(sent.body).variables).filter((name) => name.startsWith('repr'))).toHaveLength(3)
  })

  test('more than 25 values are several requests, and an error keeps its path', async () => {
    const { gateway, fetches } = await gatewayOf(shop(60), where)
    const { data, errors } = await ask(gateway, CARTS)
    expect(requestsOf(fetches)).toBe(3)
    const carts = data?.carts as { lines: { price: string | null }[] }[]
    expect(carts[42]).toEqual({ lines: linesIn('C42') })
    expect(carts[13]).toEqual({ lines: [{ price: 'l1 in C13' }, { price: null }] })
    expect(errors).toMatchObject([{ path: ['carts', 13, 'lines', 1, 'price'] }])
  })
})

describe('a subgraph that lies', () => {
  const answered = async (entities: unknown) => {
    const { gateway, remotes } = await gatewayOf(shop(2), 'http')
    const { shop: remote } = remotes
    remote?.next.push(null, replies(200, { 'content-type': 'application/json' }, JSON.stringify(entities)))
    return ask(gateway, CARTS)
  }

  test('an error of one group of two nulls that group only', async () => {
    const { data, errors } = await answered({ data: { _0: [{ price: 'a' }, { price: 'b' }], _1: [{ price: 'c' }] } })
    expect(data).toEqual({ carts: [{ lines: [{ price: 'a' }, { price: 'b' }] }, { lines: [{ price: null }, { price: null }] }] })
    expect(errors).toMatchObject([{ extensions: { code: 'INVALID_SUBGRAPH_ANSWER' } }])
  })

  test.each([
    { data: null, errors: [{ message: 'no', extensions: { code: 'NO' } }] },
    { errors: [{ message: 'no', path: ['_9', 0], extensions: { code: 'NO' } }] },
    { data: { _0: 1, _1: { length: 2 } } },
  ])('with %j is an error and nulls', async (said) => {
    const { data, errors = [] } = await answered(said)
    const nulls = [{ price: null }, { price: null }]
    expect(data).toEqual({ carts: [{ lines: nulls }, { lines: nulls }] })
    expect(errors.length).toBeGreaterThan(0)
  })
})
