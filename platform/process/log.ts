import pino, { type LevelWithSilent, type Logger } from 'pino'
import { readableLine } from './log-line.ts'

/** Most buffered characters while output blocks; further lines are dropped. */
const MAX_PENDING_CHARACTERS = 1_000_000

/**
 * Creates the log of a process, on standard output: JSON for programs, a readable line at a
 * terminal. Lines that cannot be written, as on a full disk, are dropped: the process continues.
 */
export function createLog(level: LevelWithSilent, isForPeople = process.stdout.isTTY === true): Logger {
  const destination = pino.destination({ fd: 1, sync: true, maxLength: MAX_PENDING_CHARACTERS })
  // Without a listener, the first failed write ends the process.
  destination.on('error', () => {})
  return pino({ level }, isForPeople ? { write: (line: string) => destination.write(readableLine(line)) } : destination)
}
