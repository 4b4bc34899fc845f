import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { storeGrants } from '../../../composition/store-grants.ts'
import { authorizationOf, NO_GRANTS } from '../../../gateway/authorization/authorization.ts'
import { compose } from '../../../gateway/planning/composition.ts'
import { readSupergraph } from '../../../gateway/planning/supergraph.ts'
import type { Link } from '../../../gateway/subgraph-client/link.ts'
import { CALLER, requestContext } from '../support/graph.ts'

const SDL = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@requiresScopes"])
  type Query { secret: String @requiresScopes(scopes: [["x"]]) }
`)

test('filtered operations of callers without full access are bounded by the total length of their documents', () => {
  const supergraph = parse(compose([{ name: 'one', typeDefs: SDL }]))
  const authorization = authorizationOf(supergraph, readSupergraph(supergraph), () => NO_GRANTS)
  /** An operation of about so many characters. */
  const guardOf = (characters: number) => {
    const text = `{ ${Array.from({ length: characters / 20 }, (_, index) => `alias${index}: secret`).join(' ')} }`
    const document = parse(text)
    const operation = document.definitions[0]
    if (operation?.kind !== 'OperationDefinition') throw new Error('Expected an operation.')
    const guard = authorization?.guardOf({ document, operation })
    if (!guard) throw new Error('Expected the operation to be guarded.')
    return guard
  }
  let made = 0
  const small = guardOf(100)
  const remember = (guard: typeof small) => guard.remember('plan', 'all', () => ++made)
  const other = guardOf(100)
  expect([remember(other), remember(other), remember(small)]).toEqual([1, 1, 2])
  for (let index = 0; index < 4; index++) remember(guardOf(90_000))
  expect(made).toBe(6)
  // 200,000 characters hold two of those, and what was not used since no more.
  expect(remember(small)).toBe(7)
})

test('grants of a caller are cached per address and time of connection', async () => {
  let requestCount = 0
  const link: Link = {
    name: 'store',
    execute: async () => {
      requestCount++
      return { data: { callerGrants: { isAuthenticated: true, storeCode: 'demo', scopes: ['read_store'], policies: [] } } }
    },
  }
  const find = storeGrants(new Map([['store', link]]))
  const credentials = { authorization: 'Bearer x' }
  const callers = [
    { ...CALLER, credentials },
    { ...CALLER, credentials, address: '192.0.2.1' },
    { ...CALLER, credentials, connectedAt: new Date(0) },
    { ...CALLER, credentials: { authorization: 'Bearer y' } },
  ]
  for (const caller of callers) await find({ ...requestContext(), caller })
  expect(requestCount).toBe(4)
  const again = await Promise.all(callers.map((caller) => find({ ...requestContext(), caller })))
  expect([requestCount, again.every(({ scopes }) => scopes.has('read_store'))]).toEqual([4, true])
})
