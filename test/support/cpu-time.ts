import { readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file and of the processes that it started and that have ended, in ms. */
    cpuMs?: number
  }
}

/** Survives the modules of one file in a process that files share. */
const measured = globalThis as { cpuMsBefore?: number }

// Hooks of a file run before this one, which was registered first.
// biome-ignore lint/correctness/noEmptyPattern: Vitest demands a pattern here.
afterAll(({}, file) => {
  const now = cpuMs()
  // A process that files share has worked for others before; the first file pays for its start.
  file.meta.cpuMs = now - (measured.cpuMsBefore ?? 0)
  measured.cpuMsBefore = now
})

/** Processor time of this process and of its children that have ended, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000 + childrenMs()
}

/** Linux counts in hundredths of a second; elsewhere nobody says, and children are left out. */
function childrenMs(): number {
  try {
    // The name of the program, in parentheses, may contain spaces. `cutime` and `cstime` are the
    // 14th and 15th values after it: proc(5).
    const values = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return (Number(values[13]) + Number(values[14])) * 10
  } catch {
    return 0
  }
}
