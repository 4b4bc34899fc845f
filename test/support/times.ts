import type { Reporter, TestModule } from 'vitest/node'

const MAX_FILES = 40

/** Prints the files that took the most processor time, with their wall-clock time, in seconds. */
export default class Times implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules
      .map((module) => {
        const { collectDuration, duration } = module.diagnostic()
        const tests = [...module.children.allTests()].length
        return { file: module.relativeModuleId, cpuMs: module.meta().cpuMs ?? 0, wallMs: collectDuration + duration, tests }
      })
      .toSorted((one, other) => other.cpuMs - one.cpuMs)
    const sumOf = (key: 'cpuMs' | 'wallMs' | 'tests') => rows.reduce((sum, row) => sum + row[key], 0)
    const sum = { file: `all ${rows.length} files`, cpuMs: sumOf('cpuMs'), wallMs: sumOf('wallMs'), tests: sumOf('tests') }
    const seconds = (milliseconds: number) => (milliseconds / 1_000).toFixed(1).padStart(8)
    console.log('\n     CPU    wall   tests  file (seconds, with ended child processes; without PostgreSQL)')
    for (const { file, cpuMs, wallMs, tests } of [...rows.slice(0, MAX_FILES), sum]) {
      console.log(`${seconds(cpuMs)}${seconds(wallMs)}${String(tests).padStart(8)}  ${file}`)
    }
  }
}
