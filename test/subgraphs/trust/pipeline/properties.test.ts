import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SOURCES } from '../../../../subgraphs/trust/evidence.ts'
import { type Code, senseOf } from '../../../../subgraphs/trust/pipeline/codes.ts'
import { decisionText } from '../../../../subgraphs/trust/pipeline/decide.ts'
import { INTERACTION_KINDS, INTERACTION_MODES, PROFILES, SENSITIVITIES } from '../../../../subgraphs/trust/pipeline/request.ts'
import { severityOf } from '../../../../subgraphs/trust/pipeline/route.ts'
import { evidence, hosts, interactions, profiles } from './support/arbitrary.ts'
import { decideOn, timeout } from './support/samples.ts'

/** Enough to find each of these rules broken within a run when it is broken on purpose. */
const RUNS = { numRuns: 800 }

test('a stricter policy never makes an answer milder', () => {
  fc.assert(
    fc.property(hosts, evidence, interactions, (host, found, interaction) => {
      const severities = PROFILES.map((profile) => severityOf(decideOn(host, found, { interaction, profile }).action))
      expect(severities).toEqual([...severities].sort())
    }),
    RUNS,
  )
})

test('a riskier interaction never makes an answer milder', () => {
  fc.assert(
    fc.property(hosts, evidence, interactions, profiles, (host, found, interaction, profile) => {
      const under = (changed: Partial<typeof interaction>) =>
        severityOf(decideOn(host, found, { interaction: { ...interaction, ...changed }, profile }).action)
      for (const severities of [
        INTERACTION_KINDS.map((kind) => under({ kind })),
        INTERACTION_MODES.map((mode) => under({ mode })),
        SENSITIVITIES.map((sensitivity) => under({ sensitivity })),
      ])
        expect(severities).toEqual([...severities].sort())
    }),
    { numRuns: 250 },
  )
})

test('a source that fails never turns another answer into a denial, nor into going ahead', () => {
  fc.assert(
    fc.property(hosts, evidence, interactions, profiles, (host, found, interaction, profile) => {
      const whole = decideOn(host, found, { interaction, profile }).action
      for (const source of SOURCES) {
        const without = decideOn(host, [...found.filter((one) => one.source !== source), timeout(source)], {
          interaction,
          profile,
        }).action
        if (without === 'deny') expect(`${source}: ${whole}`).toBe(`${source}: deny`)
        if (without === 'proceed') expect(`${source}: ${whole}`).toBe(`${source}: proceed`)
      }
    }),
    { numRuns: 1200 },
  )
})

test('doubt without confidence never denies', () => {
  fc.assert(
    fc.property(hosts, evidence, interactions, profiles, (host, found, interaction, profile) => {
      const { action, scores } = decideOn(host, found, { interaction, profile })
      if (Math.max(scores.threat.confidence, scores.deviation.confidence) < 0.55) expect(action).not.toBe('deny')
    }),
    RUNS,
  )
})

test('the first reason of a decision other than PROCEED speaks against the target', () => {
  fc.assert(
    fc.property(hosts, evidence, interactions, profiles, (host, found, interaction, profile) => {
      const { action, reasonCodes, primaryReasonCodes } = decideOn(host, found, { interaction, profile })
      if (action !== 'proceed') expect(senseOf(reasonCodes[0] as Code)).toBe('negative')
      expect(reasonCodes).toEqual(expect.arrayContaining([...primaryReasonCodes]))
      expect(new Set(reasonCodes).size).toBe(reasonCodes.length)
    }),
    RUNS,
  )
})

test('the order of evidence changes nothing, not one byte', () => {
  fc.assert(
    fc.property(hosts, evidence, fc.infiniteStream(fc.nat()), (host, found, numbers) => {
      const shuffled = shuffle(found, numbers)
      expect(decisionText(decideOn(host, shuffled))).toBe(decisionText(decideOn(host, found)))
    }),
    RUNS,
  )
})

test('a decision holds between a minute and a day', () => {
  fc.assert(
    fc.property(hosts, evidence, profiles, (host, found, profile) => {
      const { ttlSeconds, validUntil, evaluatedAt } = decideOn(host, found, { profile }).validity
      expect(ttlSeconds).toBeGreaterThanOrEqual(60)
      expect(ttlSeconds).toBeLessThanOrEqual(86_400)
      expect(validUntil - evaluatedAt).toBe(ttlSeconds)
    }),
    RUNS,
  )
})

/** Another order of a list and of all lists within, and of the keys of all objects. */
function shuffle<Value>(value: Value, numbers: Iterator<number>): Value {
  const mixed = <Item>(items: readonly Item[]): Item[] =>
    items
      .map((item) => [numbers.next().value as number, item] as const)
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item)
  if (Array.isArray(value)) return mixed(value.map((item) => shuffle(item, numbers))) as Value
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(mixed(Object.entries(value)).map(([key, item]) => [key, shuffle(item, numbers)])) as Value
}
