import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breaksSchema, type Fault, faultsFor, labelOf } from './faults.ts'
import { type Asked, excuses, LINES, rightAnswers } from './judgement.ts'
import { type Oracle, startOracle } from './oracle.ts'
import { placesOf, typed } from './places.ts'
import { type Case, composed, running, type Table, type Tap } from './small-graph.ts'
import { FORMS, type Form, type Subject, startSubject } from './subject.ts'
import { TABLES } from './tables.ts'

/** Lines of the lists that something needed. */
const needed = new Set<object>()

describe.each(TABLES)('$graph', ({ graph, subgraphs, cases }: Table) => {
  const tap: Tap = { fault: null, reached: new Set() }
  let oracle: Oracle | null = null
  let subjects: Readonly<Record<Form, Subject>>

  beforeAll(async () => {
    const sdl = composed(subgraphs)
    const parts = running(subgraphs, tap)
    oracle = await startOracle(sdl, parts, tap)
    subjects = { local: await startSubject(sdl, parts, tap, 'local'), json: await startSubject(sdl, parts, tap, 'json') }
  })
  afterAll(() => oracle?.stop())

  test.each(cases)('$name', async (operation) => {
    const { schema } = subjects.local.gateway
    expect(validate(schema, parse(operation.query)).map(String)).toEqual([])
    if (!oracle) throw new Error('Expected the oracle to have started.')
    const { faults, asked } = await prepared(operation, oracle)
    const wrong: object[] = []
    for (const fault of faults) wrong.push(...(await wrongUnder(fault, operation, asked, oracle)))
    tap.fault = null
    if (wrong.length > 0) expect.fail(wrong.map((problem) => JSON.stringify(problem)).join('\n\n'))
  })

  /** Asks once without a fault, to learn which faults there can be and where they would show. */
  async function prepared(operation: Case, { ask, entityFetches }: Oracle) {
    tap.fault = null
    tap.reached.clear()
    entityFetches.clear()
    await ask(operation)
    const faults: readonly (Fault | null)[] = [null, ...faultsFor(tap.reached, entityFetches)]
    const { schema } = subjects.local.gateway
    const { data: typedData } = await ask({ ...operation, query: typed(operation.query) })
    const places = placesOf(operation.query, schema, typedData)
    return { faults, asked: { at: `${graph} / ${operation.name}`, places, typedData, schema } }
  }

  async function wrongUnder(fault: Fault | null, operation: Case, base: Omit<Asked, 'fault'>, { ask }: Oracle) {
    tap.fault = fault
    const asked: Asked = { ...base, fault }
    const said = await ask(operation)
    const right = rightAnswers(said, asked)
    if (!right) return []
    for (const line of right.deviation) needed.add(line)
    const label = labelOf(fault)
    const wrong: object[] = right.problems.map((problem) => ({
      fault: label,
      problem: `not right: ${problem}`,
      right: right.answers[0],
    }))
    const written = fault === null ? operation.data : undefined
    if (written !== undefined && JSON.stringify(written) !== JSON.stringify(right.answers[0]?.data)) {
      wrong.push({ fault: label, problem: 'the oracle is not right', written, oracle: said })
    }
    for (const form of FORMS) {
      if (form === 'local' && breaksSchema(fault)) continue
      const answer = await subjects[form].ask(operation)
      const lines = excuses(right.answers, said, answer, asked, form)
      if (lines?.length === 0) wrong.push({ fault: label, problem: 'wrong', form, right: right.answers[0], answer })
      for (const line of lines ?? []) needed.add(line)
    }
    return wrong
  }
})

test('every line of the lists is needed', () => {
  expect(LINES.filter((line) => !needed.has(line))).toEqual([])
})
