import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BOUNDS } from '../../scripts/reference/bounds.ts'

const ROOT = join(import.meta.dirname, '../..')
const isSetting = (bound: string, name: string) => bound.startsWith('`') || name.endsWith('_MS') || name.endsWith('MILLISECONDS')

test.each(BOUNDS.flatMap(({ what, bound, where }) => where.map(([file, name], index) => ({ what, bound, file, name, index }))))(
  'the bound of $what is in $file under the name $name, with the number that is written down',
  ({ bound, file, name, index }) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
    const defined = lines.filter((line) => new RegExp(`\\b${name}\\b`).test(line)).join('\n')
    expect(defined).not.toBe('')
    // The first number of the bound, as code writes it, belongs to the first name; a setting has none there.
    const [number] = index > 0 || isSetting(bound, name) ? [] : (bound.match(/\d(?:[\d,]*\d)?/) ?? [])
    if (number === undefined) return
    const written = [number.replaceAll(',', ''), number.replaceAll(',', '_')]
    expect(
      written.some((each) => defined.includes(each)),
      `${number} in ${defined}`,
    ).toBe(true)
  },
)

test('bounds are read, each thing once', () => {
  expect(BOUNDS.length).toBeGreaterThan(100)
  expect(new Set(BOUNDS.map(({ what }) => what)).size).toBe(BOUNDS.length)
})
