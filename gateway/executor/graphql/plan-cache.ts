import type { Operation, Selection } from './selection.ts'

/** Plans of one operation by the values of its conditions. */
export type SelectionPlans = Map<string, Selection>

/**
 * Fields that are planned at one time, of all operations of this process: about 35 MB. A plan grows with every type that appears at every place, so what an
 * operation may come to take is not in its text: all that is answered counts, and when it is too much all is forgotten and planned anew. 500 operations of
 * 30 fields are 15,000, and a field is planned in 4 µs.
 */
const MOST_FIELDS = 100_000
/** Differences by `@skip` and `@include` that are kept for one operation. */
const COMBINATIONS = 8

let kept = new WeakMap<Operation, SelectionPlans>()
let fields = 0

/** What is planned of an operation already; to be asked anew for each run. */
export function selectionPlansOf(operation: Operation): SelectionPlans {
  let plans = kept.get(operation)
  if (!plans) {
    plans = new Map()
    kept.set(operation, plans)
  }
  return plans
}

/** Keeps a plan, in the place of the oldest when there are too many. */
export function cacheSelectionPlan(plans: SelectionPlans, key: string, selection: Selection): void {
  const [oldest] = plans.size < COMBINATIONS ? [] : plans.keys()
  if (oldest !== undefined) plans.delete(oldest)
  plans.set(key, selection)
}

/** Says that `count` more fields are planned. */
export function countPlannedFields(count: number): void {
  fields += count
  if (fields <= MOST_FIELDS) return
  kept = new WeakMap()
  fields = 0
}
