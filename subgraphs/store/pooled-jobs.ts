import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { PgBoss } from 'pg-boss'
import type { Connection } from '../../platform/database/database.ts'

/** Connections of the pooler for jobs: as many as pg-boss opens without one. */
const MAX_CONNECTIONS = 4
const CONNECT_TIMEOUT_MS = 10_000
/** Meanwhile pg-boss polls. */
const RECONNECT_MS = 5_000

/** Types that pg-boss does not export: what it runs its statements on, and a handle that ends a LISTEN. */
type JobDatabase = NonNullable<ConstructorParameters<typeof PgBoss>[0]['db']>
type ListenHandle = Awaited<ReturnType<NonNullable<JobDatabase['listen']>>>

/** What pg-boss works on behind a pooler in transaction mode. */
export type PooledJobs = { readonly db: JobDatabase; readonly close: () => Promise<void> }

/**
 * Statements of pg-boss through `pooler`; notifications on one connection of the server itself,
 * because LISTEN belongs to a session. A connection that broke, or that could not listen, is made
 * anew until `close` is called.
 */
export function pooledJobs(
  connection: Connection,
  {
    pooler,
    applicationName,
    onError,
    reconnectMs = RECONNECT_MS,
  }: {
    readonly pooler: Connection
    readonly applicationName: string
    readonly onError: (error: Error) => void
    /** Only tests set it. */
    readonly reconnectMs?: number
  },
): PooledJobs {
  const settings = { application_name: applicationName, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }
  const pool = new pg.Pool({ ...pooler, ...settings, max: MAX_CONNECTIONS })
  pool.on('error', onError)
  const open = new Set<() => Promise<void>>()

  const listen = async (channel: string, deliver: (payload: string) => void, onConnect: () => void): Promise<ListenHandle> => {
    const ended = new AbortController()
    let client: pg.Client | null = null

    const connect = async (): Promise<void> => {
      const made = new pg.Client({ ...connection, ...settings })
      made.on('error', onError)
      made.on('notification', ({ payload }) => deliver(payload ?? ''))
      const lost = new Promise<void>((resolve) => made.once('end', resolve))
      await made.connect()
      client = made
      try {
        ended.signal.throwIfAborted()
        await made.query(`LISTEN ${pg.escapeIdentifier(channel)}`)
      } catch (error) {
        await made.end()
        throw error
      }
      void lost.then(() => {
        connecting = reconnect()
      })
      onConnect()
    }
    /** False when it failed. */
    const tryToConnect = async (): Promise<boolean> => {
      try {
        await connect()
        return true
      } catch (error) {
        // A connection that close() ended is no fault.
        if (!ended.signal.aborted) onError(error instanceof Error ? error : new Error(String(error)))
        return false
      }
    }
    const reconnect = async (): Promise<void> => {
      for (let isConnected = false; !isConnected && !ended.signal.aborted; ) {
        await sleep(reconnectMs, undefined, { signal: ended.signal, ref: false }).catch(() => {})
        if (!ended.signal.aborted) isConnected = await tryToConnect()
      }
    }
    const close = async (): Promise<void> => {
      open.delete(close)
      ended.abort()
      await client?.end()
      // pg never settles connect() of a client that is ended meanwhile: it ends once it is connected.
      await connecting
    }
    let connecting: Promise<unknown> = tryToConnect()
    open.add(close)
    if (!(await connecting)) connecting = reconnect()
    return { close }
  }

  return {
    db: { executeSql: (text, values) => pool.query(text, values), listen },
    async close() {
      for (const end of open) await end()
      await pool.end()
    },
  }
}
