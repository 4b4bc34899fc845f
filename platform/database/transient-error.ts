/** Classes of SQLSTATE: the connection failed, there is no room (of disk, memory or connections), and transactions that were in each other's way. */
const TRANSIENT_CLASSES = /^(08|53|40)/
/** The server stops, has crashed or starts, can be read only, as a replica can until it has taken over, or its disk fails. */
const TRANSIENT_STATES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '25006', '58030'])
/** What the system says of a connection, and of a full disk. */
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
/** What node-postgres says of its own, without a code. */
const CONNECTION_MESSAGE = /connection (terminated|error)|timeout exceeded when trying to connect|not queryable/i

/**
 * Whether an error says that the database, or the disk, cannot be used now, and nothing about what was asked: the same may well succeed in a moment. Whether
 * what was asked has been done is not known if it was about to be committed.
 */
export function isTransientError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined) return CONNECTION_MESSAGE.test(error.message)
  // A socket that is not there is a server that is not.
  return (
    TRANSIENT_SYSTEM_CODES.has(code) ||
    TRANSIENT_STATES.has(code) ||
    (TRANSIENT_CLASSES.test(code) && code.length === 5) ||
    (code === 'ENOENT' && syscall === 'connect')
  )
}
