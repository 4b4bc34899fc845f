import type { Reporter, TestModule } from 'vitest/node'

declare module 'vitest' {
  interface TaskMeta {
    /** What a test of a fault found; `noteFault` puts it here. */
    fault?: FaultRow
  }
}

/** A line of the table that `npm run test:faults` ends with. */
export type FaultRow = {
  readonly fault: string
  readonly acknowledged: number
  readonly lost: number
  readonly duplicated: number
  /** Requests that were not acknowledged, repetitions among them. */
  readonly failed: number
  /** The longest time without an acknowledgement of some kind of write. */
  readonly maxGapMs: number
}

/** Prints what the tests of faults found, as a table in Markdown. */
export default class FaultTable implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules.flatMap((module) => [...module.children.allTests()].flatMap((test) => test.meta().fault ?? []))
    if (rows.length === 0) return
    const lines = rows.map(
      ({ fault, acknowledged, lost, duplicated, failed, maxGapMs }) =>
        `| ${fault} | ${acknowledged} | ${lost} | ${duplicated} | ${failed} | ${(maxGapMs / 1000).toFixed(1)} |`,
    )
    console.log(`\n${HEAD}\n${lines.join('\n')}\n`)
  }
}

const HEAD = `| fault | acknowledged writes | lost | duplicated | requests that failed | seconds without an acknowledgement, at most |
|---|---|---|---|---|---|`
