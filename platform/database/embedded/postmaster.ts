import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * State of a data folder. free: a server may start; busy: one is starting or stopping; ready: one
 * answers on the socket in folder `socket`.
 */
export type Occupant =
  | { readonly state: 'free' }
  | { readonly state: 'busy'; readonly pid: number | null }
  | { readonly state: 'ready'; readonly pid: number; readonly socket: string }

/** An empty lock file is a server that is starting, or was at a power failure. */
const EMPTY_LOCK_MAX_AGE_MS = 3_000

/**
 * Reads PostgreSQL's lock file in `data`, and checks that its process still runs there. Removes a
 * file whose process id belongs to another program, which PostgreSQL itself would take for a
 * running server: containers reuse ids.
 */
export function occupantOf(data: string): Occupant {
  const file = join(data, 'postmaster.pid')
  const lines = linesOf(file)
  if (!lines) return { state: 'free' }

  // Negative: single-user mode, which accepts no connections.
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

/**
 * PostgreSQL's working directory is its data folder. Without /proc a living process counts as the
 * server.
 */
function runsIn(pid: number, data: string): boolean {
  if (!existsSync('/proc/self/cwd')) return true
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(data)
  } catch (error) {
    // Exited just now, or a process of another user.
    return isCode(error, 'EACCES')
  }
}

const isCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
