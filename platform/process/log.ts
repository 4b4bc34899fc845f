import pino, { type LevelWithSilent, type Logger } from 'pino'

/** Characters that wait while nothing can be written; what comes then is not logged. */
const MAX_PENDING_CHARACTERS = 1_000_000

/** The log of a process, on standard output. Lines that cannot be written, as on a full disk, are lost: without a log the process does the same. */
export function createLog(level: LevelWithSilent): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: MAX_PENDING_CHARACTERS })
  // Without a listener, the first line that does not fit ends the process.
  destination.on('error', () => {})
  return pino({ level }, destination)
}
