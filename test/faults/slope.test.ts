import { expect, test } from 'vitest'
import { slopeOf } from './support/slope.ts'

test('what does not change has no slope, and what does has its own', () => {
  const line = (perSecond: number) => Array.from({ length: 10 }, (_, at) => ({ at, value: 5 + perSecond * at }))
  expect(slopeOf(line(0))).toEqual({ perHour: 0, margin: 0 })
  expect(slopeOf(line(2)).perHour).toBeCloseTo(7200)
  expect(slopeOf(line(2)).margin).toBeCloseTo(0)
})

test('the interval is that of a textbook', () => {
  // Five points: slope 0.6, standard error 0.2828, t(3) = 3.182.
  const values = [2, 4, 5, 4, 5]
  const { perHour, margin } = slopeOf(values.map((value, index) => ({ at: index + 1, value })))
  expect(perHour / 3600).toBeCloseTo(0.6)
  expect(margin / 3600).toBeCloseTo(0.2828 * 3.182, 1)
})
