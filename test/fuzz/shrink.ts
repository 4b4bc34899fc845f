/** How many smaller values are tried before what there is must do. */
const TRIES = 300

/** A smaller value that still fails, as small as taking away one thing after the other makes it. */
export async function shrunk<Value>(value: Value, fails: (smaller: Value) => Promise<boolean>): Promise<Value> {
  let best = value
  let tries = 0
  for (let isSmaller = true; isSmaller && tries < TRIES; ) {
    isSmaller = false
    for (const candidate of smallerThan(best)) {
      if (tries++ >= TRIES) break
      if (!(await fails(candidate as Value))) continue
      best = candidate as Value
      isSmaller = true
      break
    }
  }
  return best
}

/** The same without one key or element, or with a shorter text in one place. */
function* smallerThan(value: unknown): Generator<unknown> {
  if (typeof value === 'string') {
    if (value.length > 200) yield value.slice(0, value.length / 2)
    return
  }
  if (Array.isArray(value)) {
    for (const index of value.keys()) yield value.toSpliced(index, 1)
    for (const [index, element] of value.entries())
      for (const smaller of smallerThan(element)) yield value.toSpliced(index, 1, smaller)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const entries = Object.entries(value)
  // By entries, because `__proto__` is a key like any other.
  for (const index of entries.keys()) yield Object.fromEntries(entries.toSpliced(index, 1))
  for (const [index, [key, inner]] of entries.entries())
    for (const smaller of smallerThan(inner)) yield Object.fromEntries(entries.toSpliced(index, 1, [key, smaller]))
}
