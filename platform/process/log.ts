import pino, { type LevelWithSilent, type Logger } from 'pino'
import { readableLine } from './log-line.ts'

/** Most buffered characters while output blocks; further lines are dropped. */
const MAX_PENDING_CHARACTERS = 1_000_000

/**
 * Creates the log of a process, on standard output: JSON for programs, a readable line at a
 * terminal. Lines that cannot be written, as on a full disk, are dropped: the process continues.
 * `copy` gets each line as JSON as well, and must not throw.
 */
export function createLog(level: LevelWithSilent, copy?: (line: string) => void): Logger {
  const isForPeople = process.stdout.isTTY === true
  const destination = pino.destination({ fd: 1, sync: true, maxLength: MAX_PENDING_CHARACTERS })
  // Without a listener, the first failed write ends the process.
  destination.on('error', () => {})
  if (!isForPeople && !copy) return pino({ level }, destination)
  return pino(
    { level },
    {
      write(line: string) {
        destination.write(isForPeople ? readableLine(line) : line)
        copy?.(line)
      },
    },
  )
}
