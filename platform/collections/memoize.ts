/**
 * Calls `make` once per distinct argument. Results are kept as long as the returned function: only
 * for bounded sets of arguments.
 */
export function memoize<Argument, Result>(compute: (argument: Argument) => Result): (argument: Argument) => Result {
  const results = new Map<Argument, Result>()
  return (argument) => {
    let result = results.get(argument)
    if (result === undefined) {
      result = compute(argument)
      results.set(argument, result)
    }
    return result
  }
}
