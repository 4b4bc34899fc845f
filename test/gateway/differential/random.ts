/** Numbers that depend on a seed and nothing else. */
export type Random = {
  /** Whole, from 0 up to and without `below`. */
  readonly whole: (below: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <Value>(values: readonly Value[]) => Value
}

/** A 32-bit number of a text (FNV-1a with a final mix), the same in every process. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return (hash ^ (hash >>> 15)) >>> 0
}

/** Mulberry32. */
export function randomOf(seed: number | string): Random {
  let state = hashOf(String(seed))
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const whole = (below: number) => Math.floor(next() * below)
  return {
    whole,
    chance: (probability) => next() < probability,
    pick: (values) => {
      const value = values[whole(values.length)]
      if (value === undefined) throw new Error('Expected something to pick from.')
      return value
    },
  }
}
