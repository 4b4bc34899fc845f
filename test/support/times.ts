import type { Reporter, TestModule } from 'vitest/node'

/** Rows of the table; `TEST_TIMES=400` prints all files. */
const MAX_FILES = Math.max(40, Number(process.env.TEST_TIMES))

/** Prints the files that took the most processor time, with their wall-clock time, in seconds. */
export default class Times implements Reporter {
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
  }
}
