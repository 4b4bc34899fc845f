import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { withCancellation } from '../../../platform/database/cancellation.ts'
import { openDatabase } from '../../../platform/database/database.ts'
import { emptyDatabase } from '../../support/database.ts'
import { databaseProxy } from './support/database-proxy.ts'

test('a cancellation that reaches the database before its statement is repeated until that has ended', async () => {
  const fresh = await emptyDatabase()
  // What the first connection says is held back from `holding` until the second has been told that
  // it cancelled.
  let holding = false
  const held: (() => void)[] = []
  const proxy = await databaseProxy(fresh.connection, {
    toServer: ({ place, pass }) => {
      if (place === 0 && holding) held.push(pass)
      else pass()
    },
    toClient: ({ bytes, place, pass }) => {
      pass()
      if (place === 0 || !bytes.includes('pg_cancel_backend')) return
      holding = false
      for (const each of held.splice(0)) each()
    },
  })
  const reached = openDatabase(proxy.connection, { schema: 'public', max: 1, onError: () => {} })
  try {
    await sql`SELECT 1`.execute(reached.query)
    holding = true
    const abort = new AbortController()
    const nap = withCancellation(abort.signal, () => sql`SELECT pg_sleep(15)`.execute(reached.query))
    await expect.poll(() => held.length).toBeGreaterThan(0)
    abort.abort(new Error('enough'))
    await expect(nap).rejects.toMatchObject({ code: '57014' })
  } finally {
    await reached.close()
    proxy.close()
    await fresh.drop()
  }
})
