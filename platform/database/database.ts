import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Subgraph } from '../graphql/subgraph.ts'
import { cancellablePool } from './cancellation.ts'
import { type RecentWrites, writerKeys } from './recent-writes.ts'
import { logPosition, type ReplicaState, replicaAwarePool, watchReplica } from './replica.ts'
import { typeParsers } from './type-parsers.ts'

/**
 * Connection settings of `pg`, without those of a pool. A Unix socket is a `host` that is a folder.
 */
export type Connection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string }

/** A replica, and the recent writes that it may lack. */
export type ReplicaOptions = { readonly connection: Connection; readonly writes: RecentWrites }

/** The schema of one subgraph, typed by its tables. */
export type Database<Tables> = {
  /** Reads of the replica where the operation may and there is one. */
  readonly query: Kysely<Tables>
  /** Always the primary: for what must be current, such as permissions. */
  readonly now: Kysely<Tables>
  readonly pool: pg.Pool
  /** Connections of the server itself, for LISTEN; the same as `pool` unless there is a pooler. */
  readonly direct: pg.Pool
  /** Replica hooks of the subgraph; empty without a replica. */
  readonly replicaHooks: Pick<Subgraph, 'mayReadReplica' | 'recordWrite'>
  readonly close: () => Promise<void>
}

/**
 * Opens a pool with search_path `schema`, then `public`; connects on first use. `max` bounds the
 * connections. A lost idle connection goes to `onError` and is replaced on the next use. The server
 * ends a statement after `statementTimeoutMs`; 0 sets no limit.
 *
 * Through `pooler`, a pooler in transaction mode, statements may each run on another connection of
 * the server: it sets search_path and statement_timeout, and nothing may rest on a session but what
 * uses `direct`.
 */
export function openDatabase<Tables>(
  connection: Connection,
  {
    schema,
    max = 10,
    statementTimeoutMs = 0,
    replica,
    pooler,
    onError,
  }: {
    readonly schema: string
    readonly max?: number
    readonly statementTimeoutMs?: number
    readonly replica?: ReplicaOptions | undefined
    readonly pooler?: Connection | undefined
    readonly onError: (error: Error) => void
  },
): Database<Tables> {
  const options = `-c search_path=${schema},public -c statement_timeout=${statementTimeoutMs}`
  const application_name = `atrium ${schema}`
  const settings = { ...connection, options, application_name, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
  const pooled = pooler && { ...pooler, application_name, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
  const { pool, close: closePool, ...primary } = openPool(pooled ?? settings, { max, isPooled: pooled !== undefined, onError })
  const direct = pooled ? directPool(settings, onError) : pool
  const close = async () => {
    await Promise.all([closePool(), pooled && direct.end()])
  }
  const now = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: primary.cancellable }) })
  if (!replica) return { query: now, now, pool, direct, replicaHooks: {}, close }

  const replicaSettings = {
    ...replica.connection,
    options,
    application_name,
    connectionTimeoutMillis: REPLICA_CONNECT_TIMEOUT_MS,
  }
  const replicaPool = openPool(replicaSettings, { max, isPooled: false, onError: () => {} })
  const state = watchReplica(pool, replicaPool.pool, () =>
    onError(new Error('The replica is unavailable, or too far behind: the primary answers all queries.')),
  )
  const either = replicaAwarePool(primary.cancellable, replicaPool.cancellable, state)
  return {
    query: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: either }) }),
    now,
    pool,
    direct,
    replicaHooks: replicaHooksOf(pool, state, replica.writes),
    close: async () => {
      await state.stop()
      await Promise.all([replicaPool.close(), close()])
    },
  }
}

/** The time limit of an operation: afterwards no caller needs a connection. */
const CONNECT_TIMEOUT_MS = 10_000
/** After this time without a connection a replica counts as down. */
const REPLICA_CONNECT_TIMEOUT_MS = 1_000
/**
 * How long a mutation waits for the replica when other processes cannot be notified, and how often
 * it checks.
 */
const REPLICA_WAIT_MS = 2_000
const REPLICA_WAIT_STEP_MS = 20

type PoolOptions = { readonly max: number; readonly isPooled: boolean; readonly onError: (error: Error) => void }

function openPool(settings: pg.PoolConfig, { max, isPooled, onError }: PoolOptions) {
  const pool = new pg.Pool({ ...settings, max, types: typeParsers, pipeline: true })
  // Without a listener, a stopping server would end this process.
  pool.on('error', onError)
  // The pool stops listening when it releases a client, before its connection is closed.
  pool.on('connect', (client) => client.on('error', () => {}))
  const { pool: forKysely, close } = cancellablePool(pool, settings, { isPooled, onError })
  return { pool, cancellable: forKysely, close }
}

/** LISTEN needs one connection. */
function directPool(settings: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ ...settings, max: 1, types: typeParsers })
  pool.on('error', onError)
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function replicaHooksOf(
  pool: pg.Pool,
  state: ReplicaState,
  writes: RecentWrites,
): Required<Pick<Subgraph, 'mayReadReplica' | 'recordWrite'>> {
  return {
    async mayReadReplica(caller) {
      const position = state.position()
      if (position === null) return false
      const written = await writes.positionOf(writerKeys(caller))
      return written !== null && written <= position
    },
    async recordWrite(caller) {
      // Without a primary nothing was written.
      const position = await logPosition(pool).catch(() => null)
      if (position === null || (await writes.note(writerKeys(caller), position))) return
      // Other processes could not be notified: wait until the replica has it.
      const end = performance.now() + REPLICA_WAIT_MS
      while ((state.position() ?? 0n) < position && performance.now() < end) await sleep(REPLICA_WAIT_STEP_MS)
    },
  }
}
