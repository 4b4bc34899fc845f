/**
 * Calls `make` once per distinct argument. Results are kept as long as the returned function: only
 * for bounded sets of arguments.
 */
export function memoize<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new Map<Given, Made>()
  return (given) => {
    let known = made.get(given)
    if (known === undefined) {
      known = make(given)
      made.set(given, known)
    }
    return known
  }
}
