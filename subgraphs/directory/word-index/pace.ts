import { setImmediate as breathe } from 'node:timers/promises'

/**
 * Counts work, and lets the event loop run when a slice is full: null to go on at once, else a
 * promise to wait for. The unit is the indexing of one record, some 50 µs.
 */
export type Pace = (records: number) => Promise<void> | null

/** About 5 ms: what waits for the loop is delayed by no more than two of them. */
const SLICE_RECORDS = 100
/** A slice ends earlier when it has taken so long: records differ, and machines have other work. Milliseconds. */
const SLICE_MS = 4
/** Work between two looks at the clock, which cost a thousandth of it. */
const CLOCK_RECORDS = 4
/** Copying, comparing or looking up one entry, in units of a record. */
export const CHEAP = 1 / 50

/** `onSlice`: how much was done without a pause. */
export function createPace(onSlice: (records: number) => void = () => {}, clock: () => number = () => performance.now()): Pace {
  let [done, looked, since] = [0, 0, clock()]
  return (records) => {
    done += records
    if (done < SLICE_RECORDS) {
      if (done - looked < CLOCK_RECORDS) return null
      looked = done
      if (clock() - since < SLICE_MS) return null
    }
    onSlice(done)
    done = 0
    looked = 0
    return breathe().then(() => {
      since = clock()
    })
  }
}
