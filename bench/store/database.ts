import pg from 'pg'
import { progressOn } from '../../cli/progress.ts'
import { migrate } from '../../platform/database/migrate.ts'
import { withStores } from '../../subgraphs/store/operator/stores.ts'
import { generate, type Size } from './generate.ts'

/** A store of this size: where it is, and what opens it. */
export type Filled = { readonly url: string; readonly storeId: number; readonly login: string; readonly authtoken: string }

/**
 * The database for a size, beside the one of `server`; it is made where it is not there yet. One
 * that was left half-made is made anew. Throws when `signal` is aborted, and then there is none.
 */
export async function filledDatabase(server: string, size: Size, signal: AbortSignal): Promise<Filled> {
  const name = `atrium_bench_store_${size.products}_${size.orders}`
  const url = new URL(server)
  url.pathname = `/${name}`
  const whole = await onServer(server, async (client) => {
    const { rows } = await client.query(
      `SELECT shobj_description(oid, 'pg_database') AS said FROM pg_database WHERE datname = $1`,
      [name],
    )
    return rows[0]?.said === 'whole'
  })
  if (!whole) {
    await drop(server, name)
    await onServer(server, (client) => client.query(`CREATE DATABASE ${name}`))
    try {
      await fill(url.href, size, signal)
    } catch (error) {
      await drop(server, name)
      throw error
    }
    await onServer(server, (client) => client.query(`COMMENT ON DATABASE ${name} IS 'whole'`))
  }
  const connection = { connectionString: url.href }
  await migrate(connection)
  const credentials = await withStores(connection, (stores) => stores.resetToken('bench-store'))
  if (!credentials) throw new Error(`Expected ${name} to have a store.`)
  return { url: url.href, storeId: 1, ...credentials }
}

async function fill(url: string, size: Size, signal: AbortSignal): Promise<void> {
  const connection = { connectionString: url }
  await migrate(connection)
  await withStores(connection, (stores) => stores.create({ name: 'Bench store', country: 'PT', isPaid: true }))
  const progress = progressOn(process.stderr)
  try {
    await onServer(url, (client) =>
      generate(client, 1, size, { signal, onProgress: (done, total) => progress.show({ phase: 'filling', done, total }) }),
    )
  } finally {
    progress.clear()
  }
}

const drop = (server: string, name: string) =>
  onServer(server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))

async function onServer<Result>(connectionString: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
