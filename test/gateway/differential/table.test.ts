import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { normal } from './comparison.ts'
import { DEVIATIONS } from './deviations.ts'
import { breaksSchema, type Fault, faultsFor, labelOf } from './faults.ts'
import { type Answer, type Oracle, startOracle } from './oracle.ts'
import { PENDING } from './pending.ts'
import { type Case, composed, running, type Table, type Tap } from './small-graph.ts'
import { FORMS, type Form, type Subject, startSubject } from './subject.ts'
import { TABLES } from './tables.ts'

/** Lines of both lists that something needed. */
const needed = new Set<object>()

describe.each(TABLES)('$graph', ({ graph, subgraphs, cases }: Table) => {
  const tap: Tap = { fault: null, reached: new Set() }
  let oracle: Oracle
  let subjects: Readonly<Record<Form, Subject>>

  beforeAll(async () => {
    const sdl = composed(subgraphs)
    const parts = running(subgraphs, tap)
    oracle = await startOracle(sdl, parts, tap)
    subjects = { local: await startSubject(sdl, parts, tap, 'local'), json: await startSubject(sdl, parts, tap, 'json') }
  })
  afterAll(async () => {
    await oracle.stop()
  })

  test.each(cases)('$name', async (operation) => {
    const { wrong } = await compared(operation)
    if (wrong.length > 0) expect.fail(wrong.map((problem) => JSON.stringify(problem)).join('\n\n'))
  })

  async function compared(operation: Case) {
    const at = `${graph} / ${operation.name}`
    tap.fault = null
    tap.reached.clear()
    oracle.entityFetches.clear()
    const faultless = await oracle.ask(operation)
    const faults: readonly (Fault | null)[] = [null, ...faultsFor(tap.reached, oracle.entityFetches)]
    const wrong: object[] = []
    for (const fault of faults) {
      tap.fault = fault
      const label = labelOf(fault)
      const said = fault === null ? faultless : await oracle.ask(operation)
      const deviation = DEVIATIONS.find((entry) => entry.at === at && (entry.fault ?? 'no fault') === label)
      const right: Answer = deviation?.right ?? said
      if (deviation && !isSame(deviation.right, said)) needed.add(deviation)
      if (fault === null && operation.data !== undefined && JSON.stringify(operation.data) !== JSON.stringify(right.data)) {
        wrong.push({ fault: label, problem: 'the oracle is not right', written: operation.data, oracle: said })
      }
      for (const form of FORMS) {
        if (form === 'local' && breaksSchema(fault)) continue
        const answer = await subjects[form].ask(operation)
        if (isSame(right, answer)) continue
        const pending = PENDING.filter(
          (line) => (line.at ?? at) === at && (line.form ?? form) === form && (line.fault?.test(label) ?? true),
        )
        if (pending.length === 0) wrong.push({ fault: label, problem: 'wrong', form, right, answer })
        for (const line of pending) needed.add(line)
      }
    }
    tap.fault = null
    return { wrong }
  }
})

function isSame(right: Answer, answer: Answer): boolean {
  const [one, other] = [normal(right), normal(answer)]
  if (one.data !== other.data || one.reported.join() !== other.reported.join()) return false
  return one.found.includes('*') ? other.found.length > 0 : one.found.join() === other.found.join()
}

test('every line of the lists is needed', () => {
  expect([...DEVIATIONS, ...PENDING].filter((line) => !needed.has(line))).toEqual([])
})
