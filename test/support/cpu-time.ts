import { afterAll, inject } from 'vitest'
import { treeMs } from './processor-time.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a test file and of the processes that it started, in ms. */
    cpuMs?: number
    /**
     * Processor time of the database server of the run while this file ran, in ms; undefined where
     * the run did not start it. Files that run at the same time count each other's.
     */
    databaseCpuMs?: number
  }
}

/** Survives the modules of one file in a process that files share. */
const measured = globalThis as { cpuMsBefore?: number; databaseCpuMsBefore?: number | undefined }

measured.databaseCpuMsBefore ??= databaseMs()

// Hooks of a file run before this one, which was registered first.
// biome-ignore lint/correctness/noEmptyPattern: Vitest demands a pattern here.
afterAll(({}, file) => {
  const [now, databaseNow] = [cpuMs(), databaseMs()]
  // A process that files share has worked for others before; the first file pays for its start.
  file.meta.cpuMs = now - (measured.cpuMsBefore ?? 0)
  measured.cpuMsBefore = now
  if (databaseNow === undefined) return
  file.meta.databaseCpuMs = databaseNow - (measured.databaseCpuMsBefore ?? databaseNow)
  measured.databaseCpuMsBefore = databaseNow
})

/** Processor time of this process and of its children, running or ended, in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return treeMs(process.pid) || (user + system) / 1_000
}

function databaseMs(): number | undefined {
  const pid = inject('databasePid')
  return pid === null ? undefined : treeMs(pid)
}
