import { expect, test } from 'vitest'
import { brandOf } from '../../../../subgraphs/trust/pipeline/brand.ts'
import { BRANDS } from '../../../../subgraphs/trust/pipeline/lists/brands.ts'
import { policyOf, policyVersions } from '../../../../subgraphs/trust/pipeline/policy.ts'
import { indexImitated } from '../../../../subgraphs/trust/pipeline/typosquat.ts'
import { typosquatsOf } from './support/typosquats.ts'

const labels = BRANDS.map(brandOf).flatMap(({ labels, domains }) => {
  const suffixes = new Set(domains.map((domain) => domain.slice(domain.indexOf('.') + 1)))
  return labels.filter(({ exact }) => !exact).map(({ label }) => ({ label, suffixes }))
})

/** By every text that one slip makes of a label: the first label that it makes it of. */
const firstOf = new Map<string, string>()
for (const { label, suffixes } of labels) {
  for (const written of typosquatsOf(label, [...suffixes])) if (!firstOf.has(written)) firstOf.set(written, label)
}

/** Numbers that are the same at each run. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state % below
  }
}

test('every slip of every label is found, as one of the first label that it is a slip of', () => {
  const find = indexImitated(labels)
  const wrong = [...firstOf].filter(([written, label]) => find(written)?.label !== label)
  expect(firstOf.size).toBeGreaterThan(300_000)
  expect(wrong.slice(0, 10)).toEqual([])
})

test('what is two slips away, or an improbable slip, is found only where it is one slip of another', () => {
  const find = indexImitated(labels)
  const random = randomNumbers(7)
  const characters = 'abcdefghijklmnopqrstuvwxyz0123456789-'
  const written = [...firstOf.keys()].filter((_, index) => index % 9 === 0)
  const edited = written.concat(labels.map(({ label }) => label)).map((text) => {
    const at = random(text.length + 1)
    return text.slice(0, at) + (characters[random(characters.length)] ?? '').repeat(random(3)) + text.slice(at + random(3))
  })
  expect(edited.filter((text) => find(text)?.label !== firstOf.get(text)).slice(0, 10)).toEqual([])
})

test('a label of the registry imitates no other one, in every version of the policy', () => {
  for (const version of policyVersions()) {
    const brands = policyOf(version)?.brands
    const found = [...(brands?.byLabel.keys() ?? [])].filter((label) => brands?.findImitated(label))
    expect([version, found]).toEqual([version, []])
  }
})

test('texts that are no labels imitate nothing, however long', () => {
  const find = indexImitated(labels)
  for (const text of ['', '-', 'paypal-', '-paypal', 'pay pal', 'päypal', 'a'.repeat(100_000)]) expect(find(text)).toBeUndefined()
})
