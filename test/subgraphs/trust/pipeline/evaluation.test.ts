import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { byteOf, imitationsOf } from '../../../../bench/trust/imitations.ts'
import { caseForm, judgedCase } from '../../../../cli/trust/case.ts'
import { engine } from '../../../../subgraphs/trust/assessment/engine.ts'
import { popularNames } from '../../../../subgraphs/trust/collectors/popular-names.ts'
import type { Evidence, PopularNeighbour } from '../../../../subgraphs/trust/evidence.ts'
import type { Decision } from '../../../../subgraphs/trust/pipeline/decision.ts'
import { normalise } from '../../../../subgraphs/trust/pipeline/normalise.ts'
import { cases, hasData, rowsOf, withoutData } from './support/cases.ts'
import { decideOn, popularity, targetOf } from './support/samples.ts'

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

  test('at least 95 % of look-alikes are called so', () => {
    const rows = decided(rowsOf<Name>('typosquats.jsonl'))
    expect(percent(rows.filter(looksAlike).length, rows.length)).toBeGreaterThanOrEqual(95)
  })

  test('at most 0.3 % of popular and random names are', () => {
    const rows = decided(rowsOf<Name>('names.jsonl').filter(({ label }) => label === 'benign'))
    expect(
      percent(rows.filter(({ decision }) => decision?.reasonCodes.includes('BRAND_MISMATCH')).length, rows.length),
    ).toBeLessThanOrEqual(0.3)
  })

  test('at least 97 % of attacks with foreign letters are found or refused, at most 5 % of honest names', () => {
    const rows = decided(rowsOf<Name>('idn.jsonl'))
    const isFound = ({ decision }: { decision: Decision | null }) =>
      decision === null || decision.reasonCodes.some((code) => code === 'IDN_HOMOGRAPH' || code === 'BRAND_LOOKALIKE')
    const of = (label: string) => rows.filter(({ row }) => row.label === label)
    expect(percent(of('idn_attack').filter(isFound).length, of('idn_attack').length)).toBeGreaterThanOrEqual(97)
    expect(percent(of('idn_safe').filter(isFound).length, of('idn_safe').length)).toBeLessThanOrEqual(5)
  })
})

const shippedNames = (): readonly string[] =>
  brotliDecompressSync(readFileSync(join(import.meta.dirname, '../../../../subgraphs/trust/collectors/popular-names.txt.br')))
    .toString()
    .split('\n')
    .flatMap((line) => line.split(' ', 1)[0] || [])

/** Evidence of popularity with names that are near. */
function withNeighbours(found: Evidence, neighbours: readonly PopularNeighbour[]): Evidence {
  if (found.source !== 'popularity' || found.evidence.status !== 'ok') throw new Error('Expected evidence of popularity.')
  return { source: 'popularity', evidence: { ...found.evidence, facts: { ...found.evidence.facts, neighbours } } }
}

/** Decides without a network: the name, and what ships with this program about popularity. */
async function decideOffline(host: string): Promise<Decision> {
  const { registrable } = targetOf(host).name
  if (registrable === null) return decideOn(host, [])
  const shipped = await popularNames()
  const rank = shipped.rankOf(registrable)
  return decideOn(host, [rank === null ? withNeighbours(popularity(), shipped.neighboursOf(registrable)) : popularity(rank)])
}
const isImitation = ({ reasonCodes }: Decision): boolean => reasonCodes.includes('BRAND_MISMATCH')

describe('names with the popularity that ships', () => {
  test('the best known names get caution without a network, and look-alikes are isolated', async () => {
    const [known, unknown, fake] = await Promise.all(
      ['google.com', 'quiet-garden-of-mine.net', 'paypa1-login-verify.com'].map(decideOffline),
    )
    expect(known).toMatchObject({ action: 'proceed_with_caution', scores: { trust: { score: 55 }, threat: { score: 0 } } })
    expect(unknown).toMatchObject({ action: 'sandbox', scores: { threat: { score: 0 } } })
    expect(fake?.action).toBe('sandbox')
    expect(fake?.scores.threat.score).toBeGreaterThan(60)
  })

  test.each([
    ['passwordquietgarden.net', 'a word that asks for credentials before any name', true],
    ['iniciarsesionquietgarden.com', 'in another language', true],
    ['connectquietgarden.net', 'the beginning of ordinary words', false],
    ['quietgardenpassword.net', 'behind a name owners write it themselves', false],
    ['paymentservices.net', 'before a department', false],
    ['passwordfun.net', 'before what is too short for a name', false],
    ['rubiconprojekt.com', 'a slip of a name of filter lists only', true],
    ['consbit.io', 'a slip of a name of eight letters that was popular in 2023', true],
    ['coomept.me', 'a changed letter in a less popular name of seven', false],
    ['coomet.me', 'a letter left out of it', true],
    ['coomete.me', 'two of its letters swapped', true],
    ['coomept.com', 'the same under the suffix of a better known one', true],
  ])('%s, %s: %s', async (host, _why, expected) => {
    expect(isImitation(await decideOffline(host))).toBe(expected)
  })

  test('of popular names at most 0.2 % are called look-alikes, and none is denied', async () => {
    // One of ten, by a hash of the name; all of them with POPULAR_NAMES=all.
    const isAll = process.env.POPULAR_NAMES === 'all'
    const names = shippedNames().filter((name) => isAll || byteOf(`popular ${name}`) < 26)
    const decisions = await Promise.all(names.map(decideOffline))
    expect(decisions.length).toBeGreaterThan(7_000)
    expect(decisions.filter(({ action }) => action === 'deny')).toEqual([])
    const imitations = decisions.filter(isImitation).length
    if (isAll) console.log(`${imitations} of ${decisions.length} popular names are called look-alikes.`)
    expect((100 * imitations) / decisions.length).toBeLessThanOrEqual(0.2)
  })

  // What an honest name that nobody knows looks like: popular ones as if they were not.
  test('of popular names whose own rank is left out, at most 3 % are called look-alikes of names outside of the registry', async () => {
    const names = shippedNames().filter((name) => byteOf(`left out ${name}`) < 8)
    const shipped = await popularNames()
    const decisions = names.flatMap((name) => {
      const alone = decideOn(name, [])
      if (isImitation(alone)) return []
      const neighbours = shipped.neighboursOf(name).filter((near) => near.name !== name)
      return [decideOn(name, [withNeighbours(popularity(), neighbours)])]
    })
    expect(decisions.length).toBeGreaterThan(2_000)
    expect(decisions.filter(({ action }) => action === 'deny')).toEqual([])
    const imitations = decisions.filter(isImitation).length
    console.info(`${imitations} of ${decisions.length} popular names would be called look-alikes if they were not popular.`)
    expect((100 * imitations) / decisions.length).toBeLessThanOrEqual(3)
  })

  test.skipIf(!hasData)(`look-alikes of popular names outside of the registry of brands (${withoutData})`, async () => {
    const brands = rowsOf<{ host: string; label: string; source: string }>('names.jsonl')
      .filter(({ label, source }) => label === 'benign' && source === 'popular-2023')
      .map(({ host }) => host)
      .filter((host) => /^[a-z]{7,}\.[a-z]+$/.test(host) && targetOf(host).name.registrable === host)
      // All of them with POPULAR_NAMES=all; `bench/look-alikes.ts` has the figures of each half.
      .filter((host) => process.env.POPULAR_NAMES === 'all' || byteOf(`original ${host}`) < 64)
    const { namesWith } = await popularNames()
    const isShipped = (name: string) => namesWith(name.slice(0, name.indexOf('.'))).some((known) => known.name === name)
    const found = { tuned: [0, 0], apart: [0, 0], known: [0, 0] }
    for (const brand of brands) {
      // Those that the registry finds are measured above.
      const looks = imitationsOf(brand)
      if (looks.some((look) => isImitation(decideOn(look, [])))) continue
      const decisions = await Promise.all(looks.map(decideOffline))
      const hits = decisions.filter(isImitation).length
      for (const part of [byteOf(brand) % 2 === 0 ? found.tuned : found.apart, ...(isShipped(brand) ? [found.known] : [])]) {
        part[0] = (part[0] ?? 0) + hits
        part[1] = (part[1] ?? 0) + looks.length
      }
    }
    const percent = ([hits = 0, all = 1]: number[]) => (100 * hits) / all
    console.info(
      `Look-alikes outside of the registry: ${percent(found.tuned).toFixed(1)} % of ${found.tuned[1]} (tuned on), ` +
        `${percent(found.apart).toFixed(1)} % of ${found.apart[1]} (kept apart), ${percent(found.known).toFixed(1)} % of ${found.known[1]} whose original is shipped.`,
    )
    expect(percent(found.known)).toBeGreaterThanOrEqual(95)
    expect(percent(found.tuned)).toBeGreaterThanOrEqual(74)
  })
})
