import { describe, expect, test } from 'vitest'
import { type Decision, decide } from '../../../../subgraphs/trust/pipeline/decide.ts'
import { normalise } from '../../../../subgraphs/trust/pipeline/normalise.ts'
import { CURRENT_POLICY } from '../../../../subgraphs/trust/pipeline/policy.ts'
import type { Interaction, Override } from '../../../../subgraphs/trust/pipeline/request.ts'
import { snapshotOf } from '../../../../subgraphs/trust/pipeline/snapshot.ts'
import type { Action, Profile } from '../../../../subgraphs/trust/pipeline/stages.ts'
import { type Case, cases, evidenceOf, hasData, rowsOf, withoutData } from './support/cases.ts'
import { decideOn, NOW } from './support/samples.ts'

/** What a case is answered with; null when its target is refused. */
function answer({ domain, evidence, interaction, policy, override }: Case): Decision | null {
  const normalised = normalise('domain', domain)
  if (normalised.kind === 'invalid') return null
  const { target } = normalised
  const found = evidence ? evidenceOf(evidence, target.host, target.name.registrable ?? target.host) : []
  const own: Override | null = override
    ? {
        subject: target.host,
        action: override.action as Action,
        reason: override.reason,
        expiresAt: Date.parse(override.expires) / 1000,
        actor: 'caller',
      }
    : null
  return decide(
    snapshotOf(target.host, NOW, found),
    { target, interaction: interaction as Interaction, profile: policy as Profile },
    CURRENT_POLICY,
    own,
  )
}

describe.skipIf(!hasData)(`the cases (${withoutData})`, () => {
  test.each(cases().map((one) => [one.name, one.expect.why, one] as const))('%s: %s', (_name, _why, one) => {
    const { expect: wanted } = one
    const decision = answer(one)
    if (decision === null) return expect(wanted.http).toContain(422)
    expect(wanted.actions).toContain(decision.action)
    expect(wanted.mustNot).not.toContain(decision.action)
    const said = [...decision.reasonCodes, ...decision.uncertainty.drivers] as string[]
    expect(said).toEqual(expect.arrayContaining([...wanted.mustHaveCodes]))
    for (const any of wanted.anyOfCodes)
      expect(
        said.some((code) => any.includes(code)),
        `one of ${any}`,
      ).toBe(true)
    for (const code of wanted.mustNotCodes) expect(decision.reasonCodes).not.toContain(code)
    if (wanted.uncertainty) expect(decision.uncertainty.state).toBe(wanted.uncertainty)
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
