import type { Reporter, TestModule } from 'vitest/node'

/**
 * Ends a run with `N passed, M failed`, alone on the last line. A file that does not load, a group
 * whose hooks fail and an error outside of any test count as failures: a run that proves nothing
 * must not look like a run that passed.
 */
export default class Total implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const passed = tests.filter((test) => test.result().state === 'passed').length
    const skipped = tests.filter((test) => test.result().state === 'skipped').length
    const groups = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const broken = groups.filter((group) => group.errors().length > 0).length
    const failed = tests.filter((test) => test.result().state === 'failed').length + broken + unhandledErrors.length
    // A run without a single test has failed to do what it was started for.
    const faults = passed + failed === 0 ? 1 : failed
    process.once('exit', () => {
      if (faults > 0) process.exitCode ||= 1
      console.log(`${passed} passed, ${faults} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
    })
  }
}
