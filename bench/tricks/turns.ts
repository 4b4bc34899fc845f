/** Measures two ways of doing the same in turns, so that a busy machine weighs on both. */
import { parseArgs } from 'node:util'

/**
 * What a trick must be worth at least: otherwise it goes. Set before anything was measured.
 * Shares of the processor time, and of the memory, without the trick.
 */
export const THRESHOLDS = { processor: 0.05, memory: 0.1 } as const

// Other options are those of the bench that imports this.
const { values } = parseArgs({ strict: false, options: { rounds: { type: 'string', default: '40' } } })
const ROUNDS = Number(values.rounds)
const WARM_UP_ROUNDS = 10
/** Long enough for the clock of the processor, short enough to change turns often. */
const ROUND_MICROSECONDS = 8_000

/** A way of doing something; a promise is awaited. */
type Variant = () => unknown

async function microseconds(variant: Variant, calls: number): Promise<number> {
  const before = process.cpuUsage()
  for (let call = 0; call < calls; call++) {
    const result = variant()
    if (result instanceof Promise) await result
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / calls
}

export const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] as number

/** Prints what `withTrick` takes as a share of `without`: of the medians, and of the minima. */
export async function compare(name: string, withTrick: Variant, without: Variant): Promise<void> {
  const variants = [withTrick, without] as const
  const times: [number[], number[]] = [[], []]
  const calls = Math.max(1, Math.round(ROUND_MICROSECONDS / (await microseconds(without, 200))))
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    // The second one finds warm caches.
    for (const index of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      const time = await microseconds(variants[index], calls)
      if (round >= 0) times[index].push(time)
    }
  }
  const [own, other] = times
  const share = median(own) / median(other)
  report(
    name,
    share,
    Math.min(...own) / Math.min(...other),
    `${median(own).toFixed(1)} instead of ${median(other).toFixed(1)} µs`,
  )
}

/** Prints a share, the same of the minima, and whether the trick is worth it. */
export function report(
  name: string,
  share: number,
  ofMinima: number,
  figures: string,
  threshold: number = THRESHOLDS.processor,
): void {
  const verdict = 1 - share >= threshold ? 'kept' : 'BELOW THE THRESHOLD'
  console.log(`${name.padEnd(60)} ${share.toFixed(2)} (minima ${ofMinima.toFixed(2)})  ${figures}  ${verdict}`)
}
