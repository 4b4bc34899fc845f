/**
 * What the audit log of a store costs: orders that a program places, and products that it changes,
 * with its triggers on and off in turns in one run, in a temporary embedded PostgreSQL. Processor
 * time is that of this process and of the database server.
 *
 *   npx node bench/store/audit.ts [--rounds 15] [--calls 150]
 *
 * Says OVER, and exits 1, where an order costs more than 5 % above one without the log.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { graphql } from 'graphql'
import { sql } from 'kysely'
import pino from 'pino'
import { openDatabase } from '../../platform/database/database.ts'
import { PLAIN_SECRETS } from '../../platform/secrets/cipher.ts'
import { withMigratedDatabase } from '../../scripts/prisma/temporary-database.ts'
import { AUDITED_COLUMNS } from '../../subgraphs/store/audit-entry/audited-columns.ts'
import { storeFiles } from '../../subgraphs/store/file/files.ts'
import { localStorage } from '../../subgraphs/store/file/local-storage.ts'
import { fileSources } from '../../subgraphs/store/file/source.ts'
import { paidByOperator, setUpStore } from '../../subgraphs/store/store/set-up.ts'
import { storeSubgraph } from '../../subgraphs/store/subgraph.ts'
import type { Tables } from '../../subgraphs/store/tables.ts'
import { treeMs } from '../../test/support/processor-time.ts'

const MAX_SHARE_OF_ORDERS = 1.05
const PRODUCTS = 50

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, calls: { type: 'string', default: '150' } },
})
const [rounds, calls] = [Number(values.rounds), Number(values.calls)]
const publicUrl = 'https://atrium.example'
const folder = mkdtempSync(join(tmpdir(), 'atrium-bench-audit-'))

await withMigratedDatabase(async (connection) => {
  const { query, close } = openDatabase<Tables>(connection, { schema: 'store', max: 2, onError: console.error })
  const files = storeFiles(await localStorage({ folder, publicUrl }), fileSources())
  const subgraph = await storeSubgraph({ connection, publicUrl, files, log: pino({ level: 'warn' }) })
  const at = new Date()
  const wanted = { name: 'Bench', country: 'PT', theme: null, paidSince: paidByOperator(at), createdBy: null, at }
  const { login, authtoken } = await query.transaction().execute((transaction) => setUpStore(transaction, wanted, PLAIN_SECRETS))
  const authorization = `Basic ${Buffer.from(`${login}:${authtoken}`).toString('base64')}`
  const ask = async (source: string, variableValues: Record<string, unknown>) => {
    const caller = { requestId: 'bench', address: '127.0.0.1', credentials: { authorization } }
    const contextValue = subgraph.context(caller)
    const { data, errors } = await graphql({ schema: subgraph.schema, source, variableValues, contextValue })
    // biome-ignore lint/suspicious/noExplicitAny: every operation answers something else
    const result = (data as any)?.result
    if (errors || !result.__typename.endsWith('Success')) throw new Error(JSON.stringify(errors ?? result))
    return result
  }
  const ids: string[] = []
  for (let number = 0; number < PRODUCTS; number += 1) {
    const input = { name: `Product ${number}`, price: '10', stock: 1_000_000, sku: `SKU-${number}` }
    const { product } = await ask(
      'mutation ($input: CreateProductInput!) { result: createProduct(input: $input) { __typename ... on CreateProductSuccess { product { id } } } }',
      { input },
    )
    ids.push(product.id)
  }

  let number = 0
  const count = (): number => {
    number += 1
    return number
  }
  const next = (): string => ids[count() % ids.length] ?? ''
  const measured = {
    'an order of three lines': () =>
      ask('mutation ($input: CreateOrderInput!) { result: createOrder(input: $input) { __typename } }', {
        input: {
          customer: { email: `buyer-${count() % 500}@example.org`, fullname: 'Ann Buyer' },
          lines: [next(), next(), next()].map((productId) => ({ productId, quantity: 1 })),
        },
      }),
    'a new price of a product': () =>
      ask('mutation ($id: ID!, $input: UpdateProductInput!) { result: updateProduct(id: $id, input: $input) { __typename } }', {
        id: next(),
        input: { price: String(10 + (count() % 1_000)) },
      }),
  }
  const server = await serverPid()
  const processor = (): number => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000 + treeMs(server)
  }

  console.log('what | without, ms | with, ms | ratio: median of pairs (quartiles)')
  for (const [what, call] of Object.entries(measured)) {
    const pairs: (readonly [off: number, on: number])[] = []
    for (let round = 0; round <= rounds; round += 1) {
      const of = { on: 0, off: 0 }
      // Each is first in every second round.
      for (const state of round % 2 === 0 ? (['off', 'on'] as const) : (['on', 'off'] as const)) {
        await turn(state)
        const before = processor()
        for (let each = 0; each < calls; each += 1) await call()
        of[state] = (processor() - before) / calls
      }
      // The first one compiles.
      if (round > 0) pairs.push([of.off, of.on])
    }
    const ratio = quantilesOf(pairs.map(([off, on]) => on / off))
    const [, off] = quantilesOf(pairs.map(([each]) => each))
    const [, on] = quantilesOf(pairs.map(([, each]) => each))
    const isOver = what.startsWith('an order') && ratio[1] > MAX_SHARE_OF_ORDERS
    if (isOver) process.exitCode = 1
    console.log(
      `${what} | ${off.toFixed(2)} | ${on.toFixed(2)} | ${ratio[1].toFixed(3)} (${ratio[0].toFixed(3)} to ${ratio[2].toFixed(3)})${isOver ? ' OVER' : ''}`,
    )
  }
  await subgraph.close()
  await close()

  /** Puts the triggers on or off. */
  async function turn(state: 'on' | 'off'): Promise<void> {
    for (const table of Object.keys(AUDITED_COLUMNS))
      await sql`ALTER TABLE ${sql.table(table)} ${sql.raw(state === 'on' ? 'ENABLE' : 'DISABLE')} TRIGGER audit`.execute(query)
  }

  /** The process that started the one of this connection. */
  async function serverPid(): Promise<number> {
    const { rows } = await sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`.execute(query)
    return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]?.pid}/status`, 'utf8'))?.[1])
  }
})
rmSync(folder, { recursive: true, force: true })

/** Lower quartile, median and upper quartile. */
function quantilesOf(numbers: readonly number[]): readonly [number, number, number] {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN
  return [at(0.25), at(0.5), at(0.75)]
}
