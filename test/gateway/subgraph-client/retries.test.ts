import { expect, test } from 'vitest'
import { retryAfterMs, retryDelayMs } from '../../../gateway/subgraph-client/retries.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')

test.each<{ why: string; retry: number; again: number | null; random: number; waits: number | null }>([
  { why: 'anything from nothing', retry: 0, again: 0, random: 0, waits: 0 },
  { why: 'to 100 ms', retry: 0, again: 0, random: 1, waits: 100 },
  { why: 'the second up to twice as long', retry: 1, again: 0, random: 1, waits: 200 },
  { why: 'never less than was asked for', retry: 0, again: 700, random: 1, waits: 700 },
  { why: 'not at all where it makes no sense', retry: 0, again: null, random: 1, waits: null },
])('a retry waits $why', ({ retry, again, random, waits }) => {
  expect(retryDelayMs(retry, again, random)).toBe(waits)
})

test.each<{ status: number; retryAfter?: string | string[]; after: number | null; why: string }>([
  { status: 200, after: null, why: 'it was answered' },
  { status: 500, after: null, why: 'something happened' },
  { status: 500, retryAfter: '0', after: null, why: 'something happened' },
  { status: 502, after: 0, why: 'nobody answered' },
  { status: 503, after: 0, why: 'nobody answered' },
  { status: 504, after: 0, why: 'nobody answered' },
  { status: 503, retryAfter: '1', after: 1_000, why: 'it says when' },
  { status: 503, retryAfter: '2', after: null, why: 'that is too late' },
  { status: 429, after: null, why: 'it does not say when' },
  { status: 429, retryAfter: '1', after: 1_000, why: 'it says when' },
  { status: 429, retryAfter: 'Thu, 01 Jan 2026 00:00:01 GMT', after: 1_000, why: 'it names a date' },
  { status: 429, retryAfter: 'Thu, 01 Jan 2026 00:00:02 GMT', after: null, why: 'that is too late' },
  { status: 429, retryAfter: 'Wed, 31 Dec 2025 00:00:00 GMT', after: 0, why: 'that is over' },
  { status: 429, retryAfter: 'soon', after: null, why: 'that is no date' },
  { status: 429, retryAfter: '-1', after: null, why: 'that is no number of seconds' },
  { status: 429, retryAfter: ['1', '1'], after: null, why: 'that is two' },
  { status: 429, retryAfter: '', after: null, why: 'that is nothing' },
])('status $status with "$retryAfter" may be retried after $after: $why', ({ status, retryAfter, after }) => {
  expect(retryAfterMs(status, retryAfter, NOW)).toBe(after)
})
