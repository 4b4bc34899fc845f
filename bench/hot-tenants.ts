/**
 * What a store with most of the load does to others: a pool of 10 connections, one store that keeps
 * 90 statements under way, and ten quiet ones that ask for one at a time. In turns by tenant, and in
 * the order of arrival, alternating in one process.
 *
 *   DATABASE_URL=… node bench/hot-tenants.ts
 *   --seconds N (3)      how long each way is measured, each time
 *   --rounds N (3)       how often; the medians are told
 */
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { openDatabase } from '../platform/database/database.ts'
import { withTenant } from '../platform/database/operation-context.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '3' }, rounds: { type: 'string', default: '3' } },
})
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)]
const CONNECTIONS = 10
const HOT = 90
const QUIET = 10
/** A statement of about a millisecond of the server's time. */
const STATEMENT = sql`SELECT count(*) FROM generate_series(1, 10000)`

const { DATABASE_URL } = process.env
if (!DATABASE_URL) throw new Error('Expected DATABASE_URL.')
const database = openDatabase<object>(
  { connectionString: DATABASE_URL },
  { schema: 'public', max: CONNECTIONS, onError: console.error },
)

type Sample = { readonly milliseconds: number; readonly ahead: number }

/** Waits of the hot store and of the quiet ones: time, and how many statements ended meanwhile. */
async function measure(tenantOf: (name: string) => string): Promise<Readonly<Record<'hot' | 'quiet', readonly Sample[]>>> {
  const samples = { hot: [] as Sample[], quiet: [] as Sample[] }
  const end = performance.now() + seconds * 1000
  let ended = 0
  const client = async (kind: 'hot' | 'quiet', name: string) => {
    while (performance.now() < end) {
      const [begun, before] = [performance.now(), ended]
      await withTenant(tenantOf(name), () => STATEMENT.execute(database.query))
      samples[kind].push({ milliseconds: performance.now() - begun, ahead: ended - before })
      ended++
    }
  }
  await Promise.all([
    ...Array.from({ length: HOT }, () => client('hot', 'hot')),
    ...Array.from({ length: QUIET }, (_, index) => client('quiet', `quiet ${index}`)),
  ])
  return samples
}

const quantile = (numbers: readonly number[], share: number): number =>
  numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * share)] ?? Number.NaN

const ORDERS = { 'in the order of arrival': () => 'all', 'in turns': (name: string) => name }
try {
  const rows = new Map<string, number[][]>(Object.keys(ORDERS).map((name) => [name, []]))
  for (let round = 0; round < rounds; round++)
    for (const [name, tenantOf] of Object.entries(ORDERS)) {
      const { hot, quiet } = await measure(tenantOf)
      rows.get(name)?.push([
        quantile(
          quiet.map(({ ahead }) => ahead),
          0.5,
        ),
        quantile(
          quiet.map(({ ahead }) => ahead),
          0.95,
        ),
        quantile(
          quiet.map(({ milliseconds }) => milliseconds),
          0.5,
        ),
        quantile(
          quiet.map(({ milliseconds }) => milliseconds),
          0.95,
        ),
        (hot.length + quiet.length) / seconds,
        (quiet.length / (hot.length + quiet.length)) * 100,
      ])
    }
  console.log(
    '| | statements served before a quiet one: median, p95 | wait of a quiet one, ms: median, p95 | statements/s of all | share of the quiet, % |',
  )
  console.log('|---|---|---|---|---|')
  for (const [name, all] of rows) {
    const [median = 0, p95 = 0, wait = 0, slow = 0, rate = 0, share = 0] = (all[0] ?? []).map((_, column) =>
      quantile(
        all.map((row) => row[column] ?? Number.NaN),
        0.5,
      ),
    )
    console.log(
      `| ${name} | ${median}, ${p95} | ${wait.toFixed(1)}, ${slow.toFixed(1)} | ${rate.toFixed(0)} | ${share.toFixed(1)} |`,
    )
  }
} finally {
  await database.close()
}
