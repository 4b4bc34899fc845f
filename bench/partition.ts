/**
 * A table of orders gets partitions while clients write: how long it takes, the longest lock, and
 * what writers wait before and meanwhile. On a PostgreSQL of its own, in a temporary folder. Ends
 * with status 1 when an acknowledged write is missing afterwards, or one is there that was deleted.
 *
 *   node bench/partition.ts
 *   --orders N (1000000)   in 1,000 stores
 *   --writers N (4)        clients; a third inserts, a third updates, a third deletes, 20 writes a second each
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import pino from 'pino'
import { startEmbedded } from '../platform/database/embedded/embedded-server.ts'
import { migrate } from '../platform/database/migrate.ts'
import { type PartitionPhase, partitionTable } from '../platform/database/partitioning/partition-table.ts'

const { values } = parseArgs({
  options: { orders: { type: 'string', default: '1000000' }, writers: { type: 'string', default: '4' } },
})
const [orders, writers] = [Number(values.orders), Number(values.writers)]
const STORES = 1_000
const PARTITIONS = 32
const MAX_LOCK_MS = 200
/** Of one writer, between two writes. */
const PAUSE_MS = 50
/** How long writers are measured before. */
const BEFORE_MS = 15_000
const INSERTED_ROWS = 100_000

const dataDir = mkdtempSync(join(tmpdir(), 'atrium-bench-'))
const server = await startEmbedded({ dataDir, log: pino({ level: 'silent' }) })
const clients: pg.Client[] = []
async function connected(): Promise<pg.Client> {
  const client = new pg.Client(server.connection)
  await client.connect()
  clients.push(client)
  return client
}

const COLUMNS = `(store_id, status, currency, subtotal, total, customer, shipping_address, token, search_key, created_at, updated_at)`
const ROW = `'PAID', 'EUR', 1, 1, '{"email": "ana@example.org", "fullname": "Ana Example", "phone": "+351 210 000 000"}',
  '{"name": "Ana", "surname": "Example", "address": "Rua Nova 1", "city": "Lisboa", "postal": "1100-001", "country": "PT"}'`

type Waits = number[]
let phase: PartitionPhase | 'before' = 'before'
const waits = new Map<string, Waits>()
const acknowledged = new Map<number, number>()
const deleted = new Set<number>()
let isStopped = false

async function write(client: pg.Client): Promise<void> {
  while (!isStopped) {
    const kind = Math.random()
    const store = 1 + Math.floor(Math.random() * STORES)
    const begun = performance.now()
    const [id, owner] = acknowledged.entries().next().value ?? [0, 0]
    if (kind < 1 / 3 || id === 0) {
      const { rows } = await client.query(
        `INSERT INTO store."order" ${COLUMNS} VALUES ($1, ${ROW}, gen_random_uuid(), 'ana example', now(), now()) RETURNING id`,
        [store],
      )
      acknowledged.set(rows[0].id, store)
    } else if (kind < 2 / 3) {
      await client.query(
        'UPDATE store."order" SET total = total + 1 WHERE (store_id, id) = (SELECT store_id, id FROM store."order" WHERE store_id = $1 ORDER BY id LIMIT 1)',
        [store],
      )
    } else {
      acknowledged.delete(id)
      await client.query('DELETE FROM store."order" WHERE store_id = $1 AND id = $2', [owner, id])
      deleted.add(id)
    }
    const of = waits.get(phase) ?? []
    waits.set(phase, of)
    of.push(performance.now() - begun)
    await sleep(PAUSE_MS)
  }
}

const quantile = (numbers: readonly number[], share: number): string =>
  (
    numbers.toSorted((one, other) => one - other)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))] ?? Number.NaN
  ).toFixed(1)

try {
  await migrate(server.connection)
  const client = await connected()
  await client.query(`INSERT INTO store.store (code, name, currency, country, timezone, hooks_token, created_at, updated_at)
    SELECT 'shop' || i, 'Shop', 'EUR', 'PT', 'Europe/Lisbon', repeat('x', 32), now(), now() FROM generate_series(1, ${STORES}) AS i`)
  for (let first = 1; first <= orders; first += INSERTED_ROWS)
    await client.query(`INSERT INTO store."order" ${COLUMNS}
      SELECT 1 + i % ${STORES}, ${ROW}, 'token' || i, 'ana example ' || i, now(), now()
      FROM generate_series(${first}, ${Math.min(orders, first + INSERTED_ROWS - 1)}) AS i`)
  await client.query('ANALYZE store."order"; CHECKPOINT')
  const running = Promise.all(Array.from({ length: writers }, async () => write(await connected())))
  await sleep(BEFORE_MS)
  const begun = performance.now()
  const times = new Map<string, number>()
  let since = begun
  const report = await partitionTable({
    ...{ connection: server.connection, table: { schema: 'store', name: 'order' }, column: 'store_id' },
    ...{ partitions: PARTITIONS, maxLockMs: MAX_LOCK_MS, signal: new AbortController().signal },
    progress(now) {
      if (now === phase) return
      times.set(phase, (times.get(phase) ?? 0) + performance.now() - since)
      since = performance.now()
      phase = now
    },
  })
  times.set(phase, (times.get(phase) ?? 0) + performance.now() - since)
  const seconds = (performance.now() - begun) / 1_000
  isStopped = true
  await running
  const { rows } = await client.query<{ id: number }>('SELECT id FROM store."order" WHERE id = ANY ($1)', [
    [...acknowledged.keys(), ...deleted],
  ])
  const found = new Set(rows.map(({ id }) => id))
  const lost = [...acknowledged.keys()].filter((id) => !found.has(id))
  const ghosts = [...deleted].filter((id) => found.has(id))
  console.log(
    `${report.rows} orders in ${report.partitions} partitions: ${seconds.toFixed(0)} s, longest lock ${report.lockedMs} ms`,
  )
  console.log('\n| phase | seconds | writes | p50 ms | p99 ms | longest ms |\n|---|---|---|---|---|---|')
  for (const [name, of] of waits)
    console.log(
      `| ${name} | ${((name === 'before' ? BEFORE_MS : (times.get(name) ?? 0)) / 1_000).toFixed(0)} | ${of.length} | ${quantile(of, 0.5)} | ${quantile(of, 0.99)} | ${quantile(of, 1)} |`,
    )
  console.log(`\nlost: ${lost.length}, ghosts: ${ghosts.length}, of ${acknowledged.size + deleted.size} inserted meanwhile`)
  if (lost.length + ghosts.length > 0) process.exitCode = 1
} finally {
  isStopped = true
  for (const client of clients) await client.end().catch(() => {})
  await server.stop()
  rmSync(dataDir, { recursive: true, force: true })
}
