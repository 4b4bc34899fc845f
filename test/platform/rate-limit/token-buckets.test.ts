import { expect, test } from 'vitest'
import { tokenBuckets } from '../../../platform/rate-limit/token-buckets.ts'

const MINUTE = 60_000

test('a clock that is set back rejects no client for longer than a bucket takes to fill', () => {
  let now = Date.parse('2026-11-20T12:00:00Z')
  const take = tokenBuckets(60, () => new Date(now))
  expect(take('ann', 60).isGranted).toBe(true)
  now -= 60 * MINUTE
  expect([take('ann', 1).isGranted, take('ann', 1).waitSeconds]).toEqual([false, 1])
  now += MINUTE / 2
  expect(take('ann', 30).isGranted).toBe(true)
  expect(take('ann', 1).isGranted).toBe(false)
})
