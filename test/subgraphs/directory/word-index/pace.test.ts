import { describe, expect, test } from 'vitest'
import { createPace } from '../../../../subgraphs/directory/word-index/pace.ts'
import { replaceLists } from '../../../../subgraphs/directory/word-index/packed-lists.ts'

describe('a pace', () => {
  test('ends a slice behind 100 records, and earlier when the clock says that it took long', async () => {
    let now = 0
    const slices: number[] = []
    const pace = createPace(
      (records) => slices.push(records),
      () => now,
    )
    for (let record = 0; record < 200; record += 1) await pace(1)
    expect(slices).toEqual([100, 100])
    // A record of a millisecond, as on a machine with other work.
    for (let record = 0; record < 12; record += 1) {
      now += 1
      await pace(1)
    }
    expect(slices).toEqual([100, 100, 4, 4, 4])
    // The time between two slices belongs to others.
    const pause = pace(100)
    now += 50
    await pause
    expect(pace(4)).toBeNull()
  })
})

describe('lists with changes', () => {
  test('are copied in stretches, also when few of them hold millions of numbers', async () => {
    const data = Uint32Array.from({ length: 2_000_000 }, (_, at) => at)
    const starts = Uint32Array.of(0, 1_000_000, 1_999_999, 2_000_000)
    const stretches: number[] = []
    const write = (_: number, into: Uint32Array, start: number) => {
      into[start] = 7
      return start + 1
    }
    const changed = await replaceLists({ data, starts }, { numbers: Uint32Array.of(2), room: 1, write }, 3, (records) => {
      stretches.push(records)
      return null
    })
    expect(changed.starts).toEqual(starts)
    expect(changed.data.at(-1)).toBe(7)
    expect(changed.data.subarray(0, 1_999_999).every((number, at) => number === at)).toBe(true)
    expect(stretches.length).toBeGreaterThan(15)
    // Of 100 records of a slice.
    expect(Math.max(...stretches)).toBeLessThan(20)
  })
})
