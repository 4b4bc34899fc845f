import { expect, test } from 'vitest'
import { migrationStatus } from '../../database/migrate.ts'
import { freshDatabase } from '../support/database.ts'

test('a fresh database has every migration', async () => {
  const { connection, drop } = await freshDatabase()
  expect((await migrationStatus(connection)).map(({ state }) => state)).toEqual(['applied'])
  await drop()
})
