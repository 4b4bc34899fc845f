/**
 * Short description of a failed request. `fetch` hides the reason in `cause`, and a system error's
 * code is clearer than its message.
 */
export function failureText(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
