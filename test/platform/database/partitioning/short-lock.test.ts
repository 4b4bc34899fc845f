import pg from 'pg'
import { expect, test } from 'vitest'
import { withShortLock } from '../../../../platform/database/partitioning/short-lock.ts'
import { emptyDatabase } from '../../../support/database.ts'

test('work under a lock that never fits its time ends with what to do, instead of locking again for ever', async () => {
  const database = await emptyDatabase()
  const client = new pg.Client(database.connection)
  await client.connect()
  let waits = 0
  const locking = {
    ...{ maxLockMs: 20, signal: new AbortController().signal, times: { lockedMs: 0 } },
    onWait: () => {
      waits += 1
    },
  }
  const work = () => client.query('SELECT pg_sleep(600)')
  await expect(withShortLock(client, 'SELECT', locking, work)).rejects.toThrow('20 ms are too short for the work under them')
  expect(waits).toBe(4)
  await client.end()
  await database.drop()
})
