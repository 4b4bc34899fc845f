/** A straight line through values: how much they change in an hour. */
export type Slope = {
  readonly perHour: number
  /** Half the width of the 95 % confidence interval. */
  readonly margin: number
}

/**
 * 97.5 % quantile of Student's distribution, by Cornish and Fisher's expansion around that of the
 * normal distribution (1.96); off by less than 1 % from 5 degrees of freedom on.
 */
function studentQuantile(freedom: number): number {
  const z = 1.959964
  return z + (z ** 3 + z) / (4 * freedom) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
}

/**
 * Least squares of values at times in seconds. The interval takes neighbours for independent; a
 * heap whose caches fill slowly is not, so its interval is too narrow rather than too wide.
 */
export function slopeOf(points: readonly { readonly at: number; readonly value: number }[]): Slope {
  const count = points.length
  if (count < 3) throw new Error(`Expected at least 3 points, got ${count}.`)
  const mean = (of: (point: (typeof points)[number]) => number) => points.reduce((sum, each) => sum + of(each), 0) / count
  const [at, value] = [mean((each) => each.at), mean((each) => each.value)]
  const squares = points.reduce((sum, each) => sum + (each.at - at) ** 2, 0)
  const slope = points.reduce((sum, each) => sum + (each.at - at) * (each.value - value), 0) / squares
  const rest = points.reduce((sum, each) => sum + (each.value - value - slope * (each.at - at)) ** 2, 0)
  const error = Math.sqrt(rest / (count - 2) / squares)
  return { perHour: slope * 3600, margin: error * studentQuantile(count - 2) * 3600 }
}
