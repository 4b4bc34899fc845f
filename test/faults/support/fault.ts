import { expect, type TestContext } from 'vitest'
import type { Furnished } from './installation.ts'
import { type Findings, type Load, startLoad } from './ledger.ts'

/** Whether this is the long form: every fault, with more clients. */
export const isLong = process.env.FAULTS === 'long'

/** Clients of each kind of write. */
const CLIENTS = isLong ? 2 : 1
/** Acknowledgements of each kind before a fault, and after it. */
export const ENOUGH = isLong ? 5 : 2

/**
 * What clients may be told while something is broken: that it is not there now, with a code and a
 * time to come again, or that the connection is gone.
 */
const EXPECTED = [
  /^200 (SUBGRAPH_UNAVAILABLE|TIMEOUT|UNAVAILABLE)(,(SUBGRAPH_UNAVAILABLE|TIMEOUT|UNAVAILABLE))*$/,
  /^50[234] UNAVAILABLE$/i,
  // A store's contract has no codes.
  /^503 The service cannot answer this right now\. Try again in a few seconds\.$/,
  /^fetch failed: (ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/,
]

/**
 * Has clients write, brings a fault about, waits until each kind of write is acknowledged again,
 * and compares what was acknowledged with what is there: nothing may be lost, nothing there twice,
 * and nobody told something else than that it does not work now. `fault` resolves when all is as
 * before. `alsoExpected` are more failures that clients may see.
 */
export async function underLoad(
  { task }: Pick<TestContext, 'task'>,
  installation: Pick<Furnished, 'kinds'>,
  fault: () => Promise<unknown>,
  alsoExpected: readonly RegExp[] = [],
): Promise<readonly Findings[]> {
  const findings = await whileLoaded(startLoad(await installation.kinds(), CLIENTS), async (load) => {
    await load.more(ENOUGH)
    await fault()
    await load.more(ENOUGH)
  })
  noteFault({ task }, findings)
  expect(findings.map(({ kind, lost, duplicated, wrongs }) => ({ kind, lost, duplicated, wrongs }))).toEqual(
    findings.map(({ kind }) => ({ kind, lost: [], duplicated: [], wrongs: [] })),
  )
  const failures = findings.flatMap(({ kind, failures }) => failures.map((failure) => `${kind}: ${failure}`))
  expect(
    failures.filter((each) => ![...EXPECTED, ...alsoExpected].some((form) => form.test(each.replace(/^\w+: /, '')))),
  ).toEqual([])
  return findings
}

/** Settles the load after `work`; ends its clients when `work` rejects. */
export async function whileLoaded(load: Load, work: (load: Load) => Promise<void>): Promise<readonly Findings[]> {
  try {
    await work(load)
    return await load.settle()
  } catch (error) {
    await load.abandon()
    throw error
  }
}

/**
 * Puts what was found into the table that `npm run test:faults` ends with, under the title of the
 * test.
 */
export function noteFault({ task }: Pick<TestContext, 'task'>, findings: readonly Findings[]): void {
  const sum = (count: (each: Findings) => number) => findings.reduce((total, each) => total + count(each), 0)
  task.meta.fault = {
    fault: task.name,
    acknowledged: sum(({ acknowledged }) => acknowledged),
    lost: sum(({ lost }) => lost.length),
    duplicated: sum(({ duplicated }) => duplicated.length),
    failed: sum(({ failures }) => failures.length),
    maxGapMs: Math.max(...findings.map(({ maxGapMs }) => maxGapMs)),
  }
}
