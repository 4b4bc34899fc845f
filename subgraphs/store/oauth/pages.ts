/** Pages that the protocol leads browsers to. Whoever serves the graph serves them as well. */
export const PAGES = {
  /** Followed by the id of a request. */
  request: '/authorize',
  /** Shows the code that it gets as `?code=`, or that there is none. */
  code: '/authorize/code',
  /** Says what is wrong with a link, by the word in `?error=`. */
  problem: '/authorize/problem',
} as const
