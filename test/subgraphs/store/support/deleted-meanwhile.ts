import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { StoreStack } from './store.ts'

const WAITING = `SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND datname = current_database()`

/**
 * Runs a change while a transaction that is not yet committed has deleted something: it commits as
 * soon as the change waits for it.
 */
export async function deletedMeanwhile<Result>(
  stack: StoreStack,
  deletion: string,
  change: () => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...stack.database.connection, options: '-c search_path=store,public' })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query(deletion)
    let isOver = false
    const changed = change().finally(() => {
      isOver = true
    })
    // What is over without having waited has not met the deletion, which its outcome shows.
    while (!isOver && (await stack.sql(WAITING)).length === 0) await sleep(5)
    await client.query('COMMIT')
    return await changed
  } finally {
    await client.end()
  }
}
