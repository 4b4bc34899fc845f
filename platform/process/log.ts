import pino, { type LevelWithSilent, type Logger } from 'pino'

/** Characters that wait while nothing can be written; what comes then is not logged. */
const MOST_WAITING = 1_000_000

/** The log of a process, on standard output. Lines that cannot be written, as on a full disk, are lost: without a log the process does the same. */
export function processLog(level: LevelWithSilent): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: MOST_WAITING })
  // Without a listener, the first line that does not fit ends the process.
  destination.on('error', () => {})
  return pino({ level }, destination)
}
