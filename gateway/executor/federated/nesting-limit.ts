/**
 * Maximum nesting of JSON values without a schema: custom scalars, and `extensions` of subgraph
 * errors. `JSON.stringify` overflows the stack at some thousand levels.
 */
const MAX_NESTING_LEVELS = 500

/** Whether a JSON value exceeds the nesting limit. */
export function isNestedTooDeep(value: unknown, levels = MAX_NESTING_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isNestedTooDeep(each, levels - 1))
}
