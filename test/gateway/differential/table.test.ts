import { parse, validate } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { breaksSchema, type Fault, type FieldFault, faultsFor, labelOf } from './faults.ts'
import { type ComparedCase, excuses, LINES, rightAnswers, withMisshapen } from './judgement.ts'
import { type Oracle, startOracle } from './oracle.ts'
import { placesOf, typed } from './response-positions.ts'
import { type Case, composed, running, type Table, type Tap } from './small-graph.ts'
import { FORMS, type Form, type Subject, startSubject, startSubjects } from './subject.ts'
import { TABLES } from './tables.ts'

/** Lines of the lists that something needed. */
const needed = new Set<object>()

describe.each(TABLES.filter((table) => !table.isRefusedByOracle))(
  '$graph',
  ({ graph, subgraphs, cases, subscriptions = [] }: Table) => {
    const tap: Tap = { fault: null, reached: new Set() }
    let oracle: Oracle | null = null
    let subjects: Readonly<Record<Form, Subject>>

    beforeAll(async () => {
      const sdl = composed(subgraphs)
      const parts = running(subgraphs, tap)
      oracle = await startOracle(sdl, parts, tap)
      subjects = await startSubjects(sdl, parts, tap)
    })
    afterAll(() => oracle?.stop())

    test.each(cases)('$name', async (operation) => {
      const { schema } = subjects.local.gateway
      expect(validate(schema, parse(operation.query)).map(String)).toEqual([])
      if (!oracle) throw new Error('Expected the oracle to have started.')
      const { faults, compared } = await prepared(operation, oracle)
      const { merged, bytes } = subjects
      const before = { merged: merged.mergedRequests(), bytes: bytes.answersInBytes() }
      for (const each of [merged, bytes]) await each.ask(operation)
      // Elsewhere they are the form `json`.
      const unlike = { merged: merged.mergedRequests() > before.merged, bytes: bytes.answersInBytes() > before.bytes }
      const forms = FORMS.filter((form) => (form === 'merged' || form === 'bytes' ? unlike[form] : true))
      const wrong: object[] = []
      for (const fault of faults) wrong.push(...(await wrongUnder(fault, operation, compared, { ...oracle, forms })))
      tap.fault = null
      if (wrong.length > 0) expect.fail(wrong.map((problem) => JSON.stringify(problem)).join('\n\n'))
      // What comes from this process becomes part of the answer as it is: in the order of the
      // question all the same.
      const [one, ...others] = await Promise.all(FORMS.map((form) => subjects[form].ask(operation)))
      for (const other of others) expect(JSON.stringify(other.data)).toBe(JSON.stringify(one?.data))
    })

    test.for(subscriptions.flatMap((subscription) => FORMS.map((form) => ({ ...subscription, form }))))(
      'subscription $name, $form',
      async ({ name, query, variables = {}, fault = null, events, form }) => {
        tap.fault = fault
        const received = await subjects[form].listen({ name, query, variables })
        tap.fault = null
        const wrong = events.map((right, index) =>
          excuses([right], received[index] ?? {}, `${graph} / subscription ${name}`, fault, form),
        )
        for (const line of wrong.flatMap((lines) => lines ?? [])) needed.add(line)
        if (wrong.some((lines) => lines?.length === 0)) expect(received).toEqual(events)
        expect(received).toHaveLength(events.length)
      },
    )

    /** Asks once without a fault, to learn which faults there can be and where they would show. */
    async function prepared(operation: Case, { ask, entityFetches }: Oracle) {
      tap.fault = null
      tap.reached.clear()
      entityFetches.clear()
      const { data } = await ask(operation)
      const faults: readonly (Fault | null)[] = [null, ...faultsFor(tap.reached, entityFetches)]
      const { schema } = subjects.local.gateway
      const { data: withTypes } = await ask({ ...operation, query: typed(operation.query) })
      const typedData = withTypes ?? data
      const places = placesOf(operation, schema, typedData)
      return { faults, compared: { at: `${graph} / ${operation.name}`, places, typedData, schema } }
    }

    async function saidOfMisshapen(fault: Fault & FieldFault, operation: Case, compared: ComparedCase, ask: Oracle['ask']) {
      tap.fault = { ...fault, kind: 'null' }
      const nulled = await ask(operation)
      tap.fault = fault
      return withMisshapen(nulled, compared)
    }

    async function wrongUnder(
      fault: Fault | null,
      operation: Case,
      base: Omit<ComparedCase, 'fault'>,
      { ask, forms }: Oracle & { readonly forms: readonly Form[] },
    ) {
      tap.fault = fault
      const compared: ComparedCase = { ...base, fault }
      const said = fault?.kind === 'misshapen' ? await saidOfMisshapen(fault, operation, compared, ask) : await ask(operation)
      const right = rightAnswers(said, compared)
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
      for (const form of forms) {
        if (!['json', 'merged', 'bytes'].includes(form) && breaksSchema(fault)) continue
        if (form === 'bytes') {
          // An answer that is one lets the next one be read as such again.
          tap.fault = null
          await subjects.bytes.ask(operation)
          tap.fault = fault
        }
        const answer = await subjects[form].ask(operation)
        const lines = excuses(right.answers, answer, compared.at, fault, form)
        if (lines?.length === 0) wrong.push({ fault: label, problem: 'wrong', form, right: right.answers[0], answer })
        for (const line of lines ?? []) needed.add(line)
      }
      return wrong
    }
  },
)

describe.each(TABLES.filter((table) => table.isRefusedByOracle))(
  '$graph, which the oracle refuses',
  ({ graph, subgraphs, cases }: Table) => {
    const tap: Tap = { fault: null, reached: new Set() }

    test('the oracle refuses', async () => {
      await expect(startOracle(composed(subgraphs), running(subgraphs, tap), tap)).rejects.toThrow()
    })

    test.for(cases.flatMap((operation) => FORMS.map((form) => ({ ...operation, form }))))('$name, $form', async (operation) => {
      const subject = await startSubject(composed(subgraphs), running(subgraphs, tap), tap, operation.form).catch(() => null)
      const answer = (await subject?.ask(operation)) ?? {}
      const lines = excuses([{ data: operation.data }], answer, `${graph} / ${operation.name}`, null, operation.form)
      for (const line of lines ?? []) needed.add(line)
      if (lines?.length === 0) expect(answer).toEqual({ data: operation.data })
    })
  },
)

test('every line of the lists is needed', () => {
  expect(LINES.filter((line) => !needed.has(line))).toEqual([])
})
