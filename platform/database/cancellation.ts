import type { EventEmitter } from 'node:events'
import type { Duplex, Writable } from 'node:stream'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { connectionTurns } from './connection-turns.ts'
import { currentSignal } from './operation-context.ts'
import { preparedName } from './statement-names.ts'

export { chargeTo, currentOperation, readsBehind, withCancellation, withoutCancellation } from './operation-context.ts'

/** COMMIT and ROLLBACK run even after an abort: they clean up. */
const TRANSACTION_END = /^(commit|rollback)\b/i

/** A cancellation may arrive before its statement, so it repeats until that ends. */
const RECANCEL_INTERVAL_MS = 20

/** A client with members that the types of pg omit. */
type Client = pg.PoolClient & {
  readonly processID?: number
  readonly secretKey?: number
  readonly connection: { readonly stream: Writable }
}

/** Ends the statement that a client is waiting for; resolves when the server was told. */
type Cancel = (client: Client) => Promise<unknown>

/** Sockets that `corkWrites` is holding back. */
let corkedSockets: Set<Writable> | null = null

/**
 * Runs `work`, and sends the statements that it issues synchronously in one write per connection.
 */
export function corkWrites<Result>(work: () => Result): Result {
  const [sockets, outer] = [new Set<Writable>(), corkedSockets]
  corkedSockets = sockets
  try {
    return work()
  } finally {
    corkedSockets = outer
    for (const socket of sockets) socket.uncork()
  }
}

function cork(socket: Writable, sockets: Set<Writable>): void {
  if (sockets.has(socket)) return
  sockets.add(socket)
  socket.cork()
}

/**
 * Wraps the pool for Kysely, so that `withCancellation` can cancel its statements, and tenants take
 * turns while all connections are busy. Behind a pooler
 * in transaction mode (`isPooled`) nothing is prepared under a name, because the next statement may
 * run on another connection of the server, and a cancellation is a CancelRequest, because only the
 * pooler knows which connection that is. `close` ends both pools.
 */
export function cancellablePool(
  pool: pg.Pool,
  settings: pg.PoolConfig,
  { isPooled, onError }: { readonly isPooled: boolean; readonly onError: (error: Error) => void },
): { readonly pool: PostgresPool; readonly close: () => Promise<void> } {
  // A separate connection, opened on demand: a cancellation must not wait for one that it is to
  // free.
  const control = new pg.Pool({ ...settings, max: 1 })
  control.on('error', onError)
  const cancelStatement: Cancel = isPooled
    ? (client) => requestCancel(settings, client)
    : ({ processID }) => control.query('SELECT pg_cancel_backend($1)', [processID])
  const statementOf = isPooled
    ? (text: string, values: unknown[]): pg.QueryConfig => ({ text, values })
    : (text: string, values: unknown[]): pg.QueryConfig => ({ name: preparedName(text), text, values })
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  const turns = connectionTurns(pool.options.max, settings.connectionTimeoutMillis ?? 0)
  const connected = async () => {
    const turn = turns.take()
    if (turn) await turn
    return pool.connect().catch((error: unknown) => {
      turns.leave()
      throw error
    })
  }

  return {
    pool: {
      options: pool.options,
      async connect() {
        const client = await connected()
        const existing = clients.get(client)
        if (existing) return existing
        const wrapped = {
          // Kysely's type of a client lacks `pg`'s fields, and the other way round; it is the same object.
          query: queryOf(client as Client),
          release(destroy?: boolean) {
            client.release(destroy)
            turns.leave()
          },
        }
        // A cast: Kysely's type includes cursors, which nothing here uses.
        clients.set(client, wrapped as unknown as PostgresPoolClient)
        // Kysely's type of a client lacks `pg`'s fields, and the other way round; it is the same object.
        return wrapped as unknown as PostgresPoolClient
      },
      end: () => pool.end(),
    },
    close: async () => {
      await Promise.all([pool.end(), control.end()])
    },
  }

  function queryOf(client: Client) {
    return (text: string, parameters: unknown[]) => {
      if (corkedSockets) cork(client.connection.stream, corkedSockets)
      const signal = currentSignal()
      return signal === undefined || TRANSACTION_END.test(text)
        ? client.query(statementOf(text, parameters))
        : statement(client, signal, text, parameters)
    }
  }

  function statement(client: Client, signal: AbortSignal, text: string, parameters: unknown[]): Promise<pg.QueryResult> {
    if (signal.aborted) return Promise.reject(signal.reason)
    let cancelling: Promise<unknown> | null = null
    let isDone = false
    let retryTimer: NodeJS.Timeout | undefined
    const cancel = () => {
      cancelling = cancelStatement(client).then(() => {
        if (!isDone) retryTimer = setTimeout(cancel, RECANCEL_INTERVAL_MS)
      }, onError)
    }
    signal.addEventListener('abort', cancel)
    return new Promise((resolve, reject) => {
      void client.query(statementOf(text, parameters), (error, result) => {
        signal.removeEventListener('abort', cancel)
        isDone = true
        clearTimeout(retryTimer)
        const finish = () => (error ? reject(error) : resolve(result))
        // Wait: a connection released earlier could run another caller's statement when the
        // cancellation arrives.
        if (cancelling) void cancelling.then(finish)
        else finish()
      })
    })
  }
}

/** How long a server may take for a CancelRequest: the result of its statement waits for it. */
const CANCEL_TIMEOUT_MS = 2_000

/**
 * Sends a CancelRequest for what the client is waiting for, on a connection of its own, as the
 * protocol of PostgreSQL demands; encrypted where that of the client is. Resolves when the server
 * closes it; a failure only means that the statement goes on to its end.
 */
function requestCancel(settings: pg.PoolConfig, { processID, secretKey }: Client): Promise<void> {
  // Members that the types of pg omit: where the settings lead, and its own messages.
  const { host, port, connection } = new pg.Client(settings) as unknown as {
    readonly host: string
    readonly port: number
    readonly connection: EventEmitter & {
      /** Another one after the TLS handshake has begun. */
      readonly stream: Duplex
      /** False, or options of TLS; also where a connection string asks for it. */
      readonly ssl: unknown
      readonly sslNegotiation: 'postgres' | 'direct'
      readonly connect: (portOrSocket: number | string, host?: string) => void
      readonly requestSsl: () => void
      readonly cancel: (processID: number | undefined, secretKey: number | undefined) => void
    }
  }
  return new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer)
      connection.stream.destroy()
      resolve()
    }
    const timer = setTimeout(end, CANCEL_TIMEOUT_MS)
    const send = () => connection.cancel(processID, secretKey)
    connection.once('end', end)
    // More may follow one that has been reported.
    connection.on('error', end)
    if (!connection.ssl) connection.once('connect', send)
    else if (connection.sslNegotiation === 'postgres') connection.once('connect', () => connection.requestSsl())
    connection.once('sslconnect', send)
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
    else connection.connect(port, host)
  })
}
