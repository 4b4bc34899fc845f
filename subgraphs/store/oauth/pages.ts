/** Pages of the authorization, which the web server must serve as well. */
export const PAGES = {
  /** Followed by the id of a request. */
  request: '/authorize',
  /** Shows the code of `?code=`, or that it is missing. */
  code: '/authorize/code',
  /** Shows the error of a link, by the code in `?error=`. */
  problem: '/authorize/problem',
} as const
