/**
 * What went wrong with a request, in a few words. `fetch` wraps what happened; a system's code says
 * more than its message.
 */
export function failureText(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}
