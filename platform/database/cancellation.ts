import { AsyncLocalStorage } from 'node:async_hooks'
import type { Writable } from 'node:stream'
import type { PostgresPool, PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { preparedName } from './statement-names.ts'

/** What ends a transaction runs also after an abort: it is what tidies up. */
const TRANSACTION_END = /^(commit|rollback)\b/i

/** A statement that has not reached the database when it is cancelled goes on: it is cancelled until it ends. Milliseconds. */
const RECANCEL_INTERVAL_MS = 20

/** What SQL statements need to know of the operation that they are part of. */
type Operation = { readonly signal: AbortSignal; readonly mayReadReplica: boolean }

const operations = new AsyncLocalStorage<Operation>()

/**
 * Runs `work`, whose SQL statements are cancelled when `signal` aborts: running ones in the database, later ones before they begin. Where it `readsBehind`, a
 * replica may answer them. What others will wait for as well must not be started in here, but in `cancelledByNobody`. Costs half a microsecond, and five per
 * statement.
 */
export const withCancellation = <Result>(signal: AbortSignal, work: () => Result, readsBehind = false): Result =>
  operations.run({ signal, mayReadReplica: readsBehind }, work)

/** Runs `work` as nobody's: what several operations wait for is not cancelled when the one that happened to begin it ends, and sees what all of them must see. */
export const withoutCancellation = <Result>(work: () => Result): Result => operations.exit(work)

/** What statements that are asked for now are part of; undefined for those of nobody. The same operation is the same object. */
export const currentOperation = (): object | undefined => operations.getStore()

/** Whether a replica may answer what is asked now. */
export const readsBehind = (): boolean => operations.getStore()?.mayReadReplica === true

/** A client with what pg does not declare of it. */
type Client = pg.PoolClient & { readonly processID?: number; readonly connection: { readonly stream: Writable } }

/** The sockets that are held back by `writtenTogether`. */
let corkedSockets: Set<Writable> | null = null

/** Runs `work`. Of the statements that it asks for before it returns, each connection is sent all of its own in one write. */
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

/** The pool as kysely uses it, with statements that `cancelledBy` can cancel. `close` ends both. */
export function cancellablePool(
  pool: pg.Pool,
  settings: pg.PoolConfig,
  onError: (error: Error) => void,
): { readonly pool: PostgresPool; readonly close: () => Promise<void> } {
  // Opened when it is first needed, closed when it is not: a cancellation must not wait for a connection that is to be freed by it.
  const control = new pg.Pool({ ...settings, max: 1 })
  control.on('error', onError)
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()

  return {
    pool: {
      options: pool.options,
      async connect() {
        const client = await pool.connect()
        const known = clients.get(client)
        if (known) return known
        const wrapped = { query: queryOf(client as Client), release: (destroy?: boolean) => client.release(destroy) }
        // Its type also takes cursors, which nothing here streams with.
        clients.set(client, wrapped as unknown as PostgresPoolClient)
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
      const signal = operations.getStore()?.signal
      return signal === undefined || TRANSACTION_END.test(text)
        ? client.query(statementOf(text, parameters))
        : statement(client, signal, text, parameters)
    }
  }

  function statement(client: Client, signal: AbortSignal, text: string, parameters: unknown[]): Promise<pg.QueryResult> {
    if (signal.aborted) return Promise.reject(signal.reason)
    let cancelling: Promise<unknown> | null = null
    let hasEnded = false
    let again: NodeJS.Timeout | undefined
    const cancel = () => {
      cancelling = control.query('SELECT pg_cancel_backend($1)', [client.processID]).then(() => {
        if (!hasEnded) again = setTimeout(cancel, RECANCEL_INTERVAL_MS)
      }, onError)
    }
    signal.addEventListener('abort', cancel)
    return new Promise((resolve, reject) => {
      client.query(statementOf(text, parameters), (error, result) => {
        signal.removeEventListener('abort', cancel)
        hasEnded = true
        clearTimeout(again)
        const settle = () => (error ? reject(error) : resolve(result))
        // Given back before, the connection could be running somebody else's statement when it is cancelled.
        if (cancelling) void cancelling.then(settle)
        else settle()
      })
    })
  }
}

const statementOf = (text: string, values: unknown[]): pg.QueryConfig => ({ name: preparedName(text), text, values })
