import { describe, expect, test } from 'vitest'
import { caseForm, judgedCase } from '../../../../cli/trust/case.ts'
import { engine } from '../../../../subgraphs/trust/assessment/engine.ts'
import type { Decision } from '../../../../subgraphs/trust/pipeline/decision.ts'
import { normalise } from '../../../../subgraphs/trust/pipeline/normalise.ts'
import { cases, hasData, rowsOf, withoutData } from './support/cases.ts'
import { decideOn } from './support/samples.ts'

describe.skipIf(!hasData)(`the cases (${withoutData})`, () => {
  const all = cases().map((each) => caseForm.parse(each))

  test.each(all.map((one) => [one.name, one.expect.why, one] as const))('%s: %s', (_name, _why, one) => {
    expect(judgedCase(one, engine).breaches).toEqual([])
  })
})

describe.skipIf(!hasData)(`names alone, without evidence (${withoutData})`, () => {
  type Name = { readonly host: string; readonly label: string; readonly source?: string }
  /** Decisions by name alone, null where the name is refused. */
  const decided = (rows: readonly Name[]) =>
    rows.map((row) => ({ row, decision: normalise('domain', row.host).kind === 'invalid' ? null : decideOn(row.host, []) }))
  const looksAlike = ({ decision }: { decision: Decision | null }) => decision?.reasonCodes.includes('BRAND_LOOKALIKE') ?? false
  const percent = (part: number, whole: number) => (100 * part) / whole

  test('no honest name is denied', () => {
    const benign = decided(rowsOf<Name>('names.jsonl').filter(({ label }) => label === 'benign'))
    expect(benign.filter(({ decision }) => decision?.action === 'deny')).toEqual([])
  })

  test('at least 85 % of look-alikes are called so', () => {
    const rows = decided(rowsOf<Name>('typosquats.jsonl'))
    expect(percent(rows.filter(looksAlike).length, rows.length)).toBeGreaterThanOrEqual(85)
  })

  test('at most 0.3 % of popular and random names are', () => {
    const rows = decided(rowsOf<Name>('names.jsonl').filter(({ label }) => label === 'benign'))
    expect(
      percent(rows.filter(({ decision }) => decision?.reasonCodes.includes('BRAND_MISMATCH')).length, rows.length),
    ).toBeLessThanOrEqual(0.3)
  })

  test('at least 95 % of attacks with foreign letters are found or refused, at most 5 % of honest names', () => {
    const rows = decided(rowsOf<Name>('idn.jsonl'))
    const isFound = ({ decision }: { decision: Decision | null }) =>
      decision === null || decision.reasonCodes.some((code) => code === 'IDN_HOMOGRAPH' || code === 'BRAND_LOOKALIKE')
    const of = (label: string) => rows.filter(({ row }) => row.label === label)
    expect(percent(of('idn_attack').filter(isFound).length, of('idn_attack').length)).toBeGreaterThanOrEqual(95)
    expect(percent(of('idn_safe').filter(isFound).length, of('idn_safe').length)).toBeLessThanOrEqual(5)
  })
})
