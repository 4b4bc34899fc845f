import { cpus } from 'node:os'
import type { Reporter, TestModule } from 'vitest/node'

/** Rows of the table; `TEST_TIMES=400` prints all files. */
const MAX_FILES = Math.max(40, Number(process.env.TEST_TIMES))

/** Prints the files that took the most processor time, with their wall-clock time, in seconds. */
export default class Times implements Reporter {
  #before = processorTimes()

  onTestRunStart(): void {
    this.#before = processorTimes()
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules
      .map((module) => {
        const { collectDuration, duration } = module.diagnostic()
        const tests = [...module.children.allTests()].length
        const { cpuMs = 0, databaseCpuMs: databaseMs = 0 } = module.meta()
        return { file: module.relativeModuleId, cpuMs, databaseMs, wallMs: collectDuration + duration, tests }
      })
      .toSorted((one, other) => other.cpuMs + other.databaseMs - one.cpuMs - one.databaseMs)
    const sumOf = (key: 'cpuMs' | 'databaseMs' | 'wallMs' | 'tests') => rows.reduce((sum, row) => sum + row[key], 0)
    const sum = {
      file: `all ${rows.length} files`,
      cpuMs: sumOf('cpuMs'),
      databaseMs: sumOf('databaseMs'),
      wallMs: sumOf('wallMs'),
      tests: sumOf('tests'),
    }
    const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1).padStart(8)
    console.log('\n     CPU      DB    wall   tests  file (seconds; with child processes; DB: the server of the run)')
    for (const { file, cpuMs, databaseMs, wallMs, tests } of [...rows.slice(0, MAX_FILES), sum]) {
      console.log(`${seconds(cpuMs)}${seconds(databaseMs)}${seconds(wallMs)}${String(tests).padStart(8)}  ${file}`)
    }
    // More workers help as long as processors idle.
    const { idleMs, totalMs } = processorTimes()
    const idle = (idleMs - this.#before.idleMs) / (totalMs - this.#before.totalMs)
    console.log(`     processors of the machine: ${Math.round(idle * 100)} % idle`)
  }
}

/** Of all processors since the machine was started, whoever used them. */
function processorTimes(): { readonly idleMs: number; readonly totalMs: number } {
  const times = cpus().map(({ times }) => times)
  const idleMs = times.reduce((sum, { idle }) => sum + idle, 0)
  return { idleMs, totalMs: times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, idleMs) }
}
