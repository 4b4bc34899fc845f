/** What `make` makes of each different object, or other value, once. All of it is remembered as long as the function is. */
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
