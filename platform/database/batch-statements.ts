import type { CompiledQuery, Kysely, QueryExecutor, QueryResult } from 'kysely'
import { corkWrites, currentOperation } from './cancellation.ts'

/** A statement that waits to be sent. */
type PendingStatement = {
  readonly query: CompiledQuery<unknown>
  readonly resolve: (result: QueryResult<unknown>) => void
  readonly reject: (error: unknown) => void
}

/** Pending statements of each operation, by connection source. */
const pendingBatches = new WeakMap<object, Map<QueryExecutor, PendingStatement[]>>()

/**
 * Runs a statement. Those that one operation issues in the same tick, as loaders do, share a
 * connection and one write, and run in order: one PostgreSQL process wakes instead of one each.
 * Each fails alone. Only for short statements, because later ones wait. In a transaction and
 * outside operations a statement goes alone. Kysely plugins are skipped.
 */
export function batchStatements<Tables, Row>(database: Kysely<Tables>, query: CompiledQuery<Row>): Promise<QueryResult<Row>> {
  const operation = currentOperation()
  if (operation === undefined || database.isTransaction) return database.executeQuery(query)
  const batches = pendingBatches.get(operation) ?? new Map<QueryExecutor, PendingStatement[]>()
  if (batches.size === 0) pendingBatches.set(operation, batches)
  return new Promise((resolve, reject) => {
    // The type parameters of the statement are its own.
    const statement = { query, resolve, reject } as PendingStatement
    const executor = database.getExecutor()
    const batch = batches.get(executor)
    if (batch) {
      batch.push(statement)
      return
    }
    const started = [statement]
    batches.set(executor, started)
    process.nextTick(() => {
      batches.delete(executor)
      send(executor, started)
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
      // No connection was available.
      for (const { reject } of statements) reject(error)
    })
}
