import { DummyDriver, type Kysely, PostgresDialect, Transaction } from 'kysely'

/**
 * Runs `work` in one transaction. Unlike in Kysely's own, concurrent statements are pipelined and
 * run in the order issued: of ten in `Promise.all`, nine wait for no round trip. After a failed one
 * the rest fail too.
 */
export const transaction = <Tables, Result>(
  database: Kysely<Tables>,
  work: (query: Transaction<Tables>) => Promise<Result>,
): Promise<Result> =>
  database.transaction().execute((sequential) => {
    const executor = sequential.getExecutor()
    return executor.provideConnection(async (connection) => {
      const inFlight = new Set<Promise<unknown>>()
      const pipelined = executor.withConnectionProvider({
        provideConnection(use) {
          const statement = use(connection)
          inFlight.add(statement)
          return statement.finally(() => inFlight.delete(statement))
        },
      })
      try {
        return await work(new Transaction<Tables>({ ...NEVER_USED, executor: pipelined }))
      } finally {
        // A cancellation of these must not hit COMMIT, ROLLBACK or the next user of the connection.
        await Promise.allSettled(inFlight)
      }
    })
  })

const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('Expected a transaction to have its connection.')) })
const NEVER_USED = { config: { dialect }, dialect, driver: new DummyDriver() }
