/**
 * Whether JSON is nested more than `levels` deep. Stops there, so that deep nesting cannot overflow
 * the stack.
 */
export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels < 0) return true
  for (const inner of Object.values(value)) if (isDeeperThan(inner, levels - 1)) return true
  return false
}
