/**
 * What authorization directives cost an operation: the same list of 50 objects from one subgraph in
 * this process, asked of a graph without directives, of one with them by a caller who holds every
 * scope, and by one who is refused a field of each object.
 *
 *   npx node --expose-gc bench/authorization.ts [--rounds N (40)]
 *
 * Rounds alternate, so that a busy machine weighs on all; ratios are those of the medians to the
 * graph without directives.
 */
import { parseArgs } from 'node:util'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import pino from 'pino'
import { type CallerGrants, NO_GRANTS } from '../gateway/authorization/authorization.ts'
import { startGateway } from '../gateway/gateway.ts'
import { compose } from '../gateway/planning/composition.ts'
import { createLocalLink } from '../gateway/subgraph-client/local-subgraph.ts'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '40' } } })
const ROUNDS = Number(options.rounds)
const RUNS_PER_ROUND = 200

const sdl = (guard: (scope: string) => string) => `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@requiresScopes"])
  type Query { orders: [Order!]! ${guard('orders')} }
  type Order @key(fields: "id") ${guard('orders')} { id: ID! number: Int! total: Float! status: String! customer: Customer lines: [Line!]! ${guard('lines')} }
  type Customer ${guard('customers')} { name: String! email: String }
  type Line ${guard('orders')} { name: String! price: Float! quantity: Int! }
`
const QUERY = '{ orders { id number total status customer { name email } lines { name price quantity } } }'
const ORDERS = Array.from({ length: 50 }, (_, number) => ({
  id: String(number),
  number,
  total: 12.5,
  status: 'PAID',
  customer: { name: `Customer ${number}`, email: `${number}@example.org` },
  lines: [1, 2, 3].map((line) => ({ name: `Line ${line}`, price: 4.5, quantity: line })),
}))

async function graphOf(guard: (scope: string) => string, grants: CallerGrants) {
  const typeDefs = parse(sdl(guard))
  const gateway = await startGateway({
    supergraphSdl: compose([{ name: 'shop', typeDefs }]),
    links: [
      createLocalLink({
        name: 'shop',
        schema: buildSubgraphSchema([{ typeDefs, resolvers: { Query: { orders: () => ORDERS } } }]),
        context: () => ({}),
        ready: async () => {},
        close: async () => {},
      }),
    ],
    limits: { depth: 10, cost: 10_000 },
    log: pino({ level: 'silent' }),
    grantsOver: () => () => grants,
  })
  const prepared = gateway.prepareText(QUERY, undefined)
  if (prepared.kind === 'rejected') throw new Error(JSON.stringify(prepared.errors))
  const requestContext = () => ({
    caller: { requestId: 'b', address: '127.0.0.1', credentials: {} },
    signal: new AbortController().signal,
  })
  return async () => {
    for (let run = 0; run < RUNS_PER_ROUND; run++) await prepared.run({}, requestContext())
  }
}

const holding = (...scopes: string[]): CallerGrants => ({ ...NO_GRANTS, isAuthenticated: true, scopes: new Set(scopes) })
const guarded = (scope: string) => `@requiresScopes(scopes: [["${scope}"]])`
const contenders = {
  'without directives': await graphOf(() => '', NO_GRANTS),
  'with directives, all scopes held': await graphOf(guarded, holding('orders', 'customers', 'lines')),
  'with directives, one field of each object refused': await graphOf(guarded, holding('orders', 'lines')),
}

const times = new Map(Object.keys(contenders).map((name) => [name, [] as number[]]))
for (let round = -5; round < ROUNDS; round++) {
  for (const [name, run] of Object.entries(contenders)) {
    globalThis.gc?.()
    const before = process.cpuUsage()
    await run()
    const { user, system } = process.cpuUsage(before)
    if (round >= 0) times.get(name)?.push((user + system) / RUNS_PER_ROUND)
  }
}
const median = (values: readonly number[] = []) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const base = median(times.get('without directives'))
for (const [name, values] of times) {
  console.log(`${name}: ${median(values).toFixed(0)} µs of CPU, ${(median(values) / base).toFixed(2)} times`)
}
process.exit()
