import type { CompiledQuery, Kysely, QueryExecutor, QueryResult } from 'kysely'
import { corkWrites, currentOperation } from './cancellation.ts'

/** A statement that was asked for, and who waits for it. */
type PendingStatement = {
  readonly query: CompiledQuery<unknown>
  readonly resolve: (result: QueryResult<unknown>) => void
  readonly reject: (error: unknown) => void
}

/** What operations asked of databases and has not been sent. */
const waiting = new WeakMap<object, Map<QueryExecutor, PendingStatement[]>>()

/**
 * Runs a statement. Those that one operation asks for in the same turn of the event loop, as loaders do, are sent together on one connection and done in the order in
 * which they were asked for: one process of PostgreSQL wakes up for them instead of one each, and connections are left for others. Each fails by itself. Only for statements that take
 * little time, as the later ones wait for the earlier. In a transaction, which has its connection, and outside of operations a statement goes by itself. Plugins of Kysely are not asked.
 */
export function batchStatements<Tables, Row>(database: Kysely<Tables>, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const operation = currentOperation()
  if (operation === undefined || database.isTransaction) return database.executeQuery(query)
  const batches = waiting.get(operation) ?? new Map<QueryExecutor, PendingStatement[]>()
  if (batches.size === 0) waiting.set(operation, batches)
  return new Promise((resolve, reject) => {
    const asked = { query, resolve, reject } as PendingStatement
    const executor = database.getExecutor()
    const batch = batches.get(executor)
    if (batch) {
      batch.push(asked)
      return
    }
    const begun = [asked]
    batches.set(executor, begun)
    process.nextTick(() => {
      batches.delete(executor)
      send(executor, begun)
    })
  })
}

function send(executor: QueryExecutor, statements: readonly PendingStatement[]): void {
  executor
    .provideConnection((connection) =>
      corkWrites(() =>
        Promise.all(statements.map(({ query, resolve, reject }) => connection.executeQuery(query).then(resolve, reject))),
      ),
    )
    .catch((error: unknown) => {
      // There was no connection to be had.
      for (const { reject } of statements) reject(error)
    })
}
