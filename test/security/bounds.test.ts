import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const [, section = ''] = readFileSync(join(ROOT, 'docs/security.md'), 'utf8').split('## Bounds of caches and queues\n')
const rows = [
  ...(section.split('\n## ', 1)[0] ?? '').matchAll(/^\| (?<what>.*?) \|.*\| `(?<file>[^`]+)`: `(?<name>[^`]+)` \|$/gm),
]

test.each(rows.map(({ groups }) => [groups?.what ?? '', groups?.file ?? '', groups?.name ?? '']))(
  'the bound of %s is in %s under the name %s, with the number that is written down',
  (what, file, name) => {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n')
    const defined = lines.filter((line) => new RegExp(`\\b${name}\\b`).test(line)).join('\n')
    expect(defined).not.toBe('')
    const bound = rows.find(({ groups }) => groups?.what === what)?.[0].split(' | ')[2] ?? ''
    // The first number of the bound, as code writes it; a bound that is a setting has none there.
    const [number] =
      bound.startsWith('`') || name.endsWith('_MS') || name.endsWith('MILLISECONDS') ? [] : (bound.match(/\d(?:[\d,]*\d)?/) ?? [])
    if (number === undefined) return
    const written = [number.replaceAll(',', ''), number.replaceAll(',', '_')]
    expect(
      written.some((each) => defined.includes(each)),
      `${number} in ${defined}`,
    ).toBe(true)
  },
)

test('the table is read', () => {
  expect(rows.length).toBeGreaterThan(25)
})
