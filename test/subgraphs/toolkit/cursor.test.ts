import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../platform/database/database.ts'
import { decodeCursor, encodeCursor, type PositionPart } from '../../../subgraphs/toolkit/cursor.ts'
import { keysetRange } from '../../../subgraphs/toolkit/keyset.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database.ts'

const REFUSED = expect.objectContaining({ extensions: { code: 'BAD_USER_INPUT', argument: 'after' } })
const refusal = (read: () => unknown) => {
  try {
    read()
  } catch (error) {
    return error
  }
  return null
}

describe('a time', () => {
  let database: FreshDatabase
  beforeAll(async () => {
    database = await emptyDatabase()
  })
  afterAll(() => database.drop())

  test.each(['2026-11-20T09:30:00.000Z', '2024-02-29T23:59:59.999Z', '0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])(
    '%s is one, also for PostgreSQL',
    async (time) => {
      expect(decodeCursor('list', ['time'], encodeCursor('list', [time]))).toEqual([time])
      const { pool, close } = openDatabase(database.connection, { schema: 'public', onError: () => {} })
      const { rows } = await pool.query('SELECT $1::timestamptz AS time', [time])
      await close()
      expect(rows[0].time.toISOString()).toBe(time)
    },
  )

  test.each([
    '2026-02-30T00:00:00.000Z',
    '2026-02-29T00:00:00.000Z',
    '2026-01-01T24:00:00.000Z',
    '2026-13-45T00:00:00.000Z',
    '0000-01-01T00:00:00.000Z',
    '+010000-01-01T00:00:00.000Z',
    '-000001-01-01T00:00:00.000Z',
    '2026-01-01T00:00:00Z',
    '2026-01-01',
    '1',
    '',
  ])('%j is no cursor', (time) => {
    expect(refusal(() => decodeCursor('list', ['time'], encodeCursor('list', [time])))).toEqual(REFUSED)
  })
})

test.each<[PositionPart, string | number]>([
  ['number', 1.5],
  ['number', 2 ** 31],
  ['number', -1e300],
])('a %s of a list in the database is not %j', (part, value) => {
  const list = { name: 'list', parts: [part], positionOf: () => [value] }
  expect(refusal(() => keysetRange(list, { after: encodeCursor('list', [value]) }))).toEqual(REFUSED)
  expect(keysetRange(list, { after: encodeCursor('list', [7]) }).after).toEqual([7])
})
