import { readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/**
 * Processor time of a process and of its children that have ended, in milliseconds; null where the
 * process is gone or the system has no `/proc`.
 */
function processorMs(pid: number): { readonly ownMs: number; readonly endedMs: number } | null {
  try {
    // The name of the program, in parentheses, may contain spaces. `utime`, `stime`, `cutime` and
    // `cstime` are the 12th to 15th values after it: proc(5).
    const values = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = values.slice(11, 15).map(Number)
    return { ownMs: (user + system) * TICK_MS, endedMs: (endedUser + endedSystem) * TICK_MS }
  } catch {
    return null
  }
}

/** Processor time of a process and of all its children and theirs, running or ended, in milliseconds. */
export function treeMs(pid: number): number {
  const { ownMs, endedMs } = processorMs(pid) ?? { ownMs: 0, endedMs: 0 }
  return ownMs + endedMs + childrenOf(pid).reduce((sum, child) => sum + treeMs(child), 0)
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
