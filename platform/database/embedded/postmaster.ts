import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Who uses a data folder. free: nobody, a server may start. busy: a server that starts or stops. ready: a server that answers
 * under the socket in folder `socket`.
 */
export type Occupant =
  | { readonly state: 'free' }
  | { readonly state: 'busy'; readonly pid: number | null }
  | { readonly state: 'ready'; readonly pid: number; readonly socket: string }

/** An empty lock file is a server that starts this very moment, or a power cut at that moment. Milliseconds. */
const EMPTY_LOCK_MAX_AGE_MS = 3_000

/**
 * Reads PostgreSQL's own lock file in `data` and asks the system whether the process it names still works there.
 * Removes the file when its process number now belongs to a stranger, which PostgreSQL itself would take for a running server:
 * numbers start again in every container.
 */
export function occupantOf(data: string): Occupant {
  const file = join(data, 'postmaster.pid')
  const lines = linesOf(file)
  if (!lines) return { state: 'free' }

  // Negative: a server in single-user mode, which nobody can connect to.
  const pid = Math.abs(Number(lines[0]))
  if (!Number.isInteger(pid) || pid === 0) {
    if (ageOf(file) < EMPTY_LOCK_MAX_AGE_MS) return { state: 'busy', pid: null }
    rmSync(file, { force: true })
    return { state: 'free' }
  }
  if (!isAlive(pid)) return { state: 'free' }
  if (!runsIn(pid, data)) {
    rmSync(file, { force: true })
    return { state: 'free' }
  }
  const socket = lines[4]
  return lines[7]?.trim() === 'ready' && socket ? { state: 'ready', pid, socket } : { state: 'busy', pid }
}

function linesOf(file: string): readonly string[] | null {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null
    throw error
  }
}

function ageOf(file: string): number {
  try {
    return Date.now() - statSync(file).mtimeMs
  } catch {
    return 0
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return isCode(error, 'EPERM')
  }
}

/** PostgreSQL works in its data folder. Where the system does not tell, a living process counts as the server. */
function runsIn(pid: number, data: string): boolean {
  if (!existsSync('/proc/self/cwd')) return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data)
  } catch (error) {
    // Gone in this moment, or a process of somebody else.
    return isCode(error, 'EACCES')
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
