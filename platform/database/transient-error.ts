/** SQLSTATE classes: connection failure, insufficient resources, transaction conflict. */
const TRANSIENT_CLASSES = /^(08|53|40)/
/**
 * SQLSTATEs of a server that stops, crashed, starts, is read-only (a replica before promotion), or
 * has a failing disk.
 */
const TRANSIENT_STATES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25006', '58030'])
/** System errors of connections and full disks. */
const TRANSIENT_SYSTEM_CODES: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNREFUSED',
  'ECONNRESET',
  'EDQUOT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOSPC',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])
/** Errors of node-postgres without a code. */
const CONNECTION_MESSAGE = /connection (terminated|error)|timeout exceeded when trying to connect|not queryable/i

/**
 * Whether the database or the disk is temporarily unavailable: the same may succeed soon. A failed
 * COMMIT may nevertheless have been done.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  // Both fields are read as `unknown` values.
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined) return CONNECTION_MESSAGE.test(error.message)
  // A missing socket is a server that does not run.
  return (
    TRANSIENT_SYSTEM_CODES.has(code) ||
    TRANSIENT_STATES.has(code) ||
    (TRANSIENT_CLASSES.test(code) && code.length === 5) ||
    (code === 'ENOENT' && syscall === 'connect')
  )
}
