import pg from 'pg'
import { expect, test } from 'vitest'
import { parseTimestamp } from '../../../platform/database/type-parsers.ts'

const byPg = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ)

test.each([
  ['2026-11-21 09:30:00+00', '2026-11-21T09:30:00.000Z'],
  ['2026-11-21 09:30:00.1+00', '2026-11-21T09:30:00.100Z'],
  ['2026-11-21 09:30:00.04+00', '2026-11-21T09:30:00.040Z'],
  ['2026-11-21 09:30:00.123456+00', '2026-11-21T09:30:00.123Z'],
  ['2024-02-29 23:59:59.999999+00', '2024-02-29T23:59:59.999Z'],
  ['0044-03-15 12:00:00+00', '0044-03-15T12:00:00.000Z'],
  ['0044-03-15 12:00:00+00 BC', '-000043-03-15T12:00:00.000Z'],
  ['12026-01-01 00:00:00+00', '+012026-01-01T00:00:00.000Z'],
  ['2026-11-21 09:30:00.5+05:30', '2026-11-21T04:00:00.500Z'],
  ['2026-11-21 09:30:00-03', '2026-11-21T12:30:00.000Z'],
])('%s is %s', (text, time) => {
  expect(parseTimestamp(text).toISOString()).toBe(time)
  expect(parseTimestamp(text)).toEqual(byPg(text))
})

test('times without an end are read as pg reads them', () => {
  expect([parseTimestamp('infinity'), parseTimestamp('-infinity')]).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
})
