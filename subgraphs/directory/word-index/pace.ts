import { setImmediate as breathe } from 'node:timers/promises'

/**
 * Counts work, and lets the event loop run when a slice is full: null to go on at once, else a
 * promise to wait for. The unit is the indexing of one record, some 50 µs.
 */
export type Pace = (records: number) => Promise<void> | null

/** About 5 ms: what waits for the loop is delayed by no more than two of them. */
const SLICE_RECORDS = 100
/** Copying, comparing or looking up one entry, in units of a record. */
export const CHEAP = 1 / 50

/** `onSlice`: how much was done without a pause. */
export function createPace(onSlice: (records: number) => void = () => {}): Pace {
  let done = 0
  return (records) => {
    done += records
    if (done < SLICE_RECORDS) return null
    onSlice(done)
    done = 0
    return breathe()
  }
}
