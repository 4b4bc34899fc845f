/**
 * Measures documents that nobody sent before: how long one takes until it is admitted (parsed,
 * validated, limited, planned, compiled) and what many of them leave in memory.
 *
 *   node --expose-gc bench/documents.ts
 *   --documents N (50000)
 */
import { parseArgs } from 'node:util'
import { parse } from 'graphql'
import pino from 'pino'
import { startGateway } from '../gateway/gateway.ts'
import { compose } from '../gateway/planning/composition.ts'
import { createLocalLink } from '../gateway/subgraph-client/local-subgraph.ts'
import { subgraphSchemas } from './gateway/schemas.ts'
import { LINK, QUERIES, SUBGRAPHS } from './gateway/shop.ts'

/** What is aimed for: milliseconds of a document at the median. */
const BUDGET = 3

const { values } = parseArgs({ options: { documents: { type: 'string', default: '50000' } } })
const count = Number(values.documents)

const gateway = await startGateway({
  supergraphSdl: compose(SUBGRAPHS.map(({ name, types }) => ({ name, typeDefs: parse(LINK + types) }))),
  links: Object.entries(subgraphSchemas()).map(([name, schema]) =>
    createLocalLink({ name, schema, context: () => ({}), ready: async () => {}, close: async () => {} }),
  ),
  limits: { depth: 10, cost: 1_000_000 },
  log: pino({ level: 'warn' }),
})
const requestContext = () => ({ caller: { requestId: '', address: '', credentials: {} }, signal: new AbortController().signal })
const megabytes = () => {
  globalThis.gc?.()
  return process.memoryUsage().rss / 1024 / 1024
}

const times: number[] = []
for (let number = 0; number <= count; number++) {
  // Fields of all four subgraphs under a name that is new each time.
  const text = QUERIES.small.replace('inStock', `new${number}: inStock`)
  const begin = performance.now()
  const prepared = gateway.prepareText(text, undefined)
  times.push(performance.now() - begin)
  if (prepared.kind === 'rejected') throw new Error(prepared.errors[0]?.message)
  await prepared.run({ first: 2 }, requestContext())
  if (number === 2_000 || number % 10_000 === 0) console.log(`${number} documents: ${megabytes().toFixed(0)} MB resident`)
}
const sorted = times.slice(100).sort((one, other) => one - other)
const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
console.log(
  `A new document takes ${at(0.5).toFixed(2)} ms at the median, ${at(0.99).toFixed(2)} ms at the 99th percentile  ${at(0.5) <= BUDGET ? 'within' : 'OVER'} ${BUDGET} ms`,
)
