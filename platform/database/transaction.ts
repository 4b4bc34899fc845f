import { DummyDriver, type Kysely, PostgresDialect, Transaction } from 'kysely'

/**
 * Runs `work` in one transaction. Unlike in Kysely's own, statements that are asked for at once go to the database together, and run there in the order in which
 * they were asked for: of ten with `Promise.all`, nine wait for no answer of another. After one that fails, the rest fail as well.
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
        // What ends the transaction, and whoever has the connection next, must not meet a cancellation of these.
        await Promise.allSettled(underWay)
      }
    })
  })

const dialect = new PostgresDialect({ pool: () => Promise.reject(new Error('Expected a transaction to have its connection.')) })
const NEVER_USED = { config: { dialect }, dialect, driver: new DummyDriver() }
