import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Subgraph } from '../graphql/subgraph.ts'
import { cancellablePool } from './cancellation.ts'
import { type RecentWrites, writerKeys } from './recent-writes.ts'
import { logPosition, type ReplicaState, replicaAwarePool, watchReplica } from './replica.ts'
import { typeParsers } from './type-parsers.ts'

/** How to reach PostgreSQL: what `pg` accepts, without a pool's settings. A Unix socket is a `host` that is a folder. */
export type Connection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string }

/** A replica of the database, and who wrote what it may lack. */
export type ReplicaOptions = { readonly connection: Connection; readonly writes: RecentWrites }

/** One subgraph's own schema of the database, typed by its tables. */
export type Database<Tables> = {
  /** Reads of operations that may read behind are asked of the replica, where there is one. */
  readonly query: Kysely<Tables>
  /** The same without the replica: for what must be known as of now, such as who may do what. */
  readonly now: Kysely<Tables>
  readonly pool: pg.Pool
  /** What a subgraph with a replica says of its callers; empty without one. */
  readonly replicaHooks: Pick<Subgraph, 'mayReadReplica' | 'recordWrite'>
  readonly close: () => Promise<void>
}

/**
 * Opens a pool whose search_path is `schema`, then `public`; connects on first use.
 * `max` bounds the connections. A lost idle connection is reported to `onError` and replaced on the next use. The database ends a statement after
 * `statementMilliseconds`; 0 lets it run.
 */
export function openDatabase<Tables>(
  connection: Connection,
  {
    schema,
    max = 10,
    statementTimeoutMs = 0,
    replica,
    onError,
  }: {
    readonly schema: string
    readonly max?: number
    readonly statementTimeoutMs?: number
    readonly replica?: ReplicaOptions | undefined
    readonly onError: (error: Error) => void
  },
): Database<Tables> {
  const options = `-c search_path=${schema},public -c statement_timeout=${statementTimeoutMs}`
  const application_name = `atrium ${schema}`
  const settings = { ...connection, options, application_name, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
  const { pool, close, ...primary } = openPool(settings, max, onError)
  const now = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: primary.cancellable }) })
  if (!replica) return { query: now, now, pool, replicaHooks: {}, close }

  const replicaSettings = {
    ...replica.connection,
    options,
    application_name,
    connectionTimeoutMillis: REPLICA_CONNECT_TIMEOUT_MS,
  }
  const replicaPool = openPool(replicaSettings, max, () => {})
  const state = watchReplica(pool, replicaPool.pool, () =>
    onError(new Error('The replica is gone, or too far behind: the primary is asked for everything.')),
  )
  const either = replicaAwarePool(primary.cancellable, replicaPool.cancellable, state)
  return {
    query: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: either }) }),
    now,
    pool,
    replicaHooks: replicaHooksOf(pool, state, replica.writes),
    close: async () => {
      await state.stop()
      await Promise.all([replicaPool.close(), close()])
    },
  }
}

/** How long somebody waits for a connection: as long as an operation may take, after which nobody needs it any more. */
const CONNECT_TIMEOUT_MS = 10_000
/** How long a connection to a replica may take before it counts as gone. */
const REPLICA_CONNECT_TIMEOUT_MS = 1_000
/** How long a mutation waits for the replica where others cannot be told of it, and how often it looks. */
const REPLICA_WAIT_MS = 2_000
const REPLICA_WAIT_STEP_MS = 20

function openPool(settings: pg.PoolConfig, max: number, onError: (error: Error) => void) {
  const pool = new pg.Pool({ ...settings, max, types: typeParsers, pipeline: true })
  // Without a listener, a server that stops ends this process too.
  pool.on('error', onError)
  // The pool listens to a client only until it lets go of it, which is before the connection is closed.
  pool.on('connect', (client) => client.on('error', () => {}))
  const { pool: forKysely, close } = cancellablePool(pool, settings, onError)
  return { pool, cancellable: forKysely, close }
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
      // Other copies do not know: then the replica must.
      const end = performance.now() + REPLICA_WAIT_MS
      while ((state.position() ?? 0n) < position && performance.now() < end) await sleep(REPLICA_WAIT_STEP_MS)
    },
  }
}
