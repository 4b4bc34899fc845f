import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { cancellable } from './cancellation.ts'

/** How to reach PostgreSQL: what `pg` accepts, without a pool's settings. A Unix socket is a `host` that is a folder. */
export type Connection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string }

/** One subgraph's own schema of the database, typed by its tables. */
export type Database<Tables> = {
  readonly query: Kysely<Tables>
  readonly pool: pg.Pool
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
    statementMilliseconds = 0,
    onError,
  }: {
    readonly schema: string
    readonly max?: number
    readonly statementMilliseconds?: number
    readonly onError: (error: Error) => void
  },
): Database<Tables> {
  const settings = {
    ...connection,
    options: `-c search_path=${schema},public -c statement_timeout=${statementMilliseconds}`,
    application_name: `atrium ${schema}`,
  }
  const pool = new pg.Pool({ ...settings, max })
  // Without a listener, a server that stops ends this process too.
  pool.on('error', onError)
  // The pool listens to a client only until it lets go of it, which is before the connection is closed.
  pool.on('connect', (client) => client.on('error', () => {}))
  const kysely = cancellable(pool, settings, onError)
  return { query: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: kysely.pool }) }), pool, close: kysely.close }
}
