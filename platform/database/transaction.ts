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
  database.transaction().execute((oneByOne) => {
    const executor = oneByOne.getExecutor()
    return executor.provideConnection(async (connection) => {
      const underWay = new Set<Promise<unknown>>()
      const together = executor.withConnectionProvider({
        provideConnection(use) {
          const asked = use(connection)
          underWay.add(asked)
          return asked.finally(() => underWay.delete(asked))
        },
      })
      try {
        return await work(new Transaction<Tables>({ ...NEVER_USED, executor: together }))
      } finally {
        // A cancellation of these must not hit COMMIT, ROLLBACK or the next user of the connection.
        await Promise.allSettled(underWay)
      }
    })
  })

const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('Expected a transaction to have its connection.')) })
const NEVER_USED = { config: { dialect }, dialect, driver: new DummyDriver() }
