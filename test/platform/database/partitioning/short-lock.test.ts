import pg from 'pg'
import { expect, test } from 'vitest'
import { withShortLock } from '../../../../platform/database/partitioning/short-lock.ts'
import { emptyDatabase } from '../../../support/database.ts'

test.each([
  ['one statement', async (run: (statement: string) => Promise<unknown>) => run('SELECT pg_sleep(600)')],
  [
    'statements that are short one by one',
    async (run: (statement: string) => Promise<unknown>) => {
      for (let count = 0; count < 30; count += 1) await run('SELECT pg_sleep(0.01)')
    },
  ],
])('%s under a lock that never fit its time end with what to do, instead of locking again for ever', async (_, work) => {
  const database = await emptyDatabase()
  const client = new pg.Client(database.connection)
  await client.connect()
  let waits = 0
  const locking = {
    ...{ maxLockMs: 100, signal: new AbortController().signal, times: { lockedMs: 0 } },
    onWait: () => {
      waits += 1
    },
  }
  await expect(withShortLock(client, 'SELECT', locking, work)).rejects.toThrow('100 ms are too short for the work under them')
  expect(waits).toBe(4)
  await client.end()
  await database.drop()
})
