/**
 * What usage reports cost an operation: a tiny one, and a list of 50 objects, from one subgraph in
 * this process, counted and not counted.
 *
 *   npx node --expose-gc bench/usage.ts [--rounds N (60)]
 *
 * Rounds alternate, so that a busy machine weighs on both. The aim: at most 1.02 times the CPU.
 */
import { parseArgs } from 'node:util'
import { buildSubgraphSchema } from '@apollo/subgraph'
import { parse } from 'graphql'
import pino from 'pino'
import { startGateway } from '../gateway/gateway.ts'
import { compose } from '../gateway/planning/composition.ts'
import { createLocalLink } from '../gateway/subgraph-client/local-subgraph.ts'
import { createUsageRecorder } from '../gateway/usage/usage-recorder.ts'
import { median } from './tricks/turns.ts'

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '60' } } })
const ROUNDS = Number(options.rounds)
const ROUND_MICROSECONDS = 20_000

const SDL = `
  type Query { shop: String! orders: [Order!]! }
  type Order { id: ID! number: Int! total: Float! status: String! lines: [Line!]! }
  type Line { name: String! price: Float! quantity: Int! }
`
const ORDERS = Array.from({ length: 50 }, (_, number) => ({
  id: String(number),
  number,
  total: 12.5,
  status: 'PAID',
  lines: [1, 2, 3].map((line) => ({ name: `Line ${line}`, price: 4.5, quantity: line })),
}))
const QUERIES = { tiny: '{ shop }', list: '{ orders { id number total status lines { name price quantity } } }' }
const log = pino({ level: 'silent' })

async function operationsOf(isCounted: boolean) {
  const typeDefs = parse(SDL)
  const gateway = await startGateway({
    supergraphSdl: compose([{ name: 'shop', typeDefs }]),
    links: [
      createLocalLink({
        name: 'shop',
        schema: buildSubgraphSchema([{ typeDefs, resolvers: { Query: { shop: () => 'First', orders: () => ORDERS } } }]),
        context: () => ({}),
        ready: async () => {},
        close: async () => {},
      }),
    ],
    limits: { depth: 10, cost: 10_000 },
    log,
    usage: isCounted ? createUsageRecorder({ record: async () => {} }, { log }) : null,
  })
  return (query: string) => {
    const prepared = gateway.prepareText(query, undefined)
    if (prepared.kind !== 'executable') throw new Error(`Expected an operation that can run, got ${prepared.kind}.`)
    return async (runs: number): Promise<number> => {
      globalThis.gc?.()
      const before = process.cpuUsage()
      for (let run = 0; run < runs; run++) {
        const client = run % 2 === 0 ? { name: 'web', version: '1' } : { name: 'ios', version: '2' }
        const caller = { requestId: 'b', address: '127.0.0.1', credentials: {}, client }
        await prepared.run({}, { caller, signal: new AbortController().signal })
      }
      const { user, system } = process.cpuUsage(before)
      return (user + system) / runs
    }
  }
}

const [counted, uncounted] = [await operationsOf(true), await operationsOf(false)]
for (const [name, query] of Object.entries(QUERIES)) {
  const contenders = [counted(query), uncounted(query)] as const
  await contenders[1](500)
  const runs = Math.ceil(ROUND_MICROSECONDS / (await contenders[1](500)))
  const [ratios, times]: [number[], number[]] = [[], []]
  for (let round = -10; round < ROUNDS; round++) {
    const taken: [number, number] = [0, 0]
    // The second one finds warm caches.
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) taken[index] = await contenders[index](runs)
    if (round < 0) continue
    ratios.push(taken[0] / taken[1])
    times.push(taken[1])
  }
  console.log(`${name}: ${median(times).toFixed(1)} µs of CPU without, ${median(ratios).toFixed(3)} times with`)
}
process.exit()
