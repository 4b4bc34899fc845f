/**
 * Levels of lists and objects that subgraphs may nest where no schema says how many there are: in values of custom scalars, and in what errors have with
 * them. Nobody needs as many, and at some thousands writing them as JSON overflows the stack.
 */
const MOST_LEVELS = 500

/** Whether a value of JSON is nested deeper than anybody needs. */
export function isNestedTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isNestedTooDeep(each, levels - 1))
}
