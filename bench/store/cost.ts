/**
 * Compares what queries of the store cost in points with the processor time that they take.
 *
 *   [DATABASE_URL=postgres://…] node bench/store/cost.ts [--products 2000] [--orders 5000] [--seconds 2] [--json]
 *
 * Without DATABASE_URL in a temporary embedded PostgreSQL. Processor time is that of the server's
 * process, without PostgreSQL's. Says OVER, and exits 1, where the rank correlation is below 0.9 or
 * a query within the usual limit takes longer than 50 ms.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql'
import pino from 'pino'
import { builtInSupergraph } from '../../composition/built-in-supergraph.ts'
import { compileCostModel } from '../../gateway/limits/cost-limit.ts'
import { readCostWeights } from '../../gateway/limits/cost-weights.ts'
import { DEFAULT_LIMITS } from '../../gateway/limits/limits.ts'
import { apiSchemaOf } from '../../gateway/planning/composition.ts'
import { databaseServer } from '../../platform/database/server.ts'
import { processorMilliseconds, startAtrium } from '../server.ts'
import { clients } from './clients.ts'
import { COST_OPERATIONS } from './cost-operations.ts'
import { filledDatabase } from './database.ts'

/** What a query within the limit may take: 20 a second are a whole core. */
const MAX_PROCESSOR_MS = 50
const MIN_CORRELATION = 0.9
/** Seconds until code is compiled and statements are prepared. */
const WARM_SECONDS = 0.5

const { values } = parseArgs({
  options: {
    products: { type: 'string', default: '2000' },
    orders: { type: 'string', default: '5000' },
    seconds: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
})

type Row = { readonly what: string; readonly points: number; readonly milliseconds: number }

const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-cost-'))
const log = pino({ level: 'warn' })
const server = await databaseServer({ databaseUrl: process.env.DATABASE_URL, dataDir: folder, log })
const rows: Row[] = []
try {
  // `databaseServer` connects by URL, also to the server that it starts.
  const { connectionString } = server.connection as { readonly connectionString: string }
  const size = { products: Number(values.products), orders: Number(values.orders) }
  const filled = await filledDatabase(connectionString, size, new AbortController().signal)
  const atrium = await startAtrium({ settings: { DATABASE_URL: filled.url, LOG_LEVEL: 'warn', COST_LIMIT: '0' } })
  try {
    const authorization = `Basic ${Buffer.from(`${filled.login}:${filled.authtoken}`).toString('base64')}`
    rows.push(...(await measure(atrium, authorization, Number(values.seconds))))
  } finally {
    await atrium.stop()
  }
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

const correlation = rankCorrelation(rows)
const slow = rows.filter(({ points, milliseconds }) => points <= DEFAULT_LIMITS.cost && milliseconds > MAX_PROCESSOR_MS)
if (values.json) console.log(JSON.stringify({ correlation, rows }, null, 2))
else print()
if (correlation < MIN_CORRELATION || slow.length > 0) process.exitCode = 1

async function measure({ base, pid }: { readonly base: string; readonly pid: number }, authorization: string, seconds: number) {
  const { supergraphSdl } = builtInSupergraph()
  const schema = buildSchema(apiSchemaOf(supergraphSdl))
  const weights = readCostWeights(parse(supergraphSdl))
  const { ask, load } = clients(base, authorization)
  const measured: Row[] = []
  for (const [what, query] of Object.entries(COST_OPERATIONS)) {
    const document = parse(query)
    // Every document of the list has one operation.
    const model = compileCostModel(schema, weights, document, document.definitions[0] as OperationDefinitionNode)
    const question = { method: 'POST', path: '/graphql', body: JSON.stringify({ query }) } as const
    const { text } = await ask(question)
    if (JSON.parse(text).errors) throw new Error(`Expected ${what} to succeed, got ${text.slice(0, 500)}`)
    await load(() => question, { seconds: WARM_SECONDS, atOnce: 4 })
    const before = processorMilliseconds(pid)
    const { times } = await load(() => question, { seconds, atOnce: 4 })
    const milliseconds = (processorMilliseconds(pid) - before) / times.length
    measured.push({ what, points: model.cost({}), milliseconds })
  }
  return measured
}

/** Spearman's rank correlation of points and milliseconds; equal values share their mean rank. */
function rankCorrelation(all: readonly Row[]): number {
  const [one, other] = [ranks(all.map(({ points }) => points)), ranks(all.map(({ milliseconds }) => milliseconds))]
  const mean = (all.length + 1) / 2
  const sum = (terms: (index: number) => number) => all.reduce((total, _, index) => total + terms(index), 0)
  const offset = (of: readonly number[], index: number) => (of[index] ?? Number.NaN) - mean
  const covariance = sum((index) => offset(one, index) * offset(other, index))
  return covariance / Math.sqrt(sum((index) => offset(one, index) ** 2) * sum((index) => offset(other, index) ** 2))
}

function ranks(numbers: readonly number[]): readonly number[] {
  const sorted = numbers.toSorted((one, other) => one - other)
  return numbers.map((number) => (sorted.indexOf(number) + sorted.lastIndexOf(number)) / 2 + 1)
}

function print(): void {
  console.log(`${'query'.padEnd(42)} ${'points'.padStart(8)} ${'CPU ms'.padStart(8)} ${'µs/point'.padStart(9)}`)
  for (const { what, points, milliseconds } of rows.toSorted((one, other) => one.milliseconds - other.milliseconds)) {
    const perPoint = (milliseconds * 1_000) / points
    const verdict = points > DEFAULT_LIMITS.cost ? '  beyond the limit' : milliseconds > MAX_PROCESSOR_MS ? '  OVER 50 ms' : ''
    console.log(
      `${what.padEnd(42)} ${String(points).padStart(8)} ${milliseconds.toFixed(2).padStart(8)} ${perPoint.toFixed(1).padStart(9)}${verdict}`,
    )
  }
  const verdict = correlation >= MIN_CORRELATION ? 'within' : 'OVER'
  console.log(`Rank correlation of ${rows.length} queries: ${correlation.toFixed(3)} (${verdict} ${MIN_CORRELATION})`)
}
